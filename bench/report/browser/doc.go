// Package browser looks at the page of package report in a browser without a window: Chromium, Chrome
// or one of the same kind. It is a module of its own, so that the module above needs nothing of what
// drives a browser.
//
//	cd bench/report/browser && go test ./...
//
// The page is that of the sample of package report, or that of $BLSKERNEL_PAGE, a folder that
// 'blskernel report' wrote. Where no browser is found the test is skipped, unless
// BLSKERNEL_BROWSER=required. Pictures are written to the folder $BLSKERNEL_PICTURES, if that is set.
package browser

// Package report makes a page of measurements: numbers and a plot at the top, and below them, folded
// away, what each kind of result says, with plots and tables.
//
//	file, err := result.ReadFile("docs/results/table2.jsonl")
//	page, err := report.New([]*result.File{file})
//	written, err := page.WriteFolder(ctx, nil, "page") // page/index.html, README.md, plots/*.svg
//
// Each kind of result has a section in a file of this package, which returns figures, findings and
// perhaps a number for the top. All of these are computed from the numbers in the section's tables.
//
// Times stand side by side only under equal result.Conditions; the page names the versions of the code
// where there are several. Ratios are of times of one table line and one seed, and do not span an
// interruption. Of several runs the page shows the median, and of ratios the median of the ratios
// within a run. Accuracy does not depend on the machine.
//
// The package draws plots as SVG with CSS classes for colors, so that they suit light and dark pages.
// The page loads nothing, has no script, and is well-formed XML. The same results give the same bytes.
// The module browser tests the page in a browser.
package report

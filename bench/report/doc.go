// Package report makes a page of measurements: numbers and a plot at the top, and below them, folded
// away, what each kind of result says, with plots and tables.
//
//	file, err := result.ReadFile("docs/results/table2.jsonl")
//	page, err := report.New([]*result.File{file})
//	err = page.WriteFolder(ctx, nil, "page") // page/README.md and page/plots/*.svg
//
// The page is Markdown as GitHub shows it. Each kind of result has a section in a file of this package,
// which returns figures, findings and perhaps numbers for the top, all computed from the results.
//
// Times stand side by side only under equal result.Conditions; the page names the versions of the code
// where there are several. Ratios are of times of one table line and one seed, and do not span an
// interruption. Of several runs the page shows the median, and of ratios the median of the ratios
// within a run. Accuracy does not depend on the machine.
//
// The package draws plots as SVG with CSS classes for colors, so that they suit light and dark pages.
// The same results give the same bytes.
package report

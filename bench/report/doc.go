// Package report makes a page of measurements: numbers, plots and their meaning at the top, and below
// them, folded away, the tables of each kind of result.
//
//	file, err := result.ReadFile(nil, "docs/results/table2.jsonl")
//	page, err := report.New([]*result.File{file})
//	err = page.WriteFolder(nil, "page") // page/README.md and page/plots/*.svg
//
// The page is GitHub-flavored Markdown. Each kind of result has a section. Results of different
// commands stay apart, except seeds of one table and machine in a file. A ratio compares times of one
// table. Times are medians over its seeds. Accuracies, which do not depend on the machine, are means.
//
// A plot has its message as the title, and its numbers in a table below it. It is readable in black and
// white and on a phone. It is SVG with CSS classes for colors, so that it suits light and dark pages.
// The same results give the same bytes.
package report

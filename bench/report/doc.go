// Package report makes a page of measurements: one HTML file with plots, the numbers behind each of them, and what
// they say in plain sentences.
//
//	file, err := result.ReadFile("docs/results/table2.jsonl")
//	page, err := report.New([]*result.File{file})
//	written, err := page.WriteFolder(ctx, "page") // page/index.html, page/plots/*.svg and *.png
//
// # From results to a page
//
// Every kind of result has a section, which is there only if such results are: speed-ups, times, accuracy,
// flops, crossover, prediction, speed, errors. A section is computed in a file or two of this package, which return its
// figures and its findings; the summary at the top repeats the findings of all sections. What is said of measurements is
// computed from the numbers that the table below it shows; only the paragraph that explains a section is written by hand.
//
// Times are put side by side only where the conditions are the same, which are those of result.Conditions; what was measured
// by different versions of this module under the same conditions is put together, and the page says so. Ratios are of times of
// one table line of a file and one seed, so of one command or of one that went on with it, and not across a place where that
// was interrupted and states were built anew. Of several runs the median is shown, and of ratios the median of the ratios
// within a run. Accuracy does not depend on the machine, and is joined over machines and files.
//
// # Plots
//
// A Plot is drawn by gonum.org/v1/plot, as PNG by its own canvas and as SVG by one of this package, which
// writes CSS classes where the other has colors: the same drawing is then dark on light or light on dark as the reader has
// it, and needs no font of ours. The same results give the same bytes.
//
// # The page
//
// It loads nothing, has no script, and is well-formed XML as well as HTML. Its module browser looks at it in a
// browser.
package report

// Package report makes a page of measurements: one HTML file with plots, the numbers behind each of them, and what
// they say in plain sentences.
//
//	files, err := result.ReadFolder("docs/results")
//	page, err := report.New(files)
//	written, err := page.WriteFolder(ctx, "page") // page/index.html, page/plots/*.svg and *.png
//
// # From results to a page
//
// Every kind of result has a section, which is there only if such results are: accuracy, times, speed-ups, crossover,
// prediction, speed, errors. A section is computed in one file of this package, which returns its figures and its
// findings; the summary at the top repeats the findings of all sections. No sentence is written by hand: each is computed
// from the numbers that the table below it shows.
//
// Runs of a table are the same run if their settings and the machine are, so that a run that was interrupted and
// continued, or whose seeds are in several files, is one. Of several runs the median is shown, and of ratios the median
// of the ratios within a run. Accuracy does not depend on the machine, and is joined over machines.
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

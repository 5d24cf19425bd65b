package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// printTable prints a row for each step and, below those of a method, their sum.
func printTable(out io.Writer, rows []*row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tsamples\tOctave s\tours s\tOctave/ours\t|W-W'|/|W'|\tOctave %\tours %\t")
	for i, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t%.2f\t%s\t%.2f\t%.2f\t\n", r.method, r.samples, median(r.octave), median(r.ours), median(ratios(r.octave, r.ours)),
			number(r.difference), r.octaveAccuracy, r.oursAccuracy)
		if i+1 == len(rows) || rows[i+1].method != r.method {
			octave, ours := totals(rows, r.method)
			fmt.Fprintf(w, "%s\tall\t%.3f\t%.3f\t%.2f\t\t\t\t\n", r.method, median(octave), median(ours), median(ratios(octave, ours)))
		}
	}
	return w.Flush()
}

// totals returns the seconds of all steps of a method, by round.
func totals(rows []*row, method string) (octave, ours []float64) {
	for _, r := range rows {
		if r.method != method {
			continue
		}
		if octave == nil {
			octave, ours = make([]float64, len(r.octave)), make([]float64, len(r.ours))
		}
		for i := range r.octave {
			octave[i] += r.octave[i]
			ours[i] += r.ours[i]
		}
	}
	return octave, ours
}

// ratios returns a/b, round by round.
func ratios(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
	}
	return q
}

// number prints a difference, or nothing where there is none.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.0e", x)
}

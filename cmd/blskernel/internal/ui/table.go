package ui

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Aligned returns a table whose first column is aligned on the left and the others on the right.
func Aligned(cells [][]string) string {
	width := 0
	for _, line := range cells {
		width = max(width, utf8.RuneCountInString(line[0]))
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range cells {
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, line[0], strings.Join(line[1:], "\t"))
	}
	_ = w.Flush() // writes to memory, so it cannot fail
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, "  "), " ")
	}
	return strings.Join(lines, "\n")
}

// Significant formats a number >= 0 with at most 3 decimals, in 7 characters below ten million. Below
// 0.1 it has three significant digits, in at most 8 characters down to 1e-99.
func Significant(v float64) string {
	if v > 0 && v < 0.1 {
		return fmt.Sprintf("%#.3g", v)
	}
	decimals := 3
	for limit := 1e3; decimals > 0 && v >= limit; limit *= 10 {
		decimals--
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// Hundredths formats v with two decimals, and NaN, which means unknown, as a dash.
func Hundredths(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

// OneLine is Escaped for text that must be one line, such as a path: it also escapes line breaks.
func OneLine(text string) string { return strings.ReplaceAll(Escaped(text), "\n", `\n`) }

package ui

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Aligned returns lines of cells as a table, the first column aligned left and the others right.
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

// OneLine is Escaped for text that must be one line, such as a path: it also escapes line breaks.
func OneLine(text string) string { return strings.ReplaceAll(Escaped(text), "\n", `\n`) }

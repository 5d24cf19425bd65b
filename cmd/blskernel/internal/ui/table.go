package ui

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// A Group has columns of a table that is printed line by line: a title, a head for each column, and the
// cells of a line.
type Group[T any] struct {
	Title string
	Heads []string
	Cells func(T) []string
}

// One returns a group of one column.
func One[T any](head string, cell func(T) string) Group[T] {
	return Group[T]{Heads: []string{head}, Cells: func(v T) []string { return []string{cell(v)} }}
}

// Each returns a group with a column for each head: the i-th cell of v is cell(v, i).
func Each[T any](title string, heads []string, cell func(v T, i int) string) Group[T] {
	return Group[T]{Title: title, Heads: heads, Cells: func(v T) []string {
		var cells []string
		for i := range heads {
			cells = append(cells, cell(v, i))
		}
		return cells
	}}
}

// Times is Each for numbers that Significant writes.
func Times[T any](title string, heads []string, value func(v T, i int) float64) Group[T] {
	return Each(title, heads, func(v T, i int) string { return Significant(value(v, i)) })
}

const cellWidth = 7 // at least

// Heads returns the two lines above the columns.
func Heads[T any](groups []Group[T]) string {
	return groupLine(groups, func(g Group[T]) string { return fmt.Sprintf("%-*s", g.width(), g.Title) }) +
		groupLine(groups, func(g Group[T]) string { return g.join(g.Heads) })
}

// Line returns the line of v.
func Line[T any](groups []Group[T], v T) string {
	return groupLine(groups, func(g Group[T]) string { return g.join(g.Cells(v)) })
}

func (g Group[T]) width() int { return max(len(g.Title), len(g.join(g.Heads))) }

// join aligns the cells on the right below their heads.
func (g Group[T]) join(cells []string) string {
	var padded []string
	for i, c := range cells {
		padded = append(padded, fmt.Sprintf("%*s", max(cellWidth, len(g.Heads[i])), c))
	}
	return strings.Join(padded, " ")
}

func groupLine[T any](groups []Group[T], text func(Group[T]) string) string {
	var all []string
	for _, g := range groups {
		all = append(all, fmt.Sprintf("%*s", g.width(), text(g)))
	}
	return strings.TrimRight(strings.Join(all, "   "), " ") + "\n"
}

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
	_ = w.Flush() // to memory
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, "  "), " ")
	}
	return strings.Join(lines, "\n")
}

// Significant writes a number >= 0 with at most 3 decimals, in 7 characters below ten million.
func Significant(v float64) string {
	decimals := 3
	for limit := 1e3; decimals > 0 && v >= limit; limit *= 10 {
		decimals--
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// Hundredths writes a number with two decimals, and NaN, for unknown, as a dash.
func Hundredths(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

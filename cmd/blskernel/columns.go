package main

import (
	"fmt"
	"strings"
)

// A group of columns of a table that is printed line by line, as its lines become known: it has a title, a column for
// each of its heads, and the cells of a line.
type group[T any] struct {
	title string
	heads []string
	cells func(T) []string
}

const cellWidth = 7 // at least

// heads returns the two lines above the columns.
func heads[T any](groups []group[T]) string {
	return groupLine(groups, func(g group[T]) string { return fmt.Sprintf("%-*s", g.width(), g.title) }) +
		groupLine(groups, func(g group[T]) string { return g.join(g.heads) })
}

// line returns the line of v.
func line[T any](groups []group[T], v T) string {
	return groupLine(groups, func(g group[T]) string { return g.join(g.cells(v)) })
}

// width returns the width of the group.
func (g group[T]) width() int { return max(len(g.title), len(g.join(g.heads))) }

// join puts the cells below each other's heads, aligned on the right.
func (g group[T]) join(cells []string) string {
	var padded []string
	for i, c := range cells {
		padded = append(padded, fmt.Sprintf("%*s", max(cellWidth, len(g.heads[i])), c))
	}
	return strings.Join(padded, " ")
}

// groupLine returns a line with the given text for each group.
func groupLine[T any](groups []group[T], text func(group[T]) string) string {
	var blocks []string
	for _, g := range groups {
		blocks = append(blocks, fmt.Sprintf("%*s", g.width(), text(g)))
	}
	return strings.TrimRight(strings.Join(blocks, "   "), " ") + "\n"
}

package ui

import (
	"fmt"
	"math"
	"strings"
)

// A Group has columns of a table that is printed line by line: a title, a head for each column, and the
// cells of a line.
type Group[T any] struct {
	Title string
	Heads []string
	Cells func(T) []string
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

// Each returns the cells of a line that are a function of each of its elements.
func Each[E any, T ~[]E](text func(E) string) func(T) []string {
	return func(line T) []string {
		var cells []string
		for _, e := range line {
			cells = append(cells, text(e))
		}
		return cells
	}
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

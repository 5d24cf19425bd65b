package score

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

const maxGroups = 200

// Groups has a score for each value of the column of --by, the only column that the reader keeps.
type Groups map[string]Score

// A Group is the result for the rows with one value of the column. It is also JSON output.
type Group struct {
	Value string  `json:"value"`
	Score Quality `json:"score"` // nil if all rows have weight 0
}

// Add predicts a batch and adds each row to the score of its value.
func (g Groups) Add(ctx context.Context, m *model.Model, b *stream.Batch) error {
	for _, value := range slices.Compact(slices.Sorted(slices.Values(b.Kept))) {
		if g[value] == nil {
			if len(g) == maxGroups {
				return ui.Usagef("--by names a column with more than %d values, such as %.40q: name one with fewer", maxGroups, value)
			}
			var err error
			if g[value], err = newScore(m, -1, maxGroups); err != nil {
				return err
			}
		}
		_, rows := b.Split(func(i int) bool { return b.Kept[i] == value })
		if err := Add(ctx, m, g[value], rows, new(Far)); err != nil {
			return err
		}
	}
	return nil
}

// Results returns a Group for each value, sorted by value.
func (g Groups) Results() (all []Group) {
	for _, value := range model.SortLabels(maps.Keys(g)) {
		q, _ := g[value].Quality()
		all = append(all, Group{value, Sketch(q)})
	}
	return all
}

// A Grouping is the part of a result that has the scores of groups of rows.
type Grouping struct {
	By     string  `json:"by,omitempty"` // the column
	Groups []Group `json:"groups,omitempty"`
}

// Group sets the name of the column and the results of its values.
func (g *Grouping) Group(by string, all []Group) { *g = Grouping{by, all} }

// lines returns the name of the column and a line for each group, or an empty string without groups.
func (g *Grouping) lines() string {
	if g.Groups == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nby %s\n", ui.Printable(g.By))
	width := 0
	for _, of := range g.Groups {
		width = max(width, utf8.RuneCountInString(ui.Printable(of.Value)))
	}
	for _, of := range g.Groups {
		brief := "all rows have weight 0"
		if of.Score != nil {
			brief = of.Score.Brief()
		}
		fmt.Fprintf(&b, "%-*s  %s\n", width, ui.Printable(of.Value), brief)
	}
	return b.String()
}

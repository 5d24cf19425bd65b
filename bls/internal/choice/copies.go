package choice

import (
	"cmp"
	"slices"

	"blskernel/mat"
)

// few is the fraction of rows, or of copies, that makes no difference to a choice.
const few = 0.1

// groups returns the given rows in groups that no fold divides. Usually each row is a group. If samples
// are repeated, as when rare ones are oversampled, rows with the same inputs are a group: a copy of a
// held-out row among the rows learned would favor models that memorize. Rows with equal inputs are
// taken for repeated samples if there are more than a few, almost all of them have equal targets, and
// there are far more than chance explains. So a table of few different values, in which rows agree by
// chance, is not grouped. Nor are more than a few rows that are all equal: they are a state, such as a
// machine at rest, that every fold needs.
func (d Data) groups(rows []int) [][]int {
	alone := slices.Collect(slices.Chunk(rows, 1))
	if d.X == nil {
		return alone
	}
	var groups, states [][]int
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b int) int {
		return cmp.Or(slices.Compare(d.X.RawRowView(a), d.X.RawRowView(b)), a-b)
	})
	aFew, copies, others := few*float64(len(rows)), 0, 0
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && slices.Equal(d.X.RawRowView(sorted[n]), d.X.RawRowView(sorted[0])) {
			n++
		}
		group := sorted[:n]
		sorted = sorted[n:]
		if n > 1 && float64(n) > aFew {
			states = slices.AppendSeq(states, slices.Chunk(group, 1))
			continue
		}
		groups = append(groups, group)
		for _, row := range group[1:] {
			if slices.Equal(d.Y.RawRowView(row), d.Y.RawRowView(group[0])) {
				copies++
			} else {
				others++
			}
		}
	}
	most := few * float64(copies)
	if len(groups) >= MinRows && float64(copies) >= aFew && float64(others) <= most &&
		d.chance(groups, len(rows), most) <= most {
		return append(groups, states...)
	}
	return alone
}

// chance returns how many pairs of n rows are expected to agree in all columns if the columns are
// independent, or an upper bound that is at most enough. A group of equal inputs counts as one row.
func (d Data) chance(groups [][]int, n int, enough float64) float64 {
	pairs := float64(n) * float64(n-1) / 2
	values := make([]float64, len(groups))
	for _, m := range []*mat.Dense{d.X, d.Y} {
		for j := range m.RawMatrix().Cols {
			for i, group := range groups {
				values[i] = m.At(group[0], j)
			}
			slices.Sort(values)
			equal, first := 0.0, 0
			for i := range values {
				if values[i] != values[first] {
					first = i
				}
				equal += float64(2*(i-first) + 1) // the sum over a run of r is r²
			}
			share := 1 / float64(len(values))
			if pairs *= equal * share * share; pairs <= enough {
				return pairs
			}
		}
	}
	return pairs
}

package train

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"blskernel/cmd/blskernel/internal/input"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

const (
	repeatedColumns = 500 // the most inputs that are searched for groups of rows
	repeatedGroups  = 30  // the fewest groups, since columns with few values may agree in any table
)

// tellRepeats prints a note if rows come in groups that agree in several columns, as repeated
// measurements of a person do in age and height. The choice then knows the group of each held-out row.
func (tr *training) tellRepeats(x *mat.Dense) {
	if columns, groups := repeats(x); columns != nil {
		all := input.NamesOr(tr.Model.Metadata.Inputs, x.RawMatrix().Cols, "input")
		var names []string
		for _, j := range columns {
			names = append(names, all[j])
		}
		tr.Warn("the first rows come in %d groups, each with its own values of %s: if new rows are of other groups, expect a far lower score than on held-out rows; leave these columns out with --exclude if they only identify the groups",
			groups, shortList(names))
	}
}

// repeats returns the largest set of at least two columns of x that each divide the first rows into the
// same groups, two rows or more on average, and the number of groups. The set is nil if it has all
// columns, as for copies of rows, or if each follows from the first or the first from it, as for two
// units.
func repeats(x *mat.Dense) (columns []int, groups int) {
	l, d := x.Dims()
	if l = min(l, described); d > repeatedColumns {
		return nil, 0
	}
	sets, numbers := map[uint64][]int{}, map[uint64]int{}
	for j := range d {
		first, h := map[float64]int{}, xxhash.New()
		for i := 0; i < l && 2*len(first) <= l; i++ {
			if _, known := first[x.At(i, j)]; !known {
				first[x.At(i, j)] = i
			}
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(first[x.At(i, j)])))
		}
		if n := len(first); n >= repeatedGroups && 2*n <= l {
			key := h.Sum64()
			sets[key] = append(sets[key], j)
			numbers[key] = n
		}
	}
	for key, set := range sets {
		if len(set) < max(2, len(columns)) || len(set) == d || len(set) == len(columns) && set[0] > columns[0] {
			continue
		}
		n, first := numbers[key], set[0]
		if slices.ContainsFunc(set[1:], func(j int) bool { return !follows(x, l, n, first, j) && !follows(x, l, n, j, first) }) {
			columns, groups = set, n
		}
	}
	return columns, groups
}

// follows reports whether column k looks like a function of column j, such as another unit or a square:
// as column j rises from group to group of the first l rows, column k turns around less than every
// fourth time. Unrelated values turn around two times in three.
func follows(x *mat.Dense, l, groups, j, k int) bool {
	order := factor.Indices(l)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x.At(a, j), x.At(b, j)) })
	turns, last := 0, 0
	for i := 1; i < l; i++ {
		step := cmp.Compare(x.At(order[i], k), x.At(order[i-1], k))
		if step == 0 {
			continue // the same group
		}
		if step == -last {
			turns++
		}
		last = step
	}
	return 4*turns < groups
}

package train

import (
	"math"
	"slices"

	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/dataset/stream"
)

const (
	poorScore = 0.5 // tellTargets looks for a reason if R2 on held-out rows is lower
	farOut    = 50  // a target explains a poor score if it is this many times as far from the median as nine in ten
)

// tellTargets prints a note if a target of the first batch has only one value. It also prints one if
// held-out rows score badly and one target is so far from the others, like a total or a typing error,
// that it decides the squared error.
func (tr *training) tellTargets(b *stream.Batch) {
	if b.Y == nil {
		return
	}
	rows, cols := b.Y.Dims()
	names := input.NamesOr(tr.Model.Metadata.Targets, cols, "target")
	choice := session.ChoiceOf(tr.Model)
	for j, name := range names {
		y := make([]float64, rows)
		for i := range y {
			y[i] = b.Y.At(i, j)
		}
		sorted := slices.Sorted(slices.Values(y))
		if rows > 1 && sorted[0] == sorted[rows-1] {
			tr.Warn("the only value of %q in the first %d rows is %v: is --target the right column, or are the rows sorted by it?", name, rows, y[0])
			continue
		}
		median := sorted[rows/2]
		for i := range y {
			y[i] = math.Abs(y[i] - median)
			sorted[i] = y[i]
		}
		slices.Sort(sorted)
		most, farthest := sorted[rows*9/10], sorted[rows-1]
		if choice == nil || choice.Score >= poorScore || !(most > 0 && farthest > farOut*most) {
			continue
		}
		at := slices.Index(y, farthest)
		tr.Warn("%v: %q is %v, %.3g times as far from the median as nine in ten targets, and held-out rows score badly: remove the row if it is a total or a mistake", b.Where(at), name, b.Y.At(at, j), farthest/most)
	}
}

package lapack

import (
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"
)

// safeSquares is the sum of squares of a row of [R z; B Y] below which nothing overflows. A column then
// has a norm below sqrt(k+q) 2⁴⁸⁰, which reflections do not change, and no number on the way is more
// than 4 sqrt(n(1+q)) such norms in a panel of n columns: |V| <= 1, and ‖T‖ <= 2 because I - T is a
// part of an orthogonal matrix.
const safeSquares = 0x1p960

// anyLarge reports whether a row holds a NaN, an infinity or numbers so large that they may overflow.
func (e *elimination) anyLarge() bool {
	k, c := e.r.Cols, e.z.Cols
	var large atomic.Bool
	// Tasks of some rows; an element takes as long as some 8 flops.
	const rows = 64
	e.share((k+e.b.Rows+rows-1)/rows, 8*rows*(k+c), func(task int) {
		for i := task * rows; i < min((task+1)*rows, k+e.b.Rows); i++ {
			left, right, _ := e.stored(i)
			if !(e.squares(left)+e.squares(right) < safeSquares) {
				large.Store(true)
			}
		}
	})
	return large.Load()
}

func (e *elimination) squares(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return e.bk.Ddot(len(x), x, 1, x, 1)
}

// checkInput returns an error for the first element of [R z; B Y] that is not finite.
func (e *elimination) checkInput() error {
	k := e.r.Cols
	for i := range k + max(e.b.Rows, e.y.Rows) {
		left, right, from := e.stored(i)
		if err := elementError(e.routine, i, from, left, ErrNotFinite); err != nil {
			return err
		}
		if err := elementError(e.routine, i, k, right, ErrNotFinite); err != nil {
			return err
		}
	}
	return nil
}

// checkResult returns an error for the first row of [R' z'], or else of Y', that is not finite.
func (e *elimination) checkResult() error {
	k := e.r.Cols
	for i := range k + e.y.Rows {
		left, right, _ := e.stored(i)
		if i >= k {
			left = nil
		}
		for _, row := range [][]float64{left, right} {
			for _, v := range row {
				if !isFinite(v) {
					return &PivotError{Routine: e.routine, Index: min(i, k-1), Pivot: v, Err: ErrNotFinite}
				}
			}
		}
	}
	return nil
}

// stored returns what row i of [R z; B Y] has on the left and on the right, and the column where the
// left begins.
func (e *elimination) stored(i int) (left, right []float64, from int) {
	a, y := e.r, e.z
	if k := e.r.Cols; i >= k {
		a, y, i = e.b, e.y, i-k
		if e.triangle {
			from = i
		}
	} else {
		from = i
	}
	return rowFrom(a, i, from), rowFrom(y, i, 0), from
}

// rowFrom returns row i of g from column j on, which is empty where g has no such row.
func rowFrom(g blas64.General, i, j int) []float64 {
	if i >= g.Rows {
		return nil
	}
	return g.Data[i*g.Stride+j : i*g.Stride+g.Cols]
}

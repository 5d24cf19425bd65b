package lapack

import (
	"math"
	"sync/atomic"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

// checkShape panics with gonum's mat.ErrShape unless ok.
func checkShape(ok bool) {
	if !ok {
		panic(gonummat.ErrShape)
	}
}

// reuse gives an empty dst the size r×c and panics with mat.ErrShape if dst has another size.
func reuse(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		if r > 0 && c > 0 {
			dst.ReuseAs(r, c)
		}
		return
	}
	dr, dc := dst.Dims()
	checkShape(dr == r && dc == c)
}

// reuseFor is reuse for a result of which b is an operand. It panics too if an empty dst keeps storage, since
// a Reset, in which elements of b lie: to give it a size would clear them.
func reuseFor(b, dst *mat.Dense, r, c int) {
	if kept := dst.RawMatrix().Data; dst.IsEmpty() && cap(kept) >= r*c {
		storage := blas64.General{Rows: 1, Cols: r * c, Stride: r * c, Data: kept[:r*c]}
		if overlap(storage, b.RawMatrix()) {
			panic(solveAliased)
		}
	}
	reuse(dst, r, c)
}

// isFinite tells whether v is neither NaN nor infinite.
func isFinite(v float64) bool { return v-v == 0 }

// checkFinite returns an *ElementError of the given kind for the first element of g that is NaN or
// infinite, or nil.
func checkFinite(routine string, g blas64.General, kind error) error {
	for i := range g.Rows {
		row := g.Data[i*g.Stride : i*g.Stride+g.Cols]
		if !isfinite.All(row) {
			return elementError(routine, i, 0, row, kind)
		}
	}
	return nil
}

// finiteRows reports whether all elements of g are finite. About three are read in a nanosecond where
// they come from memory.
func finiteRows(bk blskernel.Backend, g blas64.General) bool {
	var infinite atomic.Bool
	block.On(bk).BlockRows(g.Rows, g.Cols/3, block.RowFunc(func(i, end int) {
		for ; i < end; i++ {
			if !isfinite.All(g.Data[i*g.Stride : i*g.Stride+g.Cols]) {
				infinite.Store(true)
				return
			}
		}
	}))
	return !infinite.Load()
}

// checkFinitePacked is checkFinite for the n×n packed matrix ap.
func checkFinitePacked(routine string, n int, ap []float64, kind error) error {
	if isfinite.All(ap) {
		return nil
	}
	for i := range n {
		at := block.PackedRow(n, i)
		if row := ap[at+i : at+n]; !isfinite.All(row) {
			return elementError(routine, i, i, row, kind)
		}
	}
	return nil
}

// elementError names the first element of row i, whose first stored column is col, that is not finite.
func elementError(routine string, i, col int, row []float64, kind error) error {
	for j, v := range row {
		if !isFinite(v) {
			return &ElementError{Routine: routine, Row: i, Col: col + j, Value: v, Err: kind}
		}
	}
	return nil
}

func largest(sums []float64) float64 {
	m := 0.0
	for _, s := range sums {
		m = max(m, s)
	}
	return m
}

// divide computes x = x/d: by the reciprocal, which is faster, unless that would overflow or lose
// accuracy.
func divide(x []float64, d float64) {
	if !invertible(d) {
		for i := range x {
			x[i] /= d
		}
		return
	}
	r := 1 / d
	for i := range x {
		x[i] *= r
	}
}

// invertible reports whether 1/d is a normal number, so that neither it overflows, as for the least d,
// nor digits of it are lost to underflow, as for the largest. It is false for a NaN. A subnormal d is
// left out although not every one has an infinite reciprocal.
func invertible(d float64) bool {
	d = math.Abs(d)
	return smallest <= d && d <= 1/smallest
}

// smallest is the least normal number. Its reciprocal 2¹⁰²² is the largest power of two of which the
// reciprocal is normal.
const smallest = 0x1p-1022

// notFactorized is the panic of methods of an empty receiver.
const notFactorized = "lapack: the receiver holds no factorization"

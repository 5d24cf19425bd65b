package lapack

import (
	"fmt"

	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
)

// ErrorBounds says how accurate the columns of a solution X of A X = B are: one number for each
// column x and its right-hand side b.
type ErrorBounds struct {
	// Backward is the componentwise relative backward error (Oettli and Prager, Numer. Math. 6,
	// 1964; Higham, Accuracy and Stability, theorem 7.3): the least ω for which x solves a system
	// (A + E) x = b + f exactly with |E| <= ω|A| and |f| <= ω|b| in every element,
	//
	//	ω = max_i |b - A x|_i / (|A||x| + |b|)_i.
	//
	// A small ω is much more than a small ‖b - A x‖: zeros of A are not disturbed, nor are small
	// elements by more than their share, so that x is as good as the data deserve if each of
	// these is known to a relative accuracy of ω. A row whose denominator is computed as zero, an
	// equation 0 = 0 unless all its products underflow, does not count (LAPACK counts it as 1). Where a
	// denominator is not zero, but so small that underflow may have spoilt it, (n+1)2⁻¹⁰⁷⁴ is added to
	// it and to its numerator. ω is +Inf where the residual, or |A||x| + |b|, overflows.
	Backward []float64

	// Forward is an estimated bound on max_i |x - x*|_i / max_i |x|_i, where x* is the exact
	// solution,
	//
	//	‖ |A⁻¹| (|r| + (n+1) u (|A||x| + |b|)) ‖∞ / ‖x‖∞,   r = b - A x as computed, u = 2⁻⁵³,
	//
	// of which the second term covers the rounding errors of r (Higham, section 7.7; Arioli, Demmel and
	// Duff, SIAM J. Matrix Anal. Appl. 10, 1989). Unlike eps/RCond it does not grow when rows of A
	// are badly scaled. The norm is estimated as in RCond, hardly ever too small by a factor
	// of 3, while the bound itself is ten times the error and more. It is +Inf where it overflows,
	// and for an x of zeros whose b is not zero.
	Forward []float64
}

// roundoff is the unit roundoff u, half the distance from 1 to the next larger number.
const roundoff = 0x1p-53

// refinePanel is the number of columns that are refined together. It bounds the workspace, and is
// enough for the products and the solves to run at full speed.
const refinePanel = 256

// A refiner improves solutions of A X = B with a square A of order n, each function any number of
// columns at once.
type refiner struct {
	n int

	// largest is the largest magnitude in A.
	largest float64

	// multiply computes Y -= A X and W += |A||X| for the n×c x, y, w of leading dimension c; it
	// overwrites x by |X|.
	multiply func(c int, x, y, w []float64)

	// solve overwrites the n×c x by A⁻¹x, and solveRows the m×n x by x A⁻¹; the latter is nil for a
	// symmetric A.
	solve     func(c int, x []float64, ldx int)
	solveRows func(m int, x []float64, ldx int)
}

// refineAliased is the panic of Refine where the matrix that it overwrites overlaps one that it reads.
const refineAliased = "lapack: the solution shares storage with the matrix or the right-hand side"

// refine is the frame of every Refine: it announces the routine, checks what it is given, and
// refines panels of columns. a is the storage of A as a matrix, check returns an error if A is not
// finite, and system makes the refiner.
func refine(b0 blskernel.Backend, routine string, n int, x *mat.Dense, a blas64.General, b *mat.Dense, check func() error, system func(bk blskernel.Backend) refiner) (ErrorBounds, error) {
	rows, nrhs := b.Dims()
	xr, xc := x.Dims()
	checkShape(rows == n && xr == n && xc == nrhs)
	none := n == 0 || nrhs == 0
	rx, rb := x.RawMatrix(), b.RawMatrix()
	if overlap(rx, rb) || overlap(rx, a) {
		panic(refineAliased)
	}
	bk := blskernel.Begin(b0, blskernel.Routine{Name: routine, M: n, N: n, NRHS: nrhs})
	if none {
		return ErrorBounds{}, nil
	}
	for _, operand := range []struct {
		name string
		err  error
	}{{"A", check()}, {"B", checkFinite(routine, rb, ErrNotFinite)}, {"X", checkFinite(routine, rx, ErrNotFinite)}} {
		if operand.err != nil {
			return ErrorBounds{}, fmt.Errorf("%w; the input is %s", operand.err, operand.name)
		}
	}
	r := system(bk)
	bounds := ErrorBounds{Backward: make([]float64, nrhs), Forward: make([]float64, nrhs)}
	work := make([]float64, 6*n*min(nrhs, refinePanel))
	for j := 0; j < nrhs; j += refinePanel {
		c := min(refinePanel, nrhs-j)
		r.columns(columnsOf(rx, j, c), columnsOf(rb, j, c), work, bounds.Backward[j:j+c], bounds.Forward[j:j+c])
	}
	return bounds, nil
}

// columnsOf returns columns j..j+c of g.
func columnsOf(g blas64.General, j, c int) blas64.General {
	return blas64.General{Rows: g.Rows, Cols: c, Stride: g.Stride, Data: g.Data[j:]}
}

// columns takes a step of refinement for those columns of x that it improves, and writes the error
// bounds of all. The workspace is six matrices of the size of x.
func (f refiner) columns(x, b blas64.General, work []float64, backward, forward []float64) {
	n, c := x.Rows, x.Cols
	var m [6][]float64
	for i := range m {
		m[i] = work[i*n*c : (i+1)*n*c : (i+1)*n*c]
	}
	r, w, y, ry, wy, magnitudes := m[0], m[1], m[2], m[3], m[4], m[5]
	f.residual(x, b, magnitudes, r, w)
	f.backward(c, r, w, backward)

	// A column that is exact to working precision stays as it is, so that what becomes of a column
	// does not depend on the others.
	improve := make([]bool, c)
	some := false
	for j, e := range backward {
		improve[j] = e > roundoff
		some = some || improve[j]
	}
	if some {
		copy(y, r)
		f.solve(c, y, c)
		for i := range n {
			row := y[i*c : (i+1)*c]
			for j, v := range x.Data[i*x.Stride : i*x.Stride+c] {
				row[j] += v
			}
		}
		f.residual(blas64.General{Rows: n, Cols: c, Stride: c, Data: y}, b, magnitudes, ry, wy)
		after := make([]float64, c)
		f.backward(c, ry, wy, after)
		for j := range c {
			if improve[j] = improve[j] && after[j] < backward[j]; improve[j] {
				backward[j] = after[j]
			}
		}
		for i := range n {
			row := x.Data[i*x.Stride : i*x.Stride+c]
			for j, yes := range improve {
				if at := i*c + j; yes {
					row[j], r[at], w[at] = y[at], ry[at], wy[at]
				}
			}
		}
	}
	f.forward(x, r, w, y, ry, forward)
}

// residual computes R = B - A X and W = |A||X| + |B|, whose rows are without gaps; magnitudes is
// overwritten.
func (f refiner) residual(x, b blas64.General, magnitudes, r, w []float64) {
	c := x.Cols
	for i := range x.Rows {
		copy(magnitudes[i*c:(i+1)*c], x.Data[i*x.Stride:])
		copy(r[i*c:(i+1)*c], b.Data[i*b.Stride:])
	}
	copy(w, r)
	takeAbs(w)
	f.multiply(c, magnitudes, r, w)
}

package condition

import (
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A Gerfs improves solutions of A X = B with a square A of order N, for any number of right-hand sides
// at once. (LAPACK: dgerfs, dporfs, dsyrfs.)
type Gerfs struct {
	Backend factor.Backend
	N       int
	A       block.Matrix // all of A, or its upper triangle if packed

	// Solve overwrites x with A⁻¹x if side is Left, or with x A⁻¹ otherwise. x is N×c or c×N.
	Solve func(bk factor.Backend, side blas.Side, c int, x block.Matrix)

	largest float64 // the largest magnitude in A
}

// RefinePanel is the number of columns that Refine processes together. It bounds the workspace, and is
// enough for the products and the solves to run at full speed.
const RefinePanel = 256

// Refine takes one step of refinement on each column of x, a solution of A X = B, and keeps the step if
// it improves the column. It writes the backward error and the forward error bound of column j to
// backward[j] and forward[j].
func (f Gerfs) Refine(x, b blas64.General, backward, forward []float64) {
	for i := range f.N {
		_, v := f.Backend.AbsMax(f.A.Elements(i, f.first(i), f.N))
		f.largest = max(f.largest, v)
	}
	f.eachPanel(x, b, backward, func(j int, x, b blas64.General, m [6][]float64, backward []float64) {
		f.step(x, b, m, backward)
		f.forward(x, m, forward[j:j+x.Cols])
	})
}

// maxSteps bounds the steps of Improve, as in LAPACK's dgerfs.
const maxSteps = 5

// Improve refines x, a solution of A X = B, until a step reduces no backward error, in at most maxSteps
// steps. It returns the largest componentwise backward error of all columns.
func (f Gerfs) Improve(x, b blas64.General) (largest float64) {
	backward := make([]float64, x.Cols)
	f.eachPanel(x, b, backward, func(_ int, x, b blas64.General, m [6][]float64, backward []float64) {
		for range maxSteps {
			if !f.step(x, b, m, backward) {
				break
			}
		}
	})
	return slices.Max(backward)
}

// eachPanel calls do for each panel of at most RefinePanel columns of x and b, from column j on, with
// its backward errors. m holds six matrices of the same size: the residual R, W = |A||X| + |B|, room
// for a better X with its own R and W, and room for magnitudes.
func (f Gerfs) eachPanel(x, b blas64.General, backward []float64, do func(j int, x, b blas64.General, m [6][]float64, backward []float64)) {
	columns := func(g blas64.General, j, c int) blas64.General {
		return blas64.General{Rows: g.Rows, Cols: c, Stride: g.Stride, Data: g.Data[j:]}
	}
	work := make([]float64, 6*f.N*min(x.Cols, RefinePanel))
	for j := 0; j < x.Cols; j += RefinePanel {
		c := min(RefinePanel, x.Cols-j)
		x, b, backward := columns(x, j, c), columns(b, j, c), backward[j:j+c]
		var m [6][]float64
		for i := range m {
			m[i] = work[i*f.N*c:][:f.N*c]
		}
		f.residual(x, b, m[5], m[0], m[1])
		f.backward(x, m[0], m[1], backward)
		do(j, x, b, m, backward)
	}
}

// step takes one step of refinement and keeps it in the columns that improve. In these columns it also
// updates backward, and R and W in m. It reports whether a column changed.
func (f Gerfs) step(x, b blas64.General, m [6][]float64, backward []float64) (improved bool) {
	n, c := x.Rows, x.Cols
	r, w, y, ry, wy, magnitudes := m[0], m[1], m[2], m[3], m[4], m[5]
	// A column with an error up to Roundoff never changes, so no column depends on the others.
	improve := make([]bool, c)
	some := false
	for j, e := range backward {
		improve[j] = e > factor.Roundoff
		some = some || improve[j]
	}
	if !some {
		return false
	}
	copy(y, r)
	f.Solve(f.Backend, blas.Left, c, block.Dense(y, c))
	for i := range n {
		f.Backend.Add(1, x.Data[i*x.Stride:i*x.Stride+c], y[i*c:(i+1)*c])
	}
	better := blas64.General{Rows: n, Cols: c, Stride: c, Data: y}
	f.residual(better, b, magnitudes, ry, wy)
	after := make([]float64, c)
	f.backward(better, ry, wy, after)
	for j := range c {
		if improve[j] = improve[j] && after[j] < backward[j]; improve[j] {
			backward[j] = after[j]
			improved = true
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
	return improved
}

// residual computes R = B - A X and W = |A||X| + |B|, both contiguous. It overwrites magnitudes.
func (f Gerfs) residual(x, b blas64.General, magnitudes, r, w []float64) {
	c := x.Cols
	for i := range x.Rows {
		copy(magnitudes[i*c:(i+1)*c], x.Data[i*x.Stride:])
		copy(r[i*c:(i+1)*c], b.Data[i*b.Stride:])
	}
	copyAbs(w, r)
	f.multiply(c, magnitudes, r, w)
}

// absRows is the number of rows of |A| that are formed at a time, in a workspace of absRows*n numbers.
// A pass over |X| then takes 2*absRows flops per element.
const absRows = 128

// first returns the first column that is stored in row i of A.
func (f Gerfs) first(i int) int {
	if f.A.Packed {
		return i
	}
	return 0
}

// multiply computes Y -= A X and W += |A||X| for contiguous x, y and w of c columns; it overwrites x
// with |X|. If A is packed, a block of rows of |A| begins at the diagonal and serves twice: as it is,
// and transposed for the rows below.
func (f Gerfs) multiply(c int, x, y, w []float64) {
	bk, n := f.Backend, f.N
	if f.A.Packed {
		blskernel.Packed(bk.Backend).Dspmm(blas.Left, n, c, -1, f.A.X, x, c, 1, y, c)
	} else {
		bk.Dgemm(blas.NoTrans, blas.NoTrans, n, c, n, -1, f.A.X, f.A.Ld, x, c, 1, y, c)
	}
	copyAbs(x, x)
	work := make([]float64, min(absRows, n)*n)
	for i := 0; i < n; i += absRows {
		rows, from := min(absRows, n-i), f.first(i)
		ld := n - from
		for r := range rows {
			row, diagonal := work[r*ld:(r+1)*ld], f.first(i+r)
			copyAbs(row[diagonal-from:], f.A.Elements(i+r, diagonal, n))
			for s := range diagonal - from {
				row[s] = work[s*ld+r]
			}
		}
		bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, c, ld, 1, work, ld, x[from*c:], c, 1, w[i*c:], c)
		if rest := ld - rows; f.A.Packed && rest > 0 {
			bk.Dgemm(blas.Trans, blas.NoTrans, rest, c, rows, 1, work[rows:], ld, x[i*c:], c, 1, w[(i+rows)*c:], c)
		}
	}
}

// copyAbs fills dst with the magnitudes of the elements of src, which may be dst.
func copyAbs(dst, src []float64) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] = math.Abs(v)
	}
}

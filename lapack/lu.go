package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// LU is the factorization P A = L U of a square matrix with partial pivoting: P a permutation, L unit
// lower triangular with no element larger than 1 in magnitude, U upper triangular. The zero value is
// empty and ready for Factorize.
//
// On a backend that brings LAPACK along (blskernel.ColumnMajor), the work is that library's. It takes
// storage by rows for the transpose, P Aᵀ = L U, so that A = Uᵀ Lᵀ P: pivots are then the largest
// elements of what is left of their rows, not of their columns, and columns are interchanged. All
// methods mean the same and their results agree to rounding errors, but for the place at which a
// singular A is found out, and for subnormal pivots, which such a library may report as an overflow.
//
// Methods that only read the factorization may be called from several goroutines at once.
type LU struct {
	Backend blskernel.Backend // nil stands for blskernel.Default()

	factorized bool
	lu         blas64.General // L below the diagonal, U on and above it, or, if transposed, Lᵀ and Uᵀ
	swap       []int          // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm      float64        // 1-norm of A
	amax       float64        // largest magnitude of an element of A
	base, nb   int            // block sizes of tests; 0 stands for those in use

	columnMajor blskernel.ColumnMajorLAPACK // what has factored Aᵀ, or nil where it was A, by this package
}

// transposed tells whether the factors are those of Aᵀ.
func (f *LU) transposed() bool { return f.columnMajor != nil }

// Dim returns n, and 0 for an empty receiver.
func (f *LU) Dim() int { return f.lu.Rows }

// Reset makes the receiver empty.
func (f *LU) Reset() { *f = LU{Backend: f.Backend, base: f.base, nb: f.nb} }

func (f *LU) mustHold() {
	if !f.factorized {
		panic(notFactorized)
	}
}

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁); see Cholesky.RCond.
// (LAPACK: dgecon.)
func (f *LU) RCond() float64 {
	f.mustHold()
	n := f.Dim()
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgecon", M: n, N: n})
	return rcond(n, f.anorm, func(x []float64, trans bool) {
		if trans {
			f.solveRows(bk, 1, x, n) // x as a row: x A⁻¹
			return
		}
		f.solve(bk, 1, x, 1)
	})
}

// diagonals says of which kind the diagonals of the lower and the upper triangle are: that of L is of
// ones.
func (f *LU) diagonals() (lower, upper blas.Diag) {
	if f.transposed() {
		return blas.NonUnit, blas.Unit
	}
	return blas.Unit, blas.NonUnit
}

// solve overwrites the n×nrhs x by A⁻¹x = U⁻¹ L⁻¹ P x, or Pᵀ L⁻ᵀ U⁻ᵀ x.
func (f *LU) solve(bk blskernel.Backend, nrhs int, x []float64, ldx int) {
	n := f.Dim()
	lower, upper := f.diagonals()
	if !f.transposed() {
		interchangeRows(bk, nrhs, x, ldx, f.swap)
	}
	dtrsm(bk, blas.Left, blas.Lower, blas.NoTrans, lower, n, nrhs, 1, f.lu.Data, f.lu.Stride, x, ldx)
	dtrsm(bk, blas.Left, blas.Upper, blas.NoTrans, upper, n, nrhs, 1, f.lu.Data, f.lu.Stride, x, ldx)
	if f.transposed() {
		interchangeRowsBack(bk, nrhs, x, ldx, f.swap)
	}
}

// solveRows overwrites the m×n x by x A⁻¹ = x U⁻¹ L⁻¹ P, or x Pᵀ L⁻ᵀ U⁻ᵀ.
func (f *LU) solveRows(bk blskernel.Backend, m int, x []float64, ldx int) {
	n := f.Dim()
	lower, upper := f.diagonals()
	if f.transposed() {
		permuteColumns(bk, m, x, ldx, interchanged(f.swap, false))
	}
	dtrsm(bk, blas.Right, blas.Upper, blas.NoTrans, upper, m, n, 1, f.lu.Data, f.lu.Stride, x, ldx)
	dtrsm(bk, blas.Right, blas.Lower, blas.NoTrans, lower, m, n, 1, f.lu.Data, f.lu.Stride, x, ldx)
	if !f.transposed() {
		permuteColumns(bk, m, x, ldx, interchanged(f.swap, true))
	}
}

// denseCopy returns a copy of a with no gaps between its rows.
func denseCopy(a *mat.Dense) blas64.General {
	raw := a.RawMatrix()
	g := blas64.General{Rows: raw.Rows, Cols: raw.Cols, Stride: max(1, raw.Cols), Data: make([]float64, raw.Rows*raw.Cols)}
	copyGeneral(g, raw)
	return g
}

func copyGeneral(dst, src blas64.General) {
	for i := range src.Rows {
		copy(dst.Data[i*dst.Stride:i*dst.Stride+src.Cols], src.Data[i*src.Stride:i*src.Stride+src.Cols])
	}
}

// denseOn returns the matrix on the storage of g.
func denseOn(g blas64.General) *mat.Dense {
	var d mat.Dense
	if g.Rows > 0 && g.Cols > 0 {
		d.SetRawMatrix(g)
	}
	return &d
}

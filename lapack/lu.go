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
// Methods that only read the factorization may be called from several goroutines at once.
type LU struct {
	Backend blskernel.Backend // nil stands for blskernel.Default()

	factorized bool
	lu         blas64.General // L below the diagonal, U on and above it
	swap       []int          // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm      float64        // 1-norm of A
	base, nb   int            // block sizes of tests; 0 stands for luBase and luBlock
}

// luBase is the number of columns at which the recursion over columns stops and a panel is copied
// out, column after column, and eliminated by Level 1 operations on contiguous columns. 16 columns
// of any n in use stay in the second-level cache, and make 1% of the work at n = 1000.
const luBase = 16

// luBlock is the number of columns of the inverse that are computed together; the columns of L they
// replace are kept in a workspace.
const luBlock = 64

func (f *LU) baseColumns() int {
	if f.base > 0 {
		return f.base
	}
	return luBase
}

func (f *LU) block() int {
	if f.nb > 0 {
		return f.nb
	}
	return luBlock
}

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

// solve overwrites the n×nrhs x by A⁻¹x = U⁻¹ L⁻¹ P x.
func (f *LU) solve(bk blskernel.Backend, nrhs int, x []float64, ldx int) {
	n := f.Dim()
	for k, s := range f.swap {
		exchangeRows(nrhs, x, ldx, k, s)
	}
	trsm(bk, blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, nrhs, f.lu.Data, f.lu.Stride, x, ldx)
	trsm(bk, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n, nrhs, f.lu.Data, f.lu.Stride, x, ldx)
}

// solveRows overwrites the m×n x by x A⁻¹ = x U⁻¹ L⁻¹ P.
func (f *LU) solveRows(bk blskernel.Backend, m int, x []float64, ldx int) {
	n := f.Dim()
	trsm(bk, blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, f.lu.Data, f.lu.Stride, x, ldx)
	trsm(bk, blas.Right, blas.Lower, blas.NoTrans, blas.Unit, m, n, f.lu.Data, f.lu.Stride, x, ldx)
	exchangeColumnsBack(m, x, ldx, f.swap)
}

// exchangeColumnsBack exchanges columns k and swap[k] of the m rows of x, for k from the last to 0:
// it multiplies by P from the right.
func exchangeColumnsBack(m int, x []float64, ldx int, swap []int) {
	n := len(swap)
	for i := range m {
		row := x[i*ldx : i*ldx+n]
		for k := n - 1; k >= 0; k-- {
			s := swap[k]
			row[k], row[s] = row[s], row[k]
		}
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

package lapack

import (
	"cmp"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/factor"
	"blskernel/internal/factor/lu"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

// LU is the factorization P A = L U of a square matrix with partial pivoting: P a permutation, L unit
// lower triangular with no element larger than 1 in magnitude, U upper triangular. The zero value is
// empty and ready for Factorize.
//
// A backend with a LAPACK of its own, such as openblas, does the work by that library. It sees the
// transpose of storage by rows, P Aᵀ = L U, so that A = Uᵀ Lᵀ P: pivots are then the largest elements
// left in their rows, not in their columns, and columns are interchanged. All methods mean the same and
// their results agree to rounding errors. The place at which a singular A fails may differ, and such a
// library may report subnormal pivots as an overflow.
//
// Methods that only read the factorization may be called from several goroutines at once.
type LU struct {
	Backend blskernel.Backend // of the next Factorize; nil stands for blskernel.Default()

	factorized bool
	backend    blskernel.Backend // that of Factorize
	lu         blas64.General    // L below the diagonal, U on and above it, or both transposed
	swap       []int             // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm      float64           // 1-norm of A
	base, nb   int               // block sizes of tests; 0 stands for those in use

	columnMajor backend.ColumnMajorLAPACK // the library that factored Aᵀ; nil where this package factored A
}

// transposed reports whether the factors are those of Aᵀ.
func (f *LU) transposed() bool { return f.columnMajor != nil }

// Dim returns n, and 0 for an empty receiver.
func (f *LU) Dim() int { return f.lu.Rows }

// Reset makes the receiver empty.
func (f *LU) Reset() { *f = LU{Backend: f.Backend, base: f.base, nb: f.nb} }

// Factorize computes P A = L U of a copy of a, in 2n³/3 flops.
//
// The error is a *PivotError that matches ErrSingular if a pivot is exactly zero, so that A is within
// rounding of a singular matrix. It is an *ElementError that matches ErrNotFinite if a holds NaN or an
// infinity, and a *PivotError that matches it if the elimination overflows. Factorize panics with
// mat.ErrSquare unless a is square. (LAPACK: dgetrf.)
func (f *LU) Factorize(a *mat.Dense) error { return f.factorize(a, false) }

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see In place in the
// package comment. The workspace is 48n numbers and some more, or n with a library's LAPACK.
func (f *LU) FactorizeInPlace(a *mat.Dense) error { return f.factorize(a, true) }

func (f *LU) factorize(a *mat.Dense, inPlace bool) error {
	const routine = "Dgetrf"
	raw := a.RawMatrix()
	n := raw.Rows
	checkSquare(n, raw.Cols)
	f.Reset()
	anorm := factor.Lange(factor.On(f.Backend), n, n, blockOf(raw))
	if !factor.IsFinite(anorm) { // which a sum of finite numbers need not be
		if err := checkFinite(f.Backend, routine, blas.All, raw, ErrNotFinite); err != nil {
			return err
		}
	}
	factors, swap := raw, make([]int, n)
	if !inPlace {
		factors = denseCopy(raw)
	}
	bk := backend.Begin(f.Backend, backend.Routine{Name: routine, M: n, N: n})
	var bad *factor.Pivot
	library, found := backend.ColumnMajor(bk)
	switch {
	case n == 0:
	case found:
		bad = lu.GetrfLibrary(library, n, blockOf(factors), swap)
	default:
		bad = lu.Getrf(factor.On(bk), cmp.Or(f.base, lu.GetrfBase), n, n, blockOf(factors), swap, false)
	}
	if bad != nil {
		return pivotError(routine, bad)
	}
	f.factorized, f.backend, f.lu, f.swap, f.anorm, f.columnMajor = true, f.Backend, factors, swap, anorm, library
	return nil
}

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁); see Cholesky.RCond.
// (LAPACK: dgecon.)
func (f *LU) RCond() float64 {
	mustHold(f.factorized)
	return rcond(f.backend, "Dgecon", f.Dim(), f.anorm, false, f.solve)
}

// SolveTo computes the n×m X with A X = B for the n×m b and writes it to dst, in 2n²m flops. See
// Solving in the package comment. (LAPACK: dgetrs.)
func (f *LU) SolveTo(dst, b *mat.Dense) error {
	mustHold(f.factorized)
	return solveTo(f.backend, "Dgetrs", blas.Left, f.Dim(), dst, b, f.solve)
}

// SolveTransTo computes the n×m X with AᵀX = B for the n×m b and writes it to dst, in 2n²m flops. See
// Solving in the package comment. (LAPACK: dgetrs.)
func (f *LU) SolveTransTo(dst, b *mat.Dense) error {
	mustHold(f.factorized)
	return solveTo(f.backend, "Dgetrs", blas.Left, f.Dim(), dst, b, func(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
		lu.Getrs(bk, side, blas.Trans, f.Dim(), nrhs, blockOf(f.lu), f.swap, f.transposed(), false, x)
	})
}

// SolveRowsTo computes the m×n X with X A = B for the m×n b and writes it to dst, in 2n²m flops: every
// row of b is a right-hand side of the system with Aᵀ, and nothing is transposed. See Solving in the
// package comment.
func (f *LU) SolveRowsTo(dst, b *mat.Dense) error {
	mustHold(f.factorized)
	return solveTo(f.backend, "Dgetrs", blas.Right, f.Dim(), dst, b, f.solve)
}

// solve is the solver of A.
func (f *LU) solve(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
	lu.Getrs(bk, side, blas.NoTrans, f.Dim(), nrhs, blockOf(f.lu), f.swap, f.transposed(), false, x)
}

// InverseTo writes A⁻¹ to dst, in 4n³/3 flops. Of the two residuals I - A⁻¹A is small, or I - A A⁻¹
// where the transpose was factored (see LU). See Inverses in the package comment. (LAPACK: dgetri.)
func (f *LU) InverseTo(dst *mat.Dense) error {
	mustHold(f.factorized)
	n := f.Dim()
	block.Reuse(dst, n, n, solveAliased)
	raw := dst.RawMatrix()
	block.Copy(blockOf(raw), blockOf(f.lu), n, n)
	return f.invert(raw)
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and empties the receiver, also when it
// returns an error. The workspace is 64n numbers, or 192n from n = 1500 on, which is 13% of the matrix
// at n = 1500 and 4% at n = 5000.
func (f *LU) InverseInPlace() (*mat.Dense, error) {
	mustHold(f.factorized)
	a := f.lu
	err := f.invert(a)
	f.Reset()
	if err != nil {
		return nil, err
	}
	return denseOn(a), nil
}

// invert overwrites the factors in a by A⁻¹.
func (f *LU) invert(a blas64.General) error {
	const routine = "Dgetri"
	n := a.Rows
	bk := backend.Begin(f.backend, backend.Routine{Name: routine, M: n, N: n})
	if n == 0 {
		return nil
	}
	x, s := blockOf(a), upscale(f.anorm)
	if f.transposed() {
		factor.Rescale(s, blas.Lower, n, n, x)
		lu.GetriLibrary(f.columnMajor, n, x, f.swap)
	} else {
		factor.Rescale(s, blas.Upper, n, n, x)
		nb := min(cmp.Or(f.nb, lu.GetriColumns(n)), n)
		lu.Getri(factor.On(bk), nb, n, x, f.swap, nil)
	}
	factor.Rescale(s, blas.All, n, n, x)
	return checkFinite(bk, routine, blas.All, a, ErrOverflow)
}

// LogDet returns log|det A| and the sign of det A: see Cholesky.LogDet.
func (f *LU) LogDet() (log, sign float64) {
	mustHold(f.factorized)
	p := unitProduct()
	for k, s := range f.swap {
		d := f.lu.Data[k*f.lu.Stride+k]
		if s != k {
			d = -d
		}
		p.multiply(d)
	}
	return p.log()
}

// LTo copies the lower triangular L of P A Q = L U to dst and returns it. Its diagonal has ones, except
// where a library factored the transpose (see LU): there that of U has them. See Factors in the package
// comment.
func (f *LU) LTo(dst *gonummat.TriDense) *gonummat.TriDense {
	mustHold(f.factorized)
	triangleTo(dst, gonummat.Lower, f.Dim(), blockOf(f.lu), !f.transposed())
	return dst
}

// UTo copies the upper triangular U of P A Q = L U to dst; see LTo.
func (f *LU) UTo(dst *gonummat.TriDense) {
	mustHold(f.factorized)
	triangleTo(dst, gonummat.Upper, f.Dim(), blockOf(f.lu), f.transposed())
}

// RowPivots returns the permutation P of P A Q = L U, as gonum's mat.LU does: row i of A is row p[i] of
// P A. P is the identity where a library factored the transpose (see LU). See Factors in the package
// comment.
func (f *LU) RowPivots(dst []int) []int { return f.pivots(dst, !f.transposed()) }

// ColumnPivots returns the permutation Q of P A Q = L U: column j of A is column q[j] of A Q. Q is the
// identity unless a library factored the transpose (see LU). See Factors in the package comment.
func (f *LU) ColumnPivots(dst []int) []int { return f.pivots(dst, f.transposed()) }

func (f *LU) pivots(dst []int, exchanged bool) []int {
	mustHold(f.factorized)
	swap := f.swap
	if !exchanged {
		swap = nil
	}
	return permutation(dst, f.Dim(), swap)
}

// SolveVecTo computes the x with A x = b, or Aᵀx = b if trans is set, and writes it to dst, as SolveTo
// does for a matrix of one column. b may have any type, and may overlap dst.
func (f *LU) SolveVecTo(dst *gonummat.VecDense, trans bool, b gonummat.Vector) error {
	mustHold(f.factorized)
	if trans {
		return solveVecTo(dst, f.Dim(), b, f.SolveTransTo)
	}
	return solveVecTo(dst, f.Dim(), b, f.SolveTo)
}

package lapack

import (
	"cmp"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/condition"
	"blskernel/internal/linalg/factor/lu"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

// LU is the factorization P A = L U of a square matrix with partial pivoting: P is a permutation, L is
// unit lower triangular with no element larger than 1 in magnitude, and U is upper triangular. The zero
// value is empty and ready for Factorize.
//
// On a backend with its own LAPACK, such as openblas, that library does the work. It reads row-major
// storage as the transpose and factors P Aᵀ = L U, so that A = Uᵀ Lᵀ P. Pivots are then the largest
// elements left in their rows, not in their columns, and columns are interchanged. All methods keep
// their meaning; solutions and inverses agree up to rounding. A singular A may fail at another pivot.
// OpenBLAS multiplies by reciprocals of pivots, and of r_ii in QR and SolveTriangular. The reciprocal
// of a number up to 2⁻¹⁰²⁴ is infinite: the solution then overflows, and RCond is 0.
//
// Methods that only read the factorization may be called from several goroutines at once.
type LU struct {
	Backend blskernel.Backend // for the next Factorize; nil stands for blskernel.Default()

	MaxCondition float64 // limit of the condition number: see Cholesky

	factored
	lu       blas64.General // L below the diagonal, U on and above it, or both transposed
	swap     []int          // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm    float64        // 1-norm of A
	growth   float64        // max |u_ij| / max |a_ij|
	original blas64.General // a copy of A if growth > maxGrowth, unless factored in place
	base, nb int            // block sizes set by tests; 0 stands for the defaults

	columnMajor backend.ColumnMajorLAPACK // the library if it factored Aᵀ, otherwise nil
}

func (f *LU) transposed() bool { return f.columnMajor != nil }

// Dim returns the order n, or 0 for an empty receiver.
func (f *LU) Dim() int { return f.lu.Rows }

// Reset makes the receiver empty.
func (f *LU) Reset() {
	*f = LU{Backend: f.Backend, MaxCondition: f.MaxCondition, base: f.base, nb: f.nb}
}

// maxGrowth is the growth above which solutions are refined; a growth of 1e5 costs five of 16 digits.
const maxGrowth = 1e5

// Factorize factors a copy of a as P A = L U, in 2n³/3 flops.
//
// The error is a *PivotError that matches ErrSingular if a pivot is exactly zero, so that A is within
// rounding of a singular matrix. The error matches ErrNotFinite if a holds NaN or an infinity (an
// *ElementError), or if the elimination overflows (a *PivotError). Factorize panics with mat.ErrSquare
// unless a is square. (LAPACK: dgetrf.)
//
// If elements grow by a factor of more than 10⁵ during the elimination (see Growth), Factorize also
// keeps a copy of A. All solutions and the inverse are then refined until their backward errors stop
// decreasing. A result whose backward error stays above 10⁵u comes with a *GrowthError, unless it comes
// with a *ConditionError, which says more.
func (f *LU) Factorize(a *mat.Dense) error { return f.factorize(a, false) }

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see Storage in the
// package comment. The workspace is slightly more than 48n numbers, or n if a library's LAPACK does the
// work. A is not kept: if elements grow by a factor of more than 10⁵, FactorizeInPlace returns a
// *GrowthError, as do solves and inverses. The factorization is still usable.
func (f *LU) FactorizeInPlace(a *mat.Dense) error { return f.factorize(a, true) }

func (f *LU) factorize(a *mat.Dense, inPlace bool) error {
	const routine = "Dgetrf"
	raw := a.RawMatrix()
	n := raw.Rows
	checkSquare(n, raw.Cols)
	f.Reset()
	on := factor.On(f.Backend)
	anorm, size := factor.Lange(on, n, n, blockOf(raw))
	if !factor.IsFinite(anorm) { // a sum of finite numbers may overflow: look at the elements
		if err := checkFinite(on, routine, blas.All, raw, ErrNotFinite); err != nil {
			return err
		}
	}
	factors, swap := raw, make([]int, n)
	if !inPlace {
		factors = denseCopy(raw)
	}
	bk := announce(f.Backend, routine, n, n, 0)
	library, found := backend.ColumnMajor(bk.Backend)
	switch {
	case n == 0:
	case found:
		lu.GetrfLibrary(library, n, blockOf(factors), swap)
	default:
		lu.Getrf(bk, cmp.Or(f.base, lu.GetrfBase), n, n, blockOf(factors), swap)
	}
	if bad := lu.BadPivot(n, blockOf(factors)); bad != nil {
		return pivotError(routine, bad)
	}
	f.backend, f.rcond = f.Backend, new(lazy[float64])
	f.lu, f.swap, f.anorm, f.columnMajor = factors, swap, anorm, library
	upper := blas.Upper
	if f.transposed() {
		upper = blas.Lower
	}
	f.growth = 1
	if n > 0 {
		f.growth = factor.Largest(on, upper, n, blockOf(factors)) / size
	}
	if f.growth > maxGrowth && !inPlace {
		f.original = denseCopy(raw)
	}
	return f.grown(routine, 0)
}

// RCond returns the estimated reciprocal condition number: see Cholesky. (LAPACK: dgecon.)
func (f *LU) RCond() float64 {
	f.mustHold()
	return f.rcond.get(func() float64 {
		solve := func(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
			f.solve(bk, side, blas.NoTrans, nrhs, x)
		}
		return rcond(f.backend, "Dgecon", f.Dim(), f.anorm, false, solve)
	})
}

// Growth returns the growth factor of the elimination, max |u_ij| / max |a_ij|, and 1 for n = 0. In
// practice the backward error of a solution is below about n eps times this factor. Higham, Accuracy
// and Stability of Numerical Algorithms, section 9.3, has the rigorous bound. The factor is seldom
// above 100, and at most 2ⁿ⁻¹. (LAPACK: 1/work(1) of dgesvx.)
func (f *LU) Growth() float64 {
	f.mustHold()
	return f.growth
}

// grown returns a *GrowthError if the growth is above maxGrowth and A was not kept, or if backward, the
// backward error after refinement, is above maxGrowth u.
func (f *LU) grown(routine string, backward float64) error {
	if f.growth > maxGrowth && f.original.Data == nil || backward > maxGrowth*factor.Roundoff {
		return &GrowthError{Routine: routine, Growth: f.growth, Backward: backward}
	}
	return nil
}

// SolveTo computes the solution X of A X = B, where B is the n×m matrix b, and writes X to dst, in 2n²m
// flops. See Solving in the package comment. (LAPACK: dgetrs.)
func (f *LU) SolveTo(dst, b *mat.Dense) error { return f.solveTo(blas.Left, blas.NoTrans, dst, b) }

// SolveTransTo is SolveTo for AᵀX = B. (LAPACK: dgetrs.)
func (f *LU) SolveTransTo(dst, b *mat.Dense) error { return f.solveTo(blas.Left, blas.Trans, dst, b) }

// SolveRowsTo computes the solution X of X A = B in 2n²m flops: see Cholesky.SolveRowsTo. Every row of
// b is a right-hand side of the system with Aᵀ.
func (f *LU) SolveRowsTo(dst, b *mat.Dense) error {
	return f.solveTo(blas.Right, blas.NoTrans, dst, b)
}

func (f *LU) solveTo(side blas.Side, t blas.Transpose, dst, b *mat.Dense) error {
	const routine = "Dgetrs"
	f.mustHold()
	backward := 0.0
	solve := func(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
		backward = max(backward, f.solve(bk, side, t, nrhs, x))
	}
	if err := solveTo(f.backend, routine, side, f.Dim(), dst, b, solve); err != nil {
		return err
	}
	return cmp.Or(checkCondition(routine, f.MaxCondition, f.RCond), f.grown(routine, backward))
}

// getrs overwrites x with op(A)⁻¹x, or x op(A)⁻¹, without refinement. op(A) is Aᵀ if t is blas.Trans
// and A otherwise.
func (f *LU) getrs(bk factor.Backend, side blas.Side, t blas.Transpose, nrhs int, x block.Matrix) {
	lu.Getrs(bk, side, t, f.Dim(), nrhs, blockOf(f.lu), f.swap, f.transposed(), false, x)
}

// solve is getrs, but refines the solution if A was kept, and returns the largest backward error left.
func (f *LU) solve(bk factor.Backend, side blas.Side, t blas.Transpose, nrhs int, x block.Matrix) (backward float64) {
	if f.original.Data == nil {
		f.getrs(bk, side, t, nrhs, x)
		return 0
	}
	n := f.Dim()
	columns := blas64.General{Rows: n, Cols: nrhs, Stride: x.Ld, Data: x.X}
	if side == blas.Right { // X op(A) = B by op(A)ᵀXᵀ = Bᵀ
		t = block.Other(t)
		columns = transposed(blas64.General{Rows: nrhs, Cols: n, Stride: x.Ld, Data: x.X})
	}
	b, a := denseCopy(columns), f.original
	if t == blas.Trans {
		a = transposed(a)
	}
	solve := f.solver(t)
	solve(bk, blas.Left, nrhs, blockOf(columns))
	r := condition.Gerfs{Backend: bk, N: n, A: blockOf(a), Solve: solve}
	backward = r.Improve(columns, b)
	if side == blas.Right {
		block.CopyTransposed(x, blockOf(columns), n, nrhs)
	}
	return backward
}

// solver returns getrs for op(A).
func (f *LU) solver(t blas.Transpose) solver {
	return func(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) { f.getrs(bk, side, t, nrhs, x) }
}

// InverseTo writes A⁻¹ to dst, in 4n³/3 flops. For the computed inverse X, the residual I - X A is
// small or, if a library factored the transpose (see LU), I - A X. See Inverses in the package comment.
// (LAPACK: dgetri.)
func (f *LU) InverseTo(dst *mat.Dense) error {
	f.mustHold()
	n := f.Dim()
	block.Reuse(dst, n, n, solveAliased)
	raw := dst.RawMatrix()
	block.Copy(blockOf(raw), blockOf(f.lu), n, n)
	return f.invert(raw)
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and empties the receiver, even if it
// returns an error. A *ConditionError or a *GrowthError comes with the inverse. The workspace is 64n
// numbers, or 192n from n = 1500 on. But if Factorize kept a copy of A, the inverse is refined in new
// storage, with several n×n matrices as workspace.
func (f *LU) InverseInPlace() (*mat.Dense, error) {
	f.mustHold()
	a := f.lu
	if f.original.Data != nil {
		a = denseCopy(a) // refinement needs the factors
	}
	err := f.invert(a)
	f.Reset()
	if !withResult(err) {
		return nil, err
	}
	return denseOn(a), err
}

func (f *LU) invert(a blas64.General) error {
	const routine = "Dgetri"
	n := a.Rows
	bk := announce(f.backend, routine, n, n, 0)
	if n == 0 {
		return nil
	}
	x, s, backward := blockOf(a), upscale(f.anorm), 0.0
	switch {
	case f.original.Data != nil:
		side := blas.Right // X A = I
		if f.transposed() {
			side = blas.Left
		}
		factor.Identity(n, x)
		backward = f.solve(bk, side, blas.NoTrans, n, x)
	case f.transposed():
		factor.Rescale(s, blas.Lower, n, n, x)
		lu.GetriLibrary(f.columnMajor, n, x, f.swap)
		factor.Rescale(s, blas.All, n, n, x)
	default:
		factor.Rescale(s, blas.Upper, n, n, x)
		nb := min(cmp.Or(f.nb, lu.GetriColumns(n)), n)
		lu.Getri(bk, nb, n, x, f.swap, nil)
		factor.Rescale(s, blas.All, n, n, x)
	}
	if err := checkFinite(bk, routine, blas.All, a, ErrOverflow); err != nil {
		return err
	}
	err := checkInverseCondition(routine, f.MaxCondition, f.anorm, n,
		func() float64 { return factor.Largest(bk, blas.All, n, x) },
		func() float64 { norm, _ := factor.Lange(bk, n, n, x); return norm })
	return cmp.Or(err, f.grown(routine, backward))
}

// LogDet returns log|det A| and the sign of det A: see Cholesky.LogDet.
func (f *LU) LogDet() (log, sign float64) {
	f.mustHold()
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

// LTo copies the lower triangular L of P A Q = L U to dst and returns dst. Q is the identity and L has
// a unit diagonal. If a library factored the transpose (see LU), P is the identity instead, and U has
// the unit diagonal. See Factors in the package comment.
func (f *LU) LTo(dst *gonummat.TriDense) *gonummat.TriDense {
	f.mustHold()
	triangleTo(dst, gonummat.Lower, f.Dim(), blockOf(f.lu), !f.transposed())
	return dst
}

// UTo copies the upper triangular U of P A Q = L U to dst; see LTo.
func (f *LU) UTo(dst *gonummat.TriDense) {
	f.mustHold()
	triangleTo(dst, gonummat.Upper, f.Dim(), blockOf(f.lu), f.transposed())
}

// RowPivots returns the permutation P of P A Q = L U, as in gonum: row i of A is row p[i] of P A. P is
// the identity if a library factored the transpose (see LU). See Factors in the package comment.
func (f *LU) RowPivots(dst []int) []int { return f.pivots(dst, !f.transposed()) }

// ColumnPivots returns the permutation Q of P A Q = L U: column j of A is column q[j] of A Q. Q is the
// identity unless a library factored the transpose (see LU). See Factors in the package comment.
func (f *LU) ColumnPivots(dst []int) []int { return f.pivots(dst, f.transposed()) }

func (f *LU) pivots(dst []int, exchanged bool) []int {
	f.mustHold()
	swap := f.swap
	if !exchanged {
		swap = nil
	}
	return permutation(dst, f.Dim(), swap)
}

// SolveVecTo writes the solution x of op(A) x = b to dst, like SolveTo for a single column. op(A) is Aᵀ
// if trans is set and A otherwise. b may be any Vector, and may overlap dst.
func (f *LU) SolveVecTo(dst *gonummat.VecDense, trans bool, b gonummat.Vector) error {
	f.mustHold()
	if trans {
		return solveVecTo(dst, f.Dim(), b, f.SolveTransTo)
	}
	return solveVecTo(dst, f.Dim(), b, f.SolveTo)
}

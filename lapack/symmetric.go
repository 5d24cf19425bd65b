package lapack

import (
	"cmp"
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/cholesky"
	"blskernel/internal/linalg/factor/ldlt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// A symmetric has the fields and methods that Cholesky and LDLT share: the factorization P A Pᵀ =
// Uᵀ D U of a symmetric matrix in packed storage. For Cholesky P and D are the identity.
type symmetric struct {
	factored
	routines *routines
	n        int
	u        []float64      // U, packed by rows; with LDLT its diagonal is ones
	d        *ldlt.Diagonal // D, or nil for Cholesky
	swap     []int          // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm    float64        // 1-norm of A
	nb       int            // block size set by tests, at least 2 with LDLT; 0 for the default
}

// routines holds LAPACK's names for the methods of a factorization.
type routines struct{ factorize, solve, invert, rcond, refine string }

func packedCopy(a *mat.SymPacked) *mat.SymPacked {
	return mat.NewSymPacked(a.SymmetricDim(), slices.Clone(a.RawSymPacked().Data))
}

// factorize empties the receiver, checks a, and calls run to overwrite the storage of a with U.
func (f *symmetric) factorize(b0 blskernel.Backend, names *routines, a *mat.SymPacked, run func(bk factor.Backend, n int, ap []float64) error) error {
	f.Reset()
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	on := factor.On(b0)
	anorm := factor.Lansy(on, n, block.Packed(n, ap, 0, 0))
	if !factor.IsFinite(anorm) { // a sum of finite numbers may overflow: look at the elements
		if err := checkFinitePacked(on, names.factorize, n, ap, ErrNotFinite); err != nil {
			return err
		}
	}
	if err := run(announce(b0, names.factorize, n, n, 0), n, ap); err != nil {
		f.Reset()
		return err
	}
	f.routines, f.backend, f.n, f.u, f.anorm = names, b0, n, ap, anorm
	f.rcond = new(lazy[float64])
	return nil
}

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁), between 0 and 1, and 1 for
// order zero. The first call, or the first solve that needs it, computes the estimate in about 10n²
// flops and keeps it. The estimate of ‖A⁻¹‖₁ is a lower bound: up to rounding, the result is at least
// the true value and rarely more than three times as large. It is 0 if ‖A‖₁ overflows. (LAPACK: dppcon,
// dspcon.)
func (f *symmetric) RCond() float64 {
	f.mustHold()
	return f.rcond.get(func() float64 { return rcond(f.backend, f.routines.rcond, f.n, f.anorm, true, f.solve) })
}

// Dim returns the order n, or 0 for an empty receiver.
func (f *symmetric) Dim() int { return f.n }

// Reset makes the receiver empty.
func (f *symmetric) Reset() { *f = symmetric{nb: f.nb} }

// solveTo is SolveTo for blas.Left and SolveRowsTo for blas.Right; limit is the type's MaxCondition.
func (f *symmetric) solveTo(limit float64, side blas.Side, dst, b *mat.Dense) error {
	f.mustHold()
	if err := solveTo(f.backend, f.routines.solve, side, f.n, dst, b, f.solve); err != nil {
		return err
	}
	return checkCondition(f.routines.solve, limit, f.RCond)
}

// Solver returns a function that overwrites x, of length n, with A⁻¹x, for many solves with one vector
// each. The function reads the receiver, which must not change. A blsupdate.Counter counts all calls of
// the function as one RCond. If a solution overflows, x is not finite. Solver panics if the receiver is
// empty; the function panics with mat.ErrSliceLengthMismatch if x has the wrong length.
func (f *symmetric) Solver() func(x []float64) {
	f.mustHold()
	bk := announce(f.backend, f.routines.rcond, f.n, f.n, 0)
	return func(x []float64) {
		require(len(x) == f.n, gonummat.ErrSliceLengthMismatch)
		f.solve(bk, blas.Left, 1, block.Dense(x, 1))
	}
}

func (f *symmetric) solve(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
	if f.d == nil {
		cholesky.Potrs(bk, side, blas.Upper, f.n, nrhs, f.upper(), x)
	} else {
		ldlt.Sytrs(bk, side, f.n, nrhs, f.upper(), f.d, f.swap, x)
	}
}

func (f *symmetric) upper() block.Matrix { return block.Packed(f.n, f.u, 0, 0) }

// UTo copies the upper triangular U to dst; see Factors in the package comment.
func (f *symmetric) UTo(dst *gonummat.TriDense) {
	f.mustHold()
	triangleTo(dst, gonummat.Upper, f.n, f.upper(), f.d != nil)
}

// base returns the order up to which triangles are factored and inverted in a workspace.
func (f *symmetric) base() int { return cmp.Or(f.nb, factor.Base) }

func (f *symmetric) inverseTo(limit float64, dst *mat.SymPacked) error {
	f.mustHold()
	dst.CopySym(mat.NewSymPacked(f.n, f.u))
	return f.invert(limit, dst.RawSymPacked().Data)
}

func (f *symmetric) inverseInPlace(limit float64) (*mat.SymPacked, error) {
	f.mustHold()
	n, ap := f.n, f.u
	err := f.invert(limit, ap)
	f.Reset()
	if !withResult(err) {
		return nil, err
	}
	return mat.NewSymPacked(n, ap), err
}

func (f *symmetric) invert(limit float64, ap []float64) error {
	bk := announce(f.backend, f.routines.invert, f.n, f.n, 0)
	a, s := block.Packed(f.n, ap, 0, 0), upscale(f.anorm)
	if f.d == nil {
		factor.Rescale(math.Sqrt(s), blas.Upper, f.n, f.n, a)
		cholesky.Potri(bk, blas.Upper, f.base(), f.n, a)
	} else {
		ldlt.Sytri(bk, f.base(), f.n, a, f.d.Rescaled(s), f.swap)
	}
	factor.Rescale(s, blas.Upper, f.n, f.n, a)
	if err := checkFinitePacked(bk, f.routines.invert, f.n, ap, ErrOverflow); err != nil {
		return err
	}
	return checkInverseCondition(f.routines.invert, limit, f.anorm, f.n,
		func() float64 { _, size := bk.AbsMax(ap); return size },
		func() float64 { return factor.Lansy(bk, f.n, a) })
}

package lapack

import (
	"cmp"
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/factor"
	"blskernel/internal/factor/cholesky"
	"blskernel/internal/factor/ldlt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// A symmetric is the factorization P A Pᵀ = Uᵀ D U of a symmetric matrix in packed storage, where P and
// D are the identity for Cholesky: what Cholesky and LDLT have in common.
type symmetric struct {
	routines *routines         // nil if the receiver is empty
	backend  blskernel.Backend // that of Factorize
	n        int
	u        []float64      // U, packed by rows; with LDLT its diagonal is ones
	d        *ldlt.Diagonal // D, or nil for Cholesky
	swap     []int          // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm    float64        // 1-norm of A
	nb       int            // block size of tests, at least 2 with LDLT; 0 for the default
}

// routines are LAPACK's names of what a factorization does.
type routines struct{ factorize, solve, invert, rcond, refine string }

// factorize empties the receiver, checks a, and lets run overwrite its storage or a copy by U.
func (f *symmetric) factorize(b0 blskernel.Backend, names *routines, a *mat.SymPacked, inPlace bool, run func(bk factor.Backend, n int, ap []float64) error) error {
	f.Reset()
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	anorm := factor.Lansy(factor.On(b0), n, block.Packed(n, ap, 0, 0))
	if !factor.IsFinite(anorm) { // a sum of finite numbers may overflow: look at the elements
		if err := checkFinitePacked(b0, names.factorize, n, ap, ErrNotFinite); err != nil {
			return err
		}
	}
	if !inPlace {
		ap = slices.Clone(ap)
	}
	bk := backend.Begin(b0, backend.Routine{Name: names.factorize, M: n, N: n})
	if err := run(factor.On(bk), n, ap); err != nil {
		f.Reset()
		return err
	}
	f.routines, f.backend, f.n, f.u, f.anorm = names, b0, n, ap, anorm
	return nil
}

// Dim returns n, and 0 for an empty receiver.
func (f *symmetric) Dim() int { return f.n }

// Reset makes the receiver empty.
func (f *symmetric) Reset() { *f = symmetric{nb: f.nb} }

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁), between 0 and 1 up to
// rounding, and 1 for n = 0: for a multiple of the identity it may be a few eps above 1, as that of
// LAPACK. The estimate of ‖A⁻¹‖₁ is a lower bound. So the result is at least the true reciprocal
// condition number, up to rounding, and rarely more than three times it. It is 0 where ‖A‖₁ itself
// overflows. It takes about 10n² flops. (LAPACK: dppcon, dspcon.)
func (f *symmetric) RCond() float64 {
	mustHold(f.routines != nil)
	return rcond(f.backend, f.routines.rcond, f.n, f.anorm, true, f.solve)
}

// Solver returns a function that overwrites x, of length n, by A⁻¹x, for many products with one vector.
// A blsupdate.Counter counts all its calls as one RCond. If a product overflows, x is not finite.
// Solver panics if the receiver is empty, and the function with mat.ErrSliceLengthMismatch if x has
// another length.
func (f *symmetric) Solver() func(x []float64) {
	mustHold(f.routines != nil)
	bk := factor.On(backend.Begin(f.backend, backend.Routine{Name: f.routines.rcond, M: f.n, N: f.n}))
	return func(x []float64) {
		checkLength(x, f.n)
		f.solve(bk, blas.Left, 1, block.Dense(x, 1))
	}
}

// SolveTo computes the n×m X with A X = B for the n×m b and writes it to dst, in 2n²m flops. See
// Solving in the package comment. (LAPACK: dpptrs, dsptrs.)
func (f *symmetric) SolveTo(dst, b *mat.Dense) error {
	mustHold(f.routines != nil)
	return solveTo(f.backend, f.routines.solve, blas.Left, f.n, dst, b, f.solve)
}

// SolveRowsTo computes the m×n X with X A = B for the m×n b and writes it to dst, in 2n²m flops: every
// row of b is a right-hand side, and nothing is transposed. See Solving in the package comment.
func (f *symmetric) SolveRowsTo(dst, b *mat.Dense) error {
	mustHold(f.routines != nil)
	return solveTo(f.backend, f.routines.solve, blas.Right, f.n, dst, b, f.solve)
}

// solve is the solver of A.
func (f *symmetric) solve(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
	if f.d == nil {
		cholesky.Potrs(bk, side, blas.Upper, f.n, nrhs, f.upper(), x)
	} else {
		ldlt.Sytrs(bk, side, f.n, nrhs, f.upper(), f.d, f.swap, x)
	}
}

// upper returns U as a block.
func (f *symmetric) upper() block.Matrix { return block.Packed(f.n, f.u, 0, 0) }

// base returns the order up to which triangles are done in a workspace.
func (f *symmetric) base() int { return cmp.Or(f.nb, factor.Base) }

// SolveVecTo computes the x with A x = b and writes it to dst, as SolveTo does for a matrix of one
// column. b may have any type, and may overlap dst.
func (f *symmetric) SolveVecTo(dst *gonummat.VecDense, b gonummat.Vector) error {
	mustHold(f.routines != nil)
	return solveVecTo(dst, f.n, b, f.SolveTo)
}

// UTo copies the upper triangular U to dst, which for LDLT has ones on its diagonal; see Factors in the
// package comment.
func (f *symmetric) UTo(dst *gonummat.TriDense) {
	mustHold(f.routines != nil)
	triangleTo(dst, gonummat.Upper, f.n, f.upper(), f.d != nil)
}

// InverseTo writes A⁻¹ to dst, in 2n³/3 flops. See Inverses in the package comment. (LAPACK: dpptri for
// Cholesky and dsptri for LDLT, in blocks.)
func (f *symmetric) InverseTo(dst *mat.SymPacked) error {
	mustHold(f.routines != nil)
	dst.CopySym(mat.NewSymPacked(f.n, f.u))
	return f.invert(dst.RawSymPacked().Data)
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and empties the receiver, also when it
// returns an error. The workspace is two blocks of at most 128×136 numbers beside the buffers of the
// backend; a backend without products of packed blocks takes 400n more.
func (f *symmetric) InverseInPlace() (*mat.SymPacked, error) {
	mustHold(f.routines != nil)
	n, ap := f.n, f.u
	err := f.invert(ap)
	f.Reset()
	if err != nil {
		return nil, err
	}
	return mat.NewSymPacked(n, ap), nil
}

// invert overwrites the factor in ap by the inverse.
func (f *symmetric) invert(ap []float64) error {
	bk := backend.Begin(f.backend, backend.Routine{Name: f.routines.invert, M: f.n, N: f.n})
	on, a, s := factor.On(bk), block.Packed(f.n, ap, 0, 0), upscale(f.anorm)
	if f.d == nil {
		factor.Rescale(math.Sqrt(s), blas.Upper, f.n, f.n, a)
		cholesky.Potri(on, blas.Upper, f.base(), f.n, a)
	} else {
		ldlt.Sytri(on, f.base(), f.n, a, f.d.Rescaled(s), f.swap)
	}
	factor.Rescale(s, blas.Upper, f.n, f.n, a)
	return checkFinitePacked(bk, f.routines.invert, f.n, ap, ErrOverflow)
}

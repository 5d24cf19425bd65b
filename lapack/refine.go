package lapack

import (
	"fmt"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/condition"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// ErrorBounds holds bounds on the errors of a solution X of A X = B, one for each column x.
type ErrorBounds struct {
	// Backward is the componentwise relative backward error (Oettli and Prager, Numer. Math. 6,
	// 1964; Higham, Accuracy and Stability, theorem 7.3): the least ω for which x solves a system
	// (A + E) x = b + f exactly with |E| <= ω|A| and |f| <= ω|b| in every element,
	//
	//	ω = max_i |b - A x|_i / (|A||x| + |b|)_i.
	//
	// A small ω says more than a small ‖b - A x‖: x is as accurate as data with relative errors of
	// ω allow, small elements included. A row 0 = 0 does not count (LAPACK counts it as 1). If
	// underflow may have spoiled a denominator, (n+1)2⁻¹⁰⁷⁴ is added to it and to its numerator. ω
	// is +Inf if the residual, or |A||x| + |b|, overflows.
	Backward []float64

	// Forward is an estimated bound on max_i |x - x*|_i / max_i |x|_i for the exact solution x*:
	//
	//	‖ |A⁻¹| (|r| + (n+1) u (|A||x| + |b|)) ‖∞ / ‖x‖∞,   r = b - A x as computed, u = 2⁻⁵³.
	//
	// The second term covers the rounding errors of r (Higham, section 7.7; Arioli, Demmel and
	// Duff, SIAM J. Matrix Anal. Appl. 10, 1989). Unlike eps/RCond it does not grow when rows of A
	// are badly scaled. The estimate is rarely below a third of the norm; the bound is usually ten
	// or more times the error. It is +Inf if it overflows, or if x = 0 and b is not zero.
	Forward []float64
}

// Refine improves the n×c solution x of A X = B from SolveTo by one step of iterative refinement,
//
//	R = B - A X,   X = X + A⁻¹R,
//
// and returns bounds on its errors. a is the matrix that was factored and b the n×c right-hand sides;
// Refine only reads them, and x must not overlap them. It changes a column of x only if the step
// reduces the column's componentwise backward error and that error was above u = 2⁻⁵³. Calls may be
// repeated until x no longer changes.
//
// One step makes a normwise backward stable solver componentwise backward stable (Skeel, Math. Comp.
// 35, 1980; Higham, theorem 12.4). If ‖|A| |A⁻¹|‖∞ times the ratio of the largest to the smallest
// element of |A||x| is below 1/(f u), where f depends only on the solver and n, then
// |b - A x| <= 2(n+1)u |A||x|, to first order. Refinement pays if rows of A or B are badly scaled, or
// if the elements of U or D have grown. Otherwise it confirms that the first solution was already good.
//
// The residuals and the step take 10n²c flops. The bounds take about five solves of 2n²c flops, each
// with all c right-hand sides. The workspace is 256n + 7n·min(c, 256) numbers.
//
// The error is an *ElementError that matches ErrNotFinite, wrapped with the name of the matrix, if a, b
// or x holds NaN or an infinity; x is then unchanged. Refine panics with mat.ErrShape if the shapes do
// not fit. It also panics if the receiver is empty, or if x shares elements with a or b or is
// interleaved with them at another stride. (LAPACK: dpprfs, dsprfs, which take up to five steps.)
func (f *symmetric) Refine(x *mat.Dense, a *mat.SymPacked, b *mat.Dense) (ErrorBounds, error) {
	f.mustHold()
	checkShape(a.SymmetricDim() == f.n)
	ap := a.RawSymPacked().Data
	r := condition.Gerfs{N: f.n, A: block.Packed(f.n, ap, 0, 0), Solve: f.solve}
	return refine(f.backend, f.routines.refine, r, x, block.Storage(ap), b)
}

// Refine improves the solution x of A X = B by one step of iterative refinement and returns bounds on
// its errors. a is the square matrix that was factored and b the right-hand sides. Sizes, flops, errors
// and panics are as for Cholesky.Refine. (LAPACK: dgerfs.)
func (f *LU) Refine(x, a, b *mat.Dense) (ErrorBounds, error) {
	f.mustHold()
	n, raw := f.Dim(), a.RawMatrix()
	checkShape(raw.Rows == n && raw.Cols == n)
	r := condition.Gerfs{N: n, A: blockOf(raw), Solve: f.solver(blas.NoTrans)}
	return refine(f.backend, "Dgerfs", r, x, raw, b)
}

// refine implements both Refine methods: it reports the routine to the backend, checks the arguments,
// and refines x. r holds A and its solver; a is the storage of A, for the check for overlaps.
func refine(bk blskernel.Backend, routine string, r condition.Gerfs, x *mat.Dense, a blas64.General, b *mat.Dense) (ErrorBounds, error) {
	rows, nrhs := b.Dims()
	xr, xc := x.Dims()
	checkShape(rows == r.N && xr == r.N && xc == nrhs)
	rx, rb := x.RawMatrix(), b.RawMatrix()
	require(!block.Overlap(rx, rb) && !block.Overlap(rx, a), refineAliased)
	r.Backend = announce(bk, routine, r.N, r.N, nrhs)
	if r.N == 0 || nrhs == 0 {
		return ErrorBounds{}, nil
	}
	stored := blas.All
	if r.A.Packed {
		stored = blas.Upper
	}
	for _, operand := range []struct {
		name string
		err  error
	}{
		{"A", elementError(routine, factor.NotFinite(r.Backend, stored, r.N, r.N, r.A), ErrNotFinite)},
		{"B", checkFinite(r.Backend, routine, blas.All, rb, ErrNotFinite)},
		{"X", checkFinite(r.Backend, routine, blas.All, rx, ErrNotFinite)},
	} {
		if operand.err != nil {
			return ErrorBounds{}, fmt.Errorf("matrix %s: %w", operand.name, operand.err)
		}
	}
	bounds := ErrorBounds{Backward: make([]float64, nrhs), Forward: make([]float64, nrhs)}
	r.Refine(rx, rb, bounds.Backward, bounds.Forward)
	return bounds, nil
}

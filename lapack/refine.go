package lapack

import (
	"fmt"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/condition"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// ErrorBounds holds bounds on the errors of a solution X of A X = B: one number for each column x and
// its right-hand side b.
type ErrorBounds struct {
	// Backward is the componentwise relative backward error (Oettli and Prager, Numer. Math. 6,
	// 1964; Higham, Accuracy and Stability, theorem 7.3): the least ω for which x solves a system
	// (A + E) x = b + f exactly with |E| <= ω|A| and |f| <= ω|b| in every element,
	//
	//	ω = max_i |b - A x|_i / (|A||x| + |b|)_i.
	//
	// A small ω says more than a small ‖b - A x‖: x is as good as data of relative accuracy ω
	// deserve, small elements included. A row 0 = 0 does not count (LAPACK counts it as 1). Where
	// underflow may have spoilt a denominator, (n+1)2⁻¹⁰⁷⁴ is added to it and to its numerator. ω
	// is +Inf where the residual, or |A||x| + |b|, overflows.
	Backward []float64

	// Forward is an estimated bound on max_i |x - x*|_i / max_i |x|_i, where x* is the exact
	// solution,
	//
	//	‖ |A⁻¹| (|r| + (n+1) u (|A||x| + |b|)) ‖∞ / ‖x‖∞,   r = b - A x as computed, u = 2⁻⁵³,
	//
	// whose second term covers the rounding errors of r (Higham, section 7.7; Arioli, Demmel and
	// Duff, SIAM J. Matrix Anal. Appl. 10, 1989). Unlike eps/RCond it does not grow when rows of A
	// are badly scaled. The estimate of the norm is rarely below a third of it; the bound is ten
	// times the error and more. It is +Inf where it overflows, and for x = 0 where b is not zero.
	Forward []float64
}

// Refine improves the n×c x, a solution of A X = B from SolveTo, by one step of iterative refinement,
//
//	R = B - A X,   X = X + A⁻¹R,
//
// and returns bounds on its errors. a is the matrix that was factored and b the n×c right-hand sides;
// Refine only reads them, and x must not overlap them. It changes a column of x only if its
// componentwise backward error is above u = 2⁻⁵³ and the step makes it smaller. Calls may be repeated
// until nothing changes.
//
// One step makes a solver that is backward stable in norm so in every component (Skeel, Math. Comp. 35,
// 1980; Higham, theorem 12.4): if ‖|A| |A⁻¹|‖∞ times the largest over the smallest element of |A||x| is
// below 1/(f u), with an f of the solver and n only, then |b - A x| <= 2(n+1)u |A||x|, to first order.
// It pays where rows of A or B are badly scaled, or the elements of U or D have grown. Otherwise it
// confirms that the first solution was already as good.
//
// It takes 10n²c flops for the residuals and the step and, for the bounds, some five solves of 2n²c,
// all with c right-hand sides at once, and a workspace of 256n + 7n·min(c, 256) numbers.
//
// The error is an *ElementError that matches ErrNotFinite, wrapped with the name of the matrix, if a, b
// or x hold NaN or an infinity; x is then unchanged. Refine panics with mat.ErrShape if the shapes do
// not fit, if x shares elements with a or b or lies between elements of a matrix with another stride,
// and if the receiver is empty. (LAPACK: dpprfs, dsprfs, which take up to five steps.)
func (f *symmetric) Refine(x *mat.Dense, a *mat.SymPacked, b *mat.Dense) (ErrorBounds, error) {
	f.mustHold()
	checkShape(a.SymmetricDim() == f.n)
	ap := a.RawSymPacked().Data
	r := condition.Gerfs{N: f.n, A: block.Packed(f.n, ap, 0, 0), Solve: f.solve}
	return refine(f.backend, f.routines.refine, r, x, block.Storage(ap), b)
}

// Refine improves the solution x of A X = B, for the square a that was factored and the right-hand
// sides b, by one step of iterative refinement, and returns bounds on its errors: see Cholesky.Refine,
// whose sizes, flops, errors and panics it has. (LAPACK: dgerfs.)
func (f *LU) Refine(x, a, b *mat.Dense) (ErrorBounds, error) {
	f.mustHold()
	n, raw := f.Dim(), a.RawMatrix()
	checkShape(raw.Rows == n && raw.Cols == n)
	r := condition.Gerfs{N: n, A: blockOf(raw), Solve: f.getrs(blas.NoTrans)}
	return refine(f.backend, "Dgerfs", r, x, raw, b)
}

// refine is the body of both: it reports the routine to the backend, checks its arguments, and refines.
// a is the storage of A as a matrix.
func refine(b0 blskernel.Backend, routine string, r condition.Gerfs, x *mat.Dense, a blas64.General, b *mat.Dense) (ErrorBounds, error) {
	rows, nrhs := b.Dims()
	xr, xc := x.Dims()
	checkShape(rows == r.N && xr == r.N && xc == nrhs)
	rx, rb := x.RawMatrix(), b.RawMatrix()
	require(!block.Overlap(rx, rb) && !block.Overlap(rx, a), refineAliased)
	bk := backend.Begin(b0, backend.Routine{Name: routine, M: r.N, N: r.N, NRHS: nrhs})
	if r.N == 0 || nrhs == 0 {
		return ErrorBounds{}, nil
	}
	r.Backend = factor.On(bk)
	stored := blas.All
	if r.A.Packed {
		stored = blas.Upper
	}
	for _, operand := range []struct {
		name string
		err  error
	}{
		{"A", elementError(routine, factor.NotFinite(r.Backend, stored, r.N, r.N, r.A), ErrNotFinite)},
		{"B", checkFinite(bk, routine, blas.All, rb, ErrNotFinite)},
		{"X", checkFinite(bk, routine, blas.All, rx, ErrNotFinite)},
	} {
		if operand.err != nil {
			return ErrorBounds{}, fmt.Errorf("%w; the input is %s", operand.err, operand.name)
		}
	}
	bounds := ErrorBounds{Backward: make([]float64, nrhs), Forward: make([]float64, nrhs)}
	r.Refine(rx, rb, bounds.Backward, bounds.Forward)
	return bounds, nil
}

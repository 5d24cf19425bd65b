package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
)

// Refine improves the n×c x, a solution of A X = B from SolveTo, by one step of iterative refinement,
//
//	R = B - A X,   X = X + A⁻¹R,
//
// and says how accurate it then is. a is the matrix that was factored, of which Factorize leaves the
// caller the original, and b the n×c right-hand sides; both are read only and must not overlap x. A
// column of x is changed only where the step makes its componentwise backward error smaller, and not
// where that is at most u = 2⁻⁵³ already; Refine may be called again until nothing changes.
//
// One step without extra precision is enough to make a solver that is backward stable in norm so in
// every component (Skeel, Math. Comp. 35, 1980). Higham, Accuracy and Stability, theorem 12.4: if
// cond(A⁻¹) σ(A, x) <= 1/(f u), where cond(A⁻¹) = ‖|A| |A⁻¹|‖∞, σ(A, x) is the largest element of
// |A||x| over the smallest, and f depends on the solver and n only, then the refined x satisfies
//
//	|b - A x| <= 2 γ |A||x|,   γ = (n+1)u/(1 - (n+1)u).
//
// It pays where rows of A or B are badly scaled, or the elements of U or D have grown; where the
// first solution is already as good, what Refine adds is the knowledge of it.
//
// It takes 10n²c flops for the residuals and the step and, for the bounds, some five solves of 2n²c;
// all of it has c right-hand sides at once. The workspace is 256n + 7n·min(c, 256) numbers.
//
// The error is an *ElementError that matches ErrNotFinite, wrapped with the name of the matrix, where
// a, b or x hold NaN or an infinity; x is then unchanged. Refine panics with mat.ErrShape if the shapes
// do not fit. It panics also if x shares elements with a or b, or lies between elements of a matrix
// with another stride, and if the receiver is empty. (LAPACK: dpprfs, which takes up to five steps.)
func (c *Cholesky) Refine(x *mat.Dense, a *mat.SymPacked, b *mat.Dense) (ErrorBounds, error) {
	c.mustHold()
	return refinePacked(c.Backend, "Dpprfs", c.Dim(), x, a, b, c.solve)
}

// refinePacked is Refine for a symmetric a and a solver with it.
func refinePacked(b0 blskernel.Backend, routine string, n int, x *mat.Dense, a *mat.SymPacked, b *mat.Dense, solve func(bk blskernel.Backend, nrhs int, x []float64, ldx int)) (ErrorBounds, error) {
	checkShape(a.SymmetricDim() == n)
	ap := a.RawSymPacked().Data
	storage := blas64.General{Rows: 1, Cols: len(ap), Stride: len(ap), Data: ap}
	finiteA := func() error { return checkFinitePacked(routine, n, ap, ErrNotFinite) }
	return refine(b0, routine, n, x, storage, b, finiteA, func(bk blskernel.Backend) refiner {
		_, amax := block.On(bk).AbsMax(ap)
		return refiner{
			n:        n,
			largest:  amax,
			multiply: multiplyPacked(bk, n, ap),
			solve:    func(c int, x []float64, ldx int) { solve(bk, c, x, ldx) },
		}
	})
}

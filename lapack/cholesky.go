package lapack

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Cholesky is the factorization A = UᵀU of a symmetric positive definite matrix in packed storage,
// U upper triangular with a positive diagonal. The zero value is empty and ready for Factorize.
//
// Methods that only read the factorization may be called from several goroutines at once.
type Cholesky struct {
	Backend blskernel.Backend // nil stands for blskernel.Default()

	factorized bool
	n          int
	u          []float64 // U, packed by rows
	anorm      float64   // 1-norm of A
	nb         int       // block size of tests; 0 stands for lapack.Base
}

// Dim returns n, and 0 for an empty receiver.
func (c *Cholesky) Dim() int { return c.n }

// Reset makes the receiver empty.
func (c *Cholesky) Reset() { *c = Cholesky{Backend: c.Backend, nb: c.nb} }

// Factorize computes A = UᵀU of a copy of a, in n³/3 flops.
//
// The error is a *PivotError that matches ErrNotPositiveDefinite if a is not positive definite to
// working precision, or an *ElementError that matches ErrNotFinite if a holds NaN or an infinity. The
// receiver is then empty. (LAPACK: dpptrf, in blocks.)
func (c *Cholesky) Factorize(a *mat.SymPacked) error { return c.factorize(a, packedCopy) }

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see In place in the
// package comment. The workspace is a block of at most 128×136 numbers beside the buffers of the
// backend; a backend without products of packed blocks takes 400n more.
func (c *Cholesky) FactorizeInPlace(a *mat.SymPacked) error { return c.factorize(a, same) }

func (c *Cholesky) factorize(a *mat.SymPacked, take func(*mat.SymPacked) *mat.SymPacked) error {
	const routine = "Dpptrf"
	c.Reset()
	anorm, err := norm1Packed(c.Backend, routine, a)
	if err != nil {
		return err
	}
	n, ap := a.SymmetricDim(), take(a).RawSymPacked().Data
	bk := backend.Begin(c.Backend, backend.Routine{Name: routine, M: n, N: n})
	defer backend.Acquire(bk, cube(n)/3)()
	if bad := lapack.Potrf(lapack.On(bk), blas.Upper, baseOrder(c.nb), n, block.Packed(n, ap, 0, 0)); bad >= 0 {
		return &PivotError{Routine: routine, Index: bad, Pivot: ap[block.PackedIndex(n, bad, bad)], Err: ErrNotPositiveDefinite}
	}
	c.factorized, c.n, c.u, c.anorm = true, n, ap, anorm
	return nil
}

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁), between 0 and 1, and 1 for
// n = 0. The estimate of ‖A⁻¹‖₁ is a lower bound, in practice within a factor 3: the true value is
// rarely much smaller, and never larger beyond rounding. It is 0 where ‖A‖₁ itself overflows. It takes
// about 10n² flops. RCond panics if the receiver is empty. (LAPACK: dppcon.)
func (c *Cholesky) RCond() float64 {
	mustHold(c.factorized)
	return rcond(c.Backend, "Dppcon", true, c.n, c.anorm, c.solve)
}

// SolveTo computes the n×m X with A X = B for the n×m b and writes it to dst, in 2n²m flops. See
// Solving in the package comment. (LAPACK: dpptrs.)
func (c *Cholesky) SolveTo(dst, b *mat.Dense) error {
	mustHold(c.factorized)
	return solveTo(c.Backend, "Dpptrs", blas.Left, c.n, dst, b, c.solve)
}

// SolveRowsTo computes the m×n X with X A = B for the m×n b and writes it to dst, in 2n²m flops: every
// row of b is a right-hand side, and nothing is transposed. See Solving in the package comment.
func (c *Cholesky) SolveRowsTo(dst, b *mat.Dense) error {
	mustHold(c.factorized)
	return solveTo(c.Backend, "Dpptrs", blas.Right, c.n, dst, b, c.solve)
}

// solve is the solver of A.
func (c *Cholesky) solve(bk lapack.Backend, side blas.Side, nrhs int, x block.Matrix) {
	m, n := c.n, nrhs
	if side == blas.Right {
		m, n = nrhs, c.n
	}
	lapack.Potrs(bk, side, blas.Upper, m, n, c.upper(), x)
}

// upper returns U as a block.
func (c *Cholesky) upper() block.Matrix { return block.Packed(c.n, c.u, 0, 0) }

// InverseTo writes A⁻¹ to dst, in 2n³/3 flops. See Inverses in the package comment. (LAPACK: dpptri, in
// blocks.)
func (c *Cholesky) InverseTo(dst *mat.SymPacked) error {
	mustHold(c.factorized)
	return c.invert(copyFactor(dst, c.n, c.u))
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and empties the receiver, also when it
// returns an error. The workspace is that of FactorizeInPlace, twice.
func (c *Cholesky) InverseInPlace() (*mat.SymPacked, error) {
	mustHold(c.factorized)
	n, ap := c.n, c.u
	err := c.invert(ap)
	c.Reset()
	if err != nil {
		return nil, err
	}
	return mat.NewSymPacked(n, ap), nil
}

// invert overwrites the factor in ap by the inverse.
func (c *Cholesky) invert(ap []float64) error {
	const routine = "Dpptri"
	bk := backend.Begin(c.Backend, backend.Routine{Name: routine, M: c.n, N: c.n})
	defer backend.Acquire(bk, 2*cube(c.n)/3)()
	lapack.Potri(lapack.On(bk), blas.Upper, baseOrder(c.nb), c.n, block.Packed(c.n, ap, 0, 0))
	return checkFinitePacked(bk, routine, c.n, ap, ErrSingular)
}

// LogDet returns log(det A) and the sign of det A, which is 1; det A itself often overflows or
// underflows. It is the determinant of a matrix within the backward error of A, rounded by at most
// about (n + |log|)u, u = 2⁻⁵³; the two differ by n u cond(A). It takes O(n) time, and returns 0, 1 for
// n = 0. LogDet panics if the receiver is empty.
func (c *Cholesky) LogDet() (log, sign float64) {
	mustHold(c.factorized)
	p := unitProduct()
	for i := range c.n {
		u := c.u[block.PackedIndex(c.n, i, i)]
		p.multiply(u)
		p.multiply(u)
	}
	return p.log()
}

package lapack

import (
	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/cholesky"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// Cholesky is the factorization A = UᵀU of a symmetric positive definite matrix in packed storage. U is
// upper triangular with a positive diagonal. The zero value is empty and ready for Factorize.
//
// Methods that only read the factorization may be called from several goroutines at once.
type Cholesky struct {
	Backend blskernel.Backend // for the next Factorize; nil stands for blskernel.Default()

	// MaxCondition is the condition number above which a solution or an inverse comes with a
	// *ConditionError. 0 stands for 1e16, as in gonum. +Inf disables the error, and solves then do
	// not estimate the condition number.
	MaxCondition float64

	symmetric
}

var choleskyRoutines = routines{"Dpptrf", "Dpptrs", "Dpptri", "Dppcon", "Dpprfs"}

// Factorize factors a copy of a as A = UᵀU, in n³/3 flops.
//
// The error is a *PivotError that matches ErrNotPositiveDefinite if a is not positive definite to
// working precision. It is an *ElementError that matches ErrNotFinite if a holds NaN or an infinity.
// (LAPACK: dpptrf, in blocks.)
func (c *Cholesky) Factorize(a *mat.SymPacked) error { return c.FactorizeInPlace(packedCopy(a)) }

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see Storage in the
// package comment. The workspace is a block of at most 128×136 numbers and the buffers of the backend;
// a backend without products of packed blocks takes 400n more.
func (c *Cholesky) FactorizeInPlace(a *mat.SymPacked) error {
	return c.factorize(c.Backend, &choleskyRoutines, a, func(bk factor.Backend, n int, ap []float64) error {
		bad := cholesky.Potrf(bk, blas.Upper, c.base(), n, block.Packed(n, ap, 0, 0))
		if bad < 0 {
			return nil
		}
		pivot := ap[block.PackedIndex(n, bad, bad)]
		return &PivotError{Routine: choleskyRoutines.factorize, Index: bad, Pivot: pivot, Err: ErrNotPositiveDefinite}
	})
}

// SolveTo computes the solution X of A X = B, where B is the n×m matrix b, and writes X to dst, in 2n²m
// flops. See Solving in the package comment. (LAPACK: dpptrs.)
func (c *Cholesky) SolveTo(dst, b *mat.Dense) error {
	return c.solveTo(c.MaxCondition, blas.Left, dst, b)
}

// SolveRowsTo computes the solution X of X A = B, where B is the m×n matrix b, and writes X to dst in
// 2n²m flops. The rows of b are right-hand sides; nothing is transposed. See Solving in the package
// comment.
func (c *Cholesky) SolveRowsTo(dst, b *mat.Dense) error {
	return c.solveTo(c.MaxCondition, blas.Right, dst, b)
}

// SolveVecTo computes the solution x of A x = b and writes it to dst, like SolveTo for a single column.
// b may be any Vector, and may overlap dst.
func (c *Cholesky) SolveVecTo(dst *gonummat.VecDense, b gonummat.Vector) error {
	c.mustHold()
	return solveVecTo(dst, c.n, b, c.SolveTo)
}

// InverseTo writes A⁻¹ to dst in 2n³/3 flops. See Inverses in the package comment. (LAPACK: dpptri.)
func (c *Cholesky) InverseTo(dst *mat.SymPacked) error { return c.inverseTo(c.MaxCondition, dst) }

// InverseInPlace returns A⁻¹ in the storage of the factorization and empties the receiver, even if it
// returns an error. A *ConditionError comes with the inverse. The workspace is two blocks of at most
// 128×136 numbers and the backend's buffers; a backend without products of packed blocks takes 400n
// more.
func (c *Cholesky) InverseInPlace() (*mat.SymPacked, error) { return c.inverseInPlace(c.MaxCondition) }

// LogDet returns log(det A) and the sign of det A, which is 1; det A itself often overflows or
// underflows. Two errors affect log. The backward error of the factorization changes it by about n u
// cond(A), u = 2⁻⁵³. Rounding changes it by at most about (2n + 3|log|)u. LogDet takes O(n) time, and
// returns 0, 1 for n = 0.
func (c *Cholesky) LogDet() (log, sign float64) {
	c.mustHold()
	p := unitProduct()
	for i := range c.n {
		u := c.u[block.PackedIndex(c.n, i, i)]
		p.multiply(u)
		p.multiply(u)
	}
	return p.log()
}

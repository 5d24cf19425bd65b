package lapack

import (
	"blskernel"
	"blskernel/internal/block"
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
	nb         int       // block size of tests; 0 stands for denseBase
}

// base returns the order up to which blocks on the diagonal are done in a dense workspace.
func (c *Cholesky) base() int { return baseOrder(c.nb) }

func baseOrder(set int) int {
	if set > 0 {
		return set
	}
	return denseBase
}

// Dim returns n, and 0 for an empty receiver.
func (c *Cholesky) Dim() int { return c.n }

// Reset makes the receiver empty.
func (c *Cholesky) Reset() { *c = Cholesky{Backend: c.Backend, nb: c.nb} }

func (c *Cholesky) mustHold() {
	if !c.factorized {
		panic(notFactorized)
	}
}

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁), between 0 and 1. The
// estimate of ‖A⁻¹‖₁ is a lower bound, in practice within a factor 3, so that the true value is rarely
// much smaller and never larger beyond rounding. It is 0 where ‖A‖₁ itself overflows. It costs about
// 10n² flops. RCond is 1 for n = 0 and panics if the receiver is empty. (LAPACK: dppcon.)
func (c *Cholesky) RCond() float64 {
	c.mustHold()
	bk := blskernel.Begin(c.Backend, blskernel.Routine{Name: "Dppcon", M: c.n, N: c.n})
	return rcond(c.n, c.anorm, func(x []float64, _ bool) { c.solve(bk, 1, x, 1) })
}

// solve overwrites the n×nrhs x by A⁻¹x.
func (c *Cholesky) solve(bk blskernel.Backend, nrhs int, x []float64, ldx int) {
	on, u, b := block.On(bk), block.Packed(c.n, c.u, 0, 0), block.Dense(x, ldx)
	on.BlockTrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, c.n, nrhs, 1, u, b)
	on.BlockTrsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, c.n, nrhs, 1, u, b)
}

// packedCopy returns a copy of the storage of a.
func packedCopy(a *mat.SymPacked) []float64 {
	return append(make([]float64, 0, block.PackedLen(a.SymmetricDim())), a.RawSymPacked().Data...)
}

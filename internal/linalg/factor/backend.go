package factor

import (
	"blskernel"
	"blskernel/internal/linalg/backend"
	pureblas "blskernel/internal/linalg/blas"
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// A Backend is a blskernel.Backend with its operations on blocks, and settings for this package.
type Backend struct {
	blskernel.Backend
	block.Ops
	// Done, if not nil, stops Geqrf and Orgqr when it returns true; they call it before each block
	// of columns. The caller then discards their results.
	Done func() bool
	// ByVector makes Trtrs solve along the rows of a packed triangle for a single right-hand side.
	// This is two to six times as fast as solving by blocks, with different rounding errors.
	ByVector bool
}

// On returns b with its operations on blocks. A nil b stands for the default backend.
func On(b blskernel.Backend) Backend {
	b = backend.Or(b)
	return Backend{Backend: b, Ops: pureblas.On(b)}
}

// Ours reports whether the backend is a block.Ops, which works on packed rows in place and keeps a task
// on its thread.
func (bk Backend) Ours() bool {
	_, ours := bk.Backend.(block.Ops)
	return ours
}

// Base is the order up to which triangles are factored and inverted in a workspace, by block rows of
// TileOrder rows. The workspace is square, so one product can cover a whole block row and write below
// the diagonal. It stores a lower triangle as an upper one. On Zen 4 with AVX-512, a base of 128 is 1.1
// times as fast at order 128 as one of 64. A base above 200 idles threads for longer than it saves.
const Base = 128

// TileOrder is the order up to which plain loops process a triangle: a backend call alone would take as
// long. It is also the height of the micro-panels for which products are fast.
const TileOrder = 8

// Half returns the order of the first half of a triangle of order n > 1: n/2, rounded up to whole tiles
// if the result is less than n.
func Half(n int) int {
	if h := (n/2 + TileOrder - 1) / TileOrder * TileOrder; h < n {
		return h
	}
	return n / 2
}

// Stride returns the distance, in elements, between rows of n elements: an odd multiple of 64 bytes, so
// that the elements of a column fall into different cache sets (for lines of 64 or 128 bytes).
func Stride(n int) int { return (n+TileOrder-1)/TileOrder*TileOrder | TileOrder }

// Unit sets x to the unit vector with a one at index i.
func Unit(x []float64, i int) {
	clear(x)
	x[i] = 1
}

// Identity sets the n×n matrix a to the identity.
func Identity(n int, a block.Matrix) {
	for i := range n {
		Unit(a.Elements(i, 0, n), i)
	}
}

// OffDiagonal returns the off-diagonal block of the triangle ul of a, split at row and column n1.
func OffDiagonal(ul blas.Uplo, a block.Matrix, n1 int) block.Matrix {
	if ul == blas.Upper {
		return a.Sub(0, n1)
	}
	return a.Sub(n1, 0)
}

// Gemm computes C = alpha op(A) op(B) + beta C for dense or packed blocks.
func (bk Backend) Gemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	if a.Packed || b.Packed || c.Packed {
		bk.BlockGemm(tA, tB, m, n, k, alpha, a, b, beta, c)
		return
	}
	bk.Dgemm(tA, tB, m, n, k, alpha, a.X, a.Ld, b.X, b.Ld, beta, c.X, c.Ld)
}

// Syrk adds alpha A Aᵀ if t is blas.NoTrans, or alpha AᵀA otherwise, to the triangle ul of the n×n
// matrix C. A is n×k or k×n. A packed C is upper. Dense operands go to Dsyrk, which in OpenBLAS is
// faster than products of blocks.
func (bk Backend) Syrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a, c block.Matrix) {
	if a.Packed || c.Packed {
		bk.BlockSyrk(t, n, k, alpha, a, nil, c)
		return
	}
	bk.Dsyrk(ul, t, n, k, alpha, a.X, a.Ld, 1, c.X, c.Ld)
}

// Trmm computes B = alpha op(A) B or, if side is Right, B = alpha B op(A). B is m×n, and A is the
// triangle ul of a. Both must be dense.
func (bk Backend) Trmm(side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	bk.Dtrmm(side, ul, t, diag, m, n, alpha, a.X, a.Ld, b.X, b.Ld)
}

// Trsm is the function Trsm, but passes the whole of A to the backend instead of halving it.
func (bk Backend) Trsm(side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, n, nrhs int, alpha float64, a, b block.Matrix) {
	m := n
	if n = nrhs; side == blas.Right {
		m, n = n, m
	}
	if a.Packed || b.Packed {
		bk.BlockTrsm(side, ul, t, diag, m, n, alpha, a, b)
		return
	}
	bk.Dtrsm(side, ul, t, diag, m, n, alpha, a.X, a.Ld, b.X, b.Ld)
}

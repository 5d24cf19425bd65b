package factor

import (
	"blskernel"
	"blskernel/internal/linalg/backend"
	pureblas "blskernel/internal/linalg/blas"
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// A Backend is a backend with its products of blocks.
type Backend struct {
	blskernel.Backend
	block.Ops
	// Done, if not nil, stops Geqrf and Orgqr before a block of columns when it returns true. The
	// caller discards their results.
	Done func() bool
	// ByVector makes Trtrs solve with a packed triangle and one right-hand side along the rows of
	// the triangle: two to six times as fast as by blocks, with other rounding errors.
	ByVector bool
}

// On returns b with its products of blocks. A nil b stands for the default.
func On(b blskernel.Backend) Backend {
	b = backend.Or(b)
	return Backend{Backend: b, Ops: pureblas.On(b)}
}

// Base is the order up to which triangles are factored and inverted in a workspace, by block rows of
// tileOrder. The workspace is square, so a product may write below the diagonal: one product covers a
// whole block row, and a lower triangle becomes an upper one. Measured on Zen 4 with AVX-512: at order
// 128 this is 1.1 times as fast as halves down to 64. From 200 on a larger base gains less than it
// keeps from the threads.
const Base = 128

// TileOrder is the order of triangles for plain loops: a call of a backend costs as much there. It
// is also the height of the micro-panels in which products are fast.
const TileOrder = 8

// Half returns where a triangle of order n > 1 is cut in two: the middle, at a whole number of tiles
// where it has two.
func Half(n int) int {
	if h := (n/2 + TileOrder - 1) / TileOrder * TileOrder; h < n {
		return h
	}
	return n / 2
}

// Stride returns a distance between rows of n elements: an odd multiple of 64 bytes, so that the
// elements of a column do not compete for the same sets of a cache, whose lines are 64 or 128 bytes.
func Stride(n int) int { return (n+TileOrder-1)/TileOrder*TileOrder | TileOrder }

// Unit makes x the unit vector with a one at i.
func Unit(x []float64, i int) {
	clear(x)
	x[i] = 1
}

// Identity makes the n×n a the identity.
func Identity(n int, a block.Matrix) {
	for i := range n {
		Unit(a.Elements(i, 0, n), i)
	}
}

// OffDiagonal returns the off-diagonal block of the triangle ul of a, whose first half has order n1.
func OffDiagonal(ul blas.Uplo, a block.Matrix, n1 int) block.Matrix {
	if ul == blas.Upper {
		return a.Sub(0, n1)
	}
	return a.Sub(n1, 0)
}

// Gemm computes C = alpha op(A) op(B) + beta C for blocks of either storage.
func (bk Backend) Gemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	if a.Packed || b.Packed || c.Packed {
		bk.BlockGemm(tA, tB, m, n, k, alpha, a, b, beta, c)
		return
	}
	bk.Dgemm(tA, tB, m, n, k, alpha, a.X, a.Ld, b.X, b.Ld, beta, c.X, c.Ld)
}

// Syrk adds alpha A Aᵀ (t is blas.NoTrans, A n×k) or alpha Aᵀ A to the triangle ul of the n×n C, which
// is upper where it is packed. Dsyrk of OpenBLAS is faster than products of blocks.
func (bk Backend) Syrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a, c block.Matrix) {
	if a.Packed || c.Packed {
		bk.BlockSyrk(t, n, k, alpha, a, nil, c)
		return
	}
	bk.Dsyrk(ul, t, n, k, alpha, a.X, a.Ld, 1, c.X, c.Ld)
}

// Trmm computes B = alpha op(A) B or B = alpha B op(A) for the triangle ul of a dense A.
func (bk Backend) Trmm(side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	bk.Dtrmm(side, ul, t, diag, m, n, alpha, a.X, a.Ld, b.X, b.Ld)
}

// Trsm solves op(A) X = alpha B or X op(A) = alpha B without halving A; see Trsm.
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

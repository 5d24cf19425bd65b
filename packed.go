package blskernel

import (
	pureblas "blskernel/internal/linalg/blas"

	"gonum.org/v1/gonum/blas"
)

// PackedProducts computes products that the BLAS lacks: products with packed symmetric matrices, and
// one triangle of a product. A Backend may implement it; Packed supplies it for all other backends.
//
// A packed matrix is stored as its upper triangle, row by row: element (i, j), i <= j, of an n×n matrix
// is ap[i*(2n-i-1)/2+j], as in gonum's blas64.SymmetricPacked. Matrices are row-major with the leading
// dimensions lda, ldb and ldc; op(X) is X or Xᵀ, as the transpose argument says. No operand may overlap
// the result. beta = 0 overwrites the result without reading it. Panics are as in the BLAS.
type PackedProducts interface {
	// Dgemmt computes the triangle ul of C = alpha*op(A)*op(B) + beta*C for a symmetric product;
	// op(A) is n×k and op(B) k×n. The other triangle of C is not touched. It takes n²k flops, half
	// as many as Dgemm.
	Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)

	// Dgemmtp is Dgemmt into packed storage: AP = alpha*op(A)*op(B) + beta*AP.
	Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64)

	// Dsprk computes the rank-k update AP = alpha*A*Aᵀ + beta*AP if t is NoTrans; A is then n×k. If
	// t is Trans, it computes AP = alpha*Aᵀ*A + beta*AP; A is then k×n. It takes n²k flops.
	Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64)

	// Dspmm computes C = alpha*S*B + beta*C if side is Left; S is then m×m. If side is Right, it
	// computes C = alpha*B*S + beta*C; S is then n×n. S is packed and symmetric; B and C are m×n.
	// It takes 2m²n or 2mn² flops.
	Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int)
}

// Packed returns b itself if it implements PackedProducts. Otherwise it returns products that call b's
// Dgemm. They copy packed operands to a workspace, at most 192 rows at a time, and compute packed
// results there, at most 768 rows at a time. A nil b stands for Default().
func Packed(b Backend) PackedProducts {
	if b == nil {
		b = Default()
	}
	if p, ok := b.(PackedProducts); ok {
		return p
	}
	return pureblas.ViaGemm{Float64: b}
}

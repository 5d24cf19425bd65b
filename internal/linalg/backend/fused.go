package backend

import (
	"blskernel"
	pureblas "blskernel/internal/linalg/blas"

	"gonum.org/v1/gonum/blas"
)

// FusedProducts computes products that include an activation, which would otherwise take another pass
// over memory. A Backend may implement them; Fused supplies them for other backends.
//
// Matrices are row-major, and op(X) is X or Xᵀ, as the transpose argument says. No operand may overlap
// the result. The methods panic as Dgemm does.
type FusedProducts interface {
	// DgemmTanh computes C[i,j] = tanh(alpha*(op(A)*op(B))[i,j] + bias[j]), where op(A) is m×k,
	// op(B) is k×n, bias has n elements, and C is m×n. It does not read C. tanh has an error below
	// 2 ulp. It takes 2mnk flops and computes tanh mn times.
	DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int)
}

// Fused returns b itself if it implements FusedProducts. Otherwise it returns products that call b's
// Dgemm. A nil b stands for blskernel.Default().
func Fused(b blskernel.Backend) FusedProducts {
	b = Or(b)
	if f, ok := b.(FusedProducts); ok {
		return f
	}
	return pureblas.ViaGemm{Float64: b}
}

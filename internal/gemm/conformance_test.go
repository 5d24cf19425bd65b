package gemm

import (
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
)

// implementation gives gonum's conformance tests this package's routines as methods.
type implementation struct{}

func (implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (implementation) Dsymm(side blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	Dsymm(side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (implementation) Dtrsm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	Dtrsm(side, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (implementation) Dtrmm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	Dtrmm(side, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// gonum's own tests. Those of argument checks are for the layer that checks arguments.
func TestGonum(t *testing.T) {
	var impl implementation
	t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, impl) })
	t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, impl) })
	t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, impl) })
	t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, impl) })
	t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, impl) })
}

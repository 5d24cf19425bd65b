package lapack

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
)

// ‖alpha B - op(A) X‖ <= 30 n eps ‖A‖ ‖X‖ on either side, for orders that are halved and orders that
// are not.
func TestDenseTrsm(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(109)
		for _, n := range []int{1, 40, block.Size, block.Size + 1, 2*block.Size + 5} {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
					for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
						for _, alpha := range []float64{-1, 0.5} {
							name := fmt.Sprintf("n=%d %c %c %c alpha=%v", n, ul, tr, diag, alpha)
							g := newGuarded(ul, n, n+3, diag == blas.Unit, func(i, j int) float64 {
								if i == j {
									return 1 + rng.Float64()
								}
								return rng.NormFloat64() / float64(n)
							})
							op, b := g.triangular(), randomFull(rng, n, 3)
							if tr == blas.Trans {
								op = op.transpose()
							}
							want := newFull(n, 3)
							for i := range want.x {
								want.x[i] = alpha * b.x[i]
							}
							x := newFull(n, 3)
							copy(x.x, b.x)
							dtrsm(bk, blas.Left, ul, tr, diag, n, 3, alpha, g.a, g.lda, x.x, 3)
							checkSolution(t, name+" left", op, x, want)
							// X op(A) = alpha Bᵀ, transposed.
							y := b.transpose()
							dtrsm(bk, blas.Right, ul, tr, diag, n, 3, alpha, g.a, g.lda, y.x, n)
							checkSolution(t, name+" right", op.transpose(), y.transpose(), want)
							g.check(t, name)
						}
					}
				}
			}
		}
	})
}

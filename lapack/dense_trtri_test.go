package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
)

// ‖I - V T‖ <= 30 n eps ‖V‖ ‖T‖, in one triangle only. The triangles are graded, well conditioned for
// their order, or of any condition with ones on their diagonal.
func TestDenseTrtri(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(107)
		for _, n := range denseOrders() {
			for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
				eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
					name = fmt.Sprintf("%s %c", name, diag)
					g := newGuarded(ul, n, lda, diag == blas.Unit, func(i, j int) float64 {
						x := rng.NormFloat64()
						switch {
						case i == j:
							return math.Copysign(1+math.Abs(x), x) * math.Pow(10, float64(i%7)-3)
						case n > 40:
							// Elements of order one would make an inverse
							// that grows as 2ⁿ.
							return x / float64(n)
						}
						return x / math.Sqrt(float64(n))
					})
					u := g.triangular()
					dtrtri(bk, ul, diag, n, g.a, lda)
					g.check(t, name)
					v := g.triangular()
					if r := over(identity(n).sub(v.mul(u)).norm(), float64(n)*eps, v.norm(), u.norm()); !(r <= ratioBound) {
						t.Errorf("%s: ‖I - V T‖/(n ‖V‖ ‖T‖ eps) = %.3g", name, r)
					}
				})
			}
		}
	})
}

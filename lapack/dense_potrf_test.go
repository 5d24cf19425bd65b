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

// ‖A - UᵀU‖ <= 30 n eps ‖A‖, and ‖I - A X‖ <= 30 n eps ‖A‖ ‖X‖ for X from the factor, in one triangle
// only.
func TestDensePotrf(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(101)
		for _, n := range withLibrary(bk, denseOrders()...) {
			s := spdOf(rng, n)
			eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
				g := newGuarded(ul, n, lda, false, s.At)
				if bad := dpotrf(bk, ul, n, g.a, lda); bad >= 0 {
					t.Fatalf("%s: pivot %d of a positive definite matrix failed: %v", name, bad, g.a[bad*lda+bad])
				}
				g.check(t, name)
				a, u := fullOf(s), g.upper()
				if r := over(a.sub(u.transpose().mul(u)).norm(), float64(n)*eps, a.norm()); !(r <= ratioBound) {
					t.Errorf("%s: ‖A - UᵀU‖/(n ‖A‖ eps) = %.3g", name, r)
				}
				dpotri(bk, ul, n, g.a, lda)
				g.check(t, name)
				checkInverse(t, name, a, g.symmetric())
			})
		}
	})
}

// The first pivot that fails is found wherever it is, and left on the diagonal as it was found.
func TestDensePotrfPivot(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range withLibrary(bk, 1, 2, 8, 9, 16, 17, 65, 127, 128, 129, 200) {
			for p := 0; p < n; p += 1 + n/7 {
				for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1), math.Inf(-1)} {
					eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
						name = fmt.Sprintf("%s pivot %d = %v", name, p, bad)
						// Row and column p are zero off the diagonal, so the
						// pivot is what is given.
						g := newGuarded(ul, n, lda, false, func(i, j int) float64 {
							switch {
							case i == p && j == p:
								return bad
							case i == p || j == p:
								return 0
							case i == j:
								return 4
							}
							return 1 / float64(n+i+j)
						})
						if got := dpotrf(bk, ul, n, g.a, lda); got != p {
							t.Fatalf("%s: found %d", name, got)
						}
						g.check(t, name)
						if v := g.a[p*lda+p]; v != bad && !(v != v && bad != bad) {
							t.Errorf("%s: left %v on the diagonal", name, v)
						}
					})
				}
			}
		}
	})
}

// A NaN beside the diagonal spoils the pivot of its column, or row, and no pivot before it.
func TestDensePotrfNaN(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range withLibrary(bk, 2, 9, 17, 65, 130) {
			for p := 1; p < n; p += 1 + n/10 {
				for _, q := range []int{0, p / 2, p - 1} {
					eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
						g := newGuarded(ul, n, lda, false, func(i, j int) float64 {
							switch {
							case min(i, j) == q && max(i, j) == p:
								return math.NaN()
							case i == j:
								return 4
							}
							return 1 / float64(n+i+j)
						})
						if got := dpotrf(bk, ul, n, g.a, lda); got != p {
							t.Fatalf("%s: NaN at (%d, %d): found pivot %d", name, q, p, got)
						}
						g.check(t, name)
					})
				}
			}
		}
	})
}

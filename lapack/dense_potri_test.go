package lapack

import (
	"testing"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// ‖I - A X‖ <= 30 n eps ‖A‖ ‖X‖ for X from the factor of A, in one triangle only.
func TestDensePotri(t *testing.T) {
	onKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := newRand(103)
		for _, n := range withLibrary(bk, denseOrders()...) {
			s := spdOf(rng, n)
			eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
				g := newGuarded(ul, n, lda, false, s.At)
				if bad := dpotrf(bk, ul, n, g.a, lda); bad >= 0 {
					t.Fatalf("%s: pivot %d of a positive definite matrix failed", name, bad)
				}
				dpotri(bk, ul, n, g.a, lda)
				g.check(t, name)
				checkInverse(t, name, fullOf(s), g.symmetric())
			})
		}
	})
}

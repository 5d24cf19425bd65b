package lapack

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// RCond does not depend on the scale of the matrix, up to that at which the norm itself overflows.
func TestRCondScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		check := func(name string, s float64, err error, rcond func() float64) {
			t.Helper()
			if err != nil {
				t.Errorf("%s, scale %g: %v", name, s, err)
			} else if got := rcond(); !(math.Abs(got-1) <= 4*eps) {
				t.Errorf("%s, scale %g: RCond = %v, want 1", name, s, got)
			}
		}
		for _, s := range []float64{0x1p1023, 1.7e308, 0x1p900, 0x1p901, 1, 0x1p-900, 0x1p-1000} {
			c, f, u, q := Cholesky{Backend: bk}, LDLT{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
			swap := func() *mat.Dense { return gonummat.NewDense(2, 2, []float64{0, s, s, 0}) }
			check("Cholesky", s, c.Factorize(mat.NewSymPacked(2, []float64{s, 0, s})), c.RCond)
			check("LDLT", s, f.Factorize(mat.NewSymPacked(2, []float64{0, s, 0})), f.RCond)
			check("LU", s, u.Factorize(swap()), u.RCond)
			check("QR", s, q.Factorize(swap()), q.RCond)
		}
	})
}

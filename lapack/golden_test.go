package lapack

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
)

// By hand: inverses of order 2, to the bit where every quotient is exact.
func TestFactorizationGolden(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		all := factorizations(t, bk)
		cholesky, ldlt, lu := all[0], all[1], all[2]
		for _, g := range []struct {
			f          *factorization
			a, inverse []float64
			tolerance  float64
		}{
			{cholesky, []float64{4, 2, 2, 3}, []float64{0.375, -0.25, -0.25, 0.5}, 2 * eps},
			{ldlt, []float64{0, 1, 1, 0}, []float64{0, 1, 1, 0}, 0}, // a 2×2 pivot
			// |1| < α*2, so a 2×2 pivot.
			{ldlt, []float64{1, 2, 2, 1}, []float64{-1. / 3, 2. / 3, 2. / 3, -1. / 3}, 2 * eps},
			{lu, []float64{1, 2, 4, 12}, []float64{3, -0.5, -1, 0.25}, 0},
		} {
			testutil.NoError(t, g.f.factorize(testmat.From(2, 2, g.a...), true))
			if g.tolerance == 0 && g.f == ldlt && g.f.RCond() != 1 {
				t.Errorf("RCond = %v", g.f.RCond())
			}
			if g.f == ldlt {
				checkInertia(t, "golden", g.f.ldlt, 1)
				if g.f.ldlt.d.E[0] != g.a[1] {
					t.Errorf("D = %v of %v", g.f.ldlt.d, g.a)
				}
			}
			x, err := g.f.inverse(true)
			for i, want := range g.inverse {
				if err != nil || !(math.Abs(x.X[i]-want) <= g.tolerance) {
					t.Errorf("%s: %v: inverse %v, %v, want %v", g.f.name, g.a, x, err, g.inverse)
				}
			}
		}
		// [4 2; 2 3] = UᵀU with U = [2 1; 0 √2].
		c := Cholesky{Backend: bk}
		if err := c.Factorize(symOf(testmat.From(2, 2, 4, 2, 2, 3))); err != nil || !testmat.SameBits(c.u, []float64{2, 1, math.Sqrt2}) {
			t.Errorf("U = %v, %v", c.u, err)
		}
		// P A = L U with A = [1 2; 4 12]: the rows are exchanged, L21 = 1/4, U = [4 12; 0 -1].
		// For Aᵀ, the columns are, L21 = 1/2, U = [2 12; 0 -2], and it is the transposes of
		// these that are stored.
		f := LU{Backend: bk}
		testutil.NoError(t, f.Factorize((testmat.From(2, 2, 1, 2, 4, 12)).Dense()))
		want := []float64{4, 12, 0.25, -1}
		if f.transposed() {
			want = []float64{2, 0.5, 12, -2}
		}
		if !testmat.SameBits(f.lu.Data, want) || f.swap[0] != 1 || f.swap[1] != 1 {
			t.Errorf("LU = %v, exchanges %v", f.lu.Data, f.swap)
		}
	})
}

// RCond does not depend on the scale of the matrix, up to that at which the norm itself overflows.
func TestRCondScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, s := range []float64{0x1p1023, 1.7e308, 0x1p900, 0x1p901, 1, 0x1p-900, 0x1p-1000} {
			check := func(name string, err error, rcond func() float64) {
				t.Helper()
				if err != nil {
					t.Errorf("%s, scale %g: %v", name, s, err)
				} else if got := rcond(); !(math.Abs(got-1) <= 4*eps) {
					t.Errorf("%s, scale %g: RCond = %v, want 1", name, s, got)
				}
			}
			swap := testmat.From(2, 2, 0, s, s, 0)
			for _, f := range factorizations(t, bk) {
				a := swap
				if f.definite {
					a = testmat.From(2, 2, s, 0, 0, s)
				}
				check(f.name, f.factorize(a, false), f.RCond)
			}
			q := QR{Backend: bk}
			check("QR", q.Factorize(swap.Dense()), q.RCond)
		}
	})
}

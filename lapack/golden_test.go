package lapack

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
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
			testutil.NoError(t, g.f.factorize(&full{2, 2, g.a}, true))
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
				if err != nil || !(math.Abs(x.x[i]-want) <= g.tolerance) {
					t.Errorf("%s: %v: inverse %v, %v, want %v", g.f.name, g.a, x, err, g.inverse)
				}
			}
		}
		// [4 2; 2 3] = UᵀU with U = [2 1; 0 √2].
		c := Cholesky{Backend: bk}
		if err := c.Factorize(symOf(&full{2, 2, []float64{4, 2, 2, 3}})); err != nil || !sameBits(c.u, []float64{2, 1, math.Sqrt2}) {
			t.Errorf("U = %v, %v", c.u, err)
		}
		// P A = L U with A = [1 2; 4 12]: the rows are exchanged, L21 = 1/4, U = [4 12; 0 -1].
		// For Aᵀ, the columns are, L21 = 1/2, U = [2 12; 0 -2], and it is the transposes of
		// these that are stored.
		f := LU{Backend: bk}
		testutil.NoError(t, f.Factorize((&full{2, 2, []float64{1, 2, 4, 12}}).dense()))
		want := []float64{4, 12, 0.25, -1}
		if f.transposed() {
			want = []float64{2, 0.5, 12, -2}
		}
		if !sameBits(f.lu.Data, want) || f.swap[0] != 1 || f.swap[1] != 1 {
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
			swap := &full{2, 2, []float64{0, s, s, 0}}
			for _, f := range factorizations(t, bk) {
				a := swap
				if f.definite {
					a = &full{2, 2, []float64{s, 0, 0, s}}
				}
				check(f.name, f.factorize(a, false), f.RCond)
			}
			q := QR{Backend: bk}
			check("QR", q.Factorize(swap.dense()), q.RCond)
		}
	})
}

// On the pure backend no digit depends on the number of threads. The order is above every block size,
// and large enough for the work to be shared.
func TestThreads(t *testing.T) {
	defer blskernel.SetThreads(0)
	const n = 333
	rng := testutil.Rand(72)
	b := randomFull(rng, n, n)
	for k, a := range []*full{symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) }), symFunc(n, b.at), b} {
		var want [][]float64
		for _, threads := range []int{1, 2, 3} {
			blskernel.SetThreads(threads)
			f := factorizations(t, fastBLAS(t))[k]
			var x, y mat.Dense
			testutil.NoError(t, errors.Join(f.factorize(a, false), f.SolveTo(&x, b.dense()), f.SolveRowsTo(&y, b.dense())))
			inverse, err := f.inverse(false)
			testutil.NoError(t, err)
			got := [][]float64{f.rebuild(false).x, fullOf(&x).x, fullOf(&y).x, inverse.x, {f.RCond()}}
			if want == nil {
				want = got
			}
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Errorf("%s: threads=%d: result %d is not that of one thread", f.name, threads, i)
				}
			}
		}
	}
}

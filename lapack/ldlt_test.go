package lapack

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

func TestLDLTPivots(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(3)
		for _, m := range testmat.Symmetric() {
			for _, s := range []size{{1, 2}, {2, 2}, {7, 3}, {20, 5}, {60, 0}} {
				a := m.Of(rng, s.n)
				f := LDLT{Backend: bk, symmetric: symmetric{nb: s.nb}}
				if err := f.Factorize(symOf(a)); err != nil {
					t.Errorf("%s: n=%d: %v", m.Name, s.n, err)
					continue
				}
				checkBounded(t, m.Name, &f)
				for k := range s.n {
					if f.swap[k] < k || f.swap[k] >= s.n {
						t.Fatalf("%s: n=%d: row %d exchanged with %d", m.Name, s.n, k, f.swap[k])
					}
					if f.d.E[k] != 0 {
						if !(f.d.D[k]*f.d.D[k+1] < f.d.E[k]*f.d.E[k]) || f.d.E[k+1] != 0 || f.u[block.PackedIndex(s.n, k, k+1)] != 0 {
							t.Errorf("%s: n=%d: bad 2×2 pivot at %d", m.Name, s.n, k)
						}
					}
				}
				testInertia(t, m.Name, &f, a)
			}
		}
	})
}

// checkBounded tests |u_ij| <= 1/(1-α) = 2.781, which bounded pivoting guarantees but for rounding.
func checkBounded(t *testing.T, name string, f *LDLT) {
	t.Helper()
	for _, v := range f.u {
		if !(math.Abs(v) <= 2.79) {
			t.Errorf("%s: n=%d: element %v of U", name, f.n, v)
			return
		}
	}
}

// Sparse matrices whose elements differ by 12 orders of magnitude make U large under partial
// pivoting, and the residual of the inverse with it; not so here.
func TestLDLTBoundedPivots(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(7)
		const trials = 10000
		tested := 0
		for range trials {
			n := 3 + rng.IntN(8)
			a := testmat.Sym(n, func(i, j int) float64 {
				if rng.IntN(3) == 0 {
					return 0
				}
				return rng.NormFloat64() * math.Pow(10, -12*rng.Float64())
			})
			f := LDLT{Backend: bk, symmetric: symmetric{nb: 4}}
			if err := f.Factorize(symOf(a)); errors.Is(err, ErrSingular) {
				continue // a zero row, or two rows with one common element
			} else if err != nil {
				t.Fatal(err)
			}
			tested++
			checkBounded(t, "sparse", &f)
			var inv mat.SymPacked
			testutil.NoError(t, f.InverseTo(&inv))
			checkInverse(t, "sparse", a, testmat.Of(&inv))
		}
		if tested < trials*3/4 {
			t.Errorf("only %d of %d matrices were regular", tested, trials)
		}
	})
}

// testInertia compares with the signs of the eigenvalues, where these are clear of the backward error.
func testInertia(t *testing.T, name string, f *LDLT, a *full) {
	t.Helper()
	unit := testmat.Sym(a.R, func(i, j int) float64 { return a.At(i, j) / a.Norm() })
	var eig gonummat.EigenSym
	if !eig.Factorize(symOf(unit).SymDense(), false) {
		t.Fatalf("%s: no eigenvalues", name)
	}
	negative := 0
	for _, v := range eig.Values(nil) {
		if math.Abs(v) < ratioBound*float64(a.R)*eps {
			return
		}
		if v < 0 {
			negative++
		}
	}
	checkInertia(t, name, f, negative)
}

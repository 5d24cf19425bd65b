package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// bigLogDet returns log|det A| and the sign of det A by elimination in 600 bits.
func bigLogDet(a0 *full) (log, sign float64) {
	a := bigOf(a0)
	n, tmp := a.r, newBig(0)
	det := newBig(1)
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if newBig(0).Abs(a.at(i, k)).Cmp(newBig(0).Abs(a.at(p, k))) > 0 {
				p = i
			}
		}
		if p != k {
			det.Neg(det)
			for j := range n {
				a.x[k*n+j], a.x[p*n+j] = a.x[p*n+j], a.x[k*n+j]
			}
		}
		det.Mul(det, a.at(k, k))
		for i := k + 1; i < n; i++ {
			l := newBig(0).Quo(a.at(i, k), a.at(k, k))
			for j := k; j < n; j++ {
				a.at(i, j).Sub(a.at(i, j), tmp.Mul(l, a.at(k, j)))
			}
		}
	}
	var m big.Float
	e := det.MantExp(&m)
	v, _ := m.Float64()
	return math.Log(math.Abs(v)) + float64(e)*math.Ln2, float64(det.Sign())
}

// The determinant is that of A + E with ‖E‖ <= c n u ‖A‖, c = 30 as in the tests of the factors, and
// log det(A + E) - log det A = trace(A⁻¹E) to first order, at most n ‖A⁻¹‖ ‖E‖. The rest is rounding.
func TestLogDet(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(61)
		for _, m := range symGallery() {
			for _, n := range []int{1, 2, 3, 6, 15} {
				a := m.make(rng, n)
				af := fullOf(a)
				f, c := LDLT{Backend: bk}, Cholesky{Backend: bk}
				if err := f.Factorize(a); err != nil {
					t.Fatal(err)
				}
				checkLogDet(t, "LDLT: "+m.name, &f, af)
				if m.spd {
					if err := c.Factorize(a); err != nil {
						t.Fatal(err)
					}
					checkLogDet(t, "Cholesky: "+m.name, &c, af)
				}
			}
		}
		for _, m := range generalFamilies() {
			for _, n := range []int{1, 2, 3, 6, 15} {
				a := m.generate(rng, n)
				f := LU{Backend: bk}
				if err := f.Factorize(a.dense()); m.singular && errors.Is(err, ErrSingular) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				checkLogDet(t, "LU: "+m.name, &f, a)
			}
		}
	})
}

func checkLogDet(t *testing.T, name string, f interface {
	RCond() float64
	LogDet() (log, sign float64)
}, a *full) {
	t.Helper()
	wantLog, wantSign := bigLogDet(a)
	n := float64(a.r)
	tol := ratioBound*n*n*eps/f.RCond() + 2*(4*n+math.Abs(wantLog))*eps
	if log, sign := f.LogDet(); !(math.Abs(log-wantLog) <= tol) || tol < 1 && sign != wantSign {
		t.Errorf("%s: n=%d: log|det| = %v, sign %v, want %v, %v", name, a.r, log, sign, wantLog, wantSign)
	}
}

// Determinants that overflow or underflow by far, from 1×1 and 2×2 pivots, are known to the last
// digits: the first of each kind of factor, then those of many.
func TestLogDetScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 3, 4, 63, 64, 129, 200} {
			for _, s := range []float64{1, 1e150, 1e-150, 1e300, 1e-300, 0x1p-1060} {
				fraction, exponent := math.Frexp(s) // math.Log is wrong for subnormal numbers on amd64
				want := float64(n) * (math.Log(fraction) + float64(exponent)*math.Ln2)
				tol := 2 * (4*float64(n) + math.Abs(want)) * eps
				for _, kind := range []string{"diagonal", "exchange"} {
					a := symFunc(n, func(i, j int) float64 {
						if kind == "diagonal" && i == j || kind == "exchange" && i+j == n-1 {
							return s
						}
						return 0
					})
					name := fmt.Sprintf("%s: n=%d, elements %g", kind, n, s)
					f, c := LDLT{Backend: bk}, Cholesky{Backend: bk}
					if err := f.Factorize(a); err != nil {
						t.Fatal(err)
					}
					wantSign := 1.0
					if kind == "exchange" && n/2%2 == 1 {
						wantSign = -1
					}
					if log, sign := f.LogDet(); !(math.Abs(log-want) <= tol) || sign != wantSign {
						t.Errorf("%s: LDLT: log|det| = %v, sign %v, want %v, %v", name, log, sign, want, wantSign)
					}
					if kind != "diagonal" {
						continue
					}
					if err := c.Factorize(a); err != nil {
						t.Fatal(err)
					}
					if log, sign := c.LogDet(); !(math.Abs(log-want) <= tol) || sign != 1 {
						t.Errorf("%s: Cholesky: log|det| = %v, sign %v, want %v", name, log, sign, want)
					}
				}
			}
		}
		// A 2×2 pivot with a diagonal: [1 2; 2 1] twice, scaled, and a negative 1×1 pivot:
		// -9s⁵.
		for _, s := range []float64{1, 0x1p500, 0x1p-500} {
			a := mat.NewSymPacked(5, nil)
			for _, k := range []int{0, 3} {
				a.SetSym(k, k, s)
				a.SetSym(k+1, k+1, s)
				a.SetSym(k, k+1, 2*s)
			}
			a.SetSym(2, 2, -s)
			f := LDLT{Backend: bk}
			if err := f.Factorize(a); err != nil {
				t.Fatal(err)
			}
			want := math.Log(9) + 5*math.Log(s)
			if log, sign := f.LogDet(); !(math.Abs(log-want) <= 4*eps*max(1, math.Abs(want))) || sign != -1 {
				t.Errorf("log|det| = %v, sign %v, want %v, -1", log, sign, want)
			}
		}
		var f LDLT
		var c Cholesky
		if err := errors.Join(f.Factorize(&mat.SymPacked{}), c.Factorize(&mat.SymPacked{})); err != nil {
			t.Fatal(err)
		}
		for _, logDet := range []func() (log, sign float64){f.LogDet, c.LogDet} {
			if log, sign := logDet(); log != 0 || sign != 1 {
				t.Errorf("n=0: %v, %v", log, sign)
			}
		}
	})
}

func TestLULogDet(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(62)
		// Permutations, scaled so that the determinant is far from what a number holds.
		for _, n := range []int{0, 1, 2, 3, 65, 200} {
			for _, s := range []float64{1, 0x1p900, -0x1p900, 0x1p-1000} {
				a, parity := newFull(n, n), 1.0
				order := rng.Perm(n)
				for i, j := range order {
					a.set(i, j, s)
					parity *= math.Copysign(1, s)
					for _, before := range order[:i] {
						if before > j {
							parity = -parity
						}
					}
				}
				f := LU{Backend: bk}
				if err := f.Factorize(a.dense()); err != nil {
					t.Fatal(err)
				}
				_, e := math.Frexp(s)
				want := float64(n*(e-1)) * math.Ln2
				tol := 2 * (4*float64(n) + math.Abs(want)) * eps
				if log, sign := f.LogDet(); !(math.Abs(log-want) <= tol) || sign != parity {
					t.Errorf("n=%d, elements %g: log|det| = %v, sign %v, want %v, %v", n, s, log, sign, want, parity)
				}
			}
		}
	})
}

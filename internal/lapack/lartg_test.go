package lapack

import (
	"math"
	"math/big"
	"testing"

	"blskernel/internal/testutil"
)

// All results are within a few ulp of the exact ones, for magnitudes from the least to the largest.
func TestLartg(t *testing.T) {
	rng := testutil.Rand(1)
	for range 20000 {
		f := math.Ldexp(rng.Float64()-0.5, rng.IntN(2000)-1000)
		g := math.Ldexp(rng.Float64()-0.5, rng.IntN(2000)-1000)
		if rng.IntN(2) == 0 { // close to each other
			_, e := math.Frexp(f)
			g = math.Ldexp(rng.Float64()-0.5, min(e+rng.IntN(120)-60, 1023))
		}
		checkLartg(t, f, g)
	}
	ends := []float64{0x1p-1074, 0x1p-1022, 0x1p-512, 0x1p-511, 0x1p-510, 1, 0x1p509, 0x1p510, 0x1p511, 0x1p1022}
	for _, f := range ends {
		for _, g := range ends {
			checkLartg(t, f, g)
			checkLartg(t, -f, g*1.5)
		}
	}
}

// checkLartg compares with 300 bits. Results below the normal numbers have absolute errors.
func checkLartg(t *testing.T, f, g float64) {
	t.Helper()
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	square := func(v float64) *big.Float { x := wide(v); return x.Mul(x, x) }
	r := new(big.Float).SetPrec(300)
	r.Sqrt(r.Add(square(f), square(g)))
	if f < 0 {
		r.Neg(r)
	}
	near := func(name string, got float64, want *big.Float) {
		exact, _ := want.Float64()
		if !(math.Abs(got-exact) <= 4*0x1p-53*math.Abs(exact)+0x1p-1074) {
			t.Errorf("Lartg(%v, %v): %s is %v, want %v", f, g, name, got, exact)
		}
	}
	c, s, rr := Lartg(f, g)
	near("r", rr, r)
	near("c", c, wide(0).Quo(wide(f), r))
	near("s", s, wide(0).Quo(wide(g), r))
	if !(c >= 0) {
		t.Errorf("Lartg(%v, %v): c is %v", f, g, c)
	}
}

func TestLartgSpecial(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, v := range []float64{0, 1, -3, inf, -inf} {
		if c, s, r := Lartg(v, 0); c != 1 || s != 0 || r != v {
			t.Errorf("Lartg(%v, 0) is %v, %v, %v", v, c, s, r)
		}
		if c, s, r := Lartg(0, v); v != 0 && (c != 0 || s != math.Copysign(1, v) || r != math.Abs(v)) {
			t.Errorf("Lartg(0, %v) is %v, %v, %v", v, c, s, r)
		}
	}
	for _, bad := range []float64{inf, -inf, nan} {
		for _, v := range []float64{1, 0x1p-1074, 0x1p1023, inf, nan} {
			for _, p := range [][2]float64{{bad, v}, {v, bad}} {
				c, s, r := Lartg(p[0], p[1])
				if sum := c + s + r; sum-sum == 0 {
					t.Errorf("Lartg(%v, %v) is %v, %v, %v, all finite", p[0], p[1], c, s, r)
				}
			}
		}
	}
}

package factor

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/bigfloat"

	"gonum.org/v1/gonum/mat"
)

// Divisors whose reciprocal overflows or is subnormal, where x(1/d) is infinite or has lost digits, and
// the normal ones next to them.
var (
	extremeDivisors = []float64{0x1p-1074, 0x1.fp-1030, 0x1.7p-1023, 0x1.000001p1022, 0x1.9p1023, math.MaxFloat64}
	normalDivisors  = []float64{0x1p-1022, 0x1.7p-1022, 1, 3, 0x1.9p1021, 0x1p1022}
)

// TestDivide checks that x/d is rounded once for extreme divisors. Other quotients use the reciprocal:
// (1+u)² makes at most two units in the last place.
func TestDivide(t *testing.T) {
	rng := testutil.Rand(91)
	for _, d := range append(append([]float64{}, extremeDivisors...), normalDivisors...) {
		if want := slices.Contains(normalDivisors, d); invertible(d) != want || invertible(-d) != want {
			t.Errorf("%v and its negative: a normal reciprocal: %v, %v", d, invertible(d), invertible(-d))
		}
		x := make([]float64, 50)
		for i := range x {
			x[i] = d * (rng.Float64() - 0.5)
		}
		q := append([]float64{}, x...)
		Divide(On(nil), q, d)
		for i, v := range x {
			want := v / d
			tolerance := 0.0
			if invertible(d) {
				tolerance = 2 * math.Abs(want) * 0x1p-52
			}
			if !(math.Abs(q[i]-want) <= tolerance) {
				t.Errorf("%v/%v is %v, want %v", v, d, q[i], want)
			}
		}
	}
}

func TestLargestAt(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		x    []float64
		want int
	}{
		{[]float64{0}, 0}, {[]float64{0, -3, 2}, 1}, {[]float64{-2, 2, 1}, 0}, {[]float64{0, math.Copysign(0, -1)}, 0},
		{[]float64{1, 5e-324, -inf, inf}, 2}, {[]float64{inf, 1, -nan, nan}, 2}, {[]float64{0, -5e-324}, 1},
	} {
		if got := LargestAt(c.x); got != c.want {
			t.Errorf("%v: %d, want %d", c.x, got, c.want)
		}
	}
}

// TestLartg checks that results are within a few ulp of the exact ones, for numbers of any magnitude.
func TestLartg(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
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

// checkLartg compares Lartg with a 600-bit computation. Errors of subnormal results are absolute.
func checkLartg(t *testing.T, f, g float64) {
	t.Helper()
	r := bigfloat.Sum([]float64{f, f}, []float64{g, g})
	if r.Sqrt(r); f < 0 {
		r.Neg(r)
	}
	near := func(name string, got float64, want *big.Float) {
		exact := bigfloat.Float(want)
		if !(math.Abs(got-exact) <= 4*0x1p-53*math.Abs(exact)+0x1p-1074) {
			t.Errorf("Lartg(%v, %v): %s is %v, want %v", f, g, name, got, exact)
		}
	}
	c, s, rr := Lartg(f, g)
	near("r", rr, r)
	near("c", c, bigfloat.New(0).Quo(bigfloat.New(f), r))
	near("s", s, bigfloat.New(0).Quo(bigfloat.New(g), r))
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

// TestLange checks norms of matrices of several strips, some with an element that is not finite.
func TestLange(t *testing.T) {
	bk, rng := On(nil), testutil.Rand(63)
	for _, r := range []int{1, 2, 3, 4, 5, 11} {
		for _, c := range []int{1, 2, 7, sumWidth - 1, sumWidth, sumWidth + 1, 2*sumWidth + 3} {
			d := testutil.RandomView(rng, r, c)
			a := block.Dense(d.RawMatrix().Data, d.RawMatrix().Stride)
			ref, most := mat.Norm(d, 1), max(mat.Max(d), -mat.Min(d))
			if norm, size := Lange(bk, r, c, a); !(math.Abs(norm-ref) <= float64(r)*0x1p-53*ref) || size != most {
				t.Errorf("%d×%d: norm %v and size %v, want %v and %v", r, c, norm, size, ref, most)
			}
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				i, j := rng.IntN(r), rng.IntN(c)
				d.Set(i, j, v)
				if norm, _ := Lange(bk, r, c, a); IsFinite(norm) {
					t.Errorf("%d×%d: %v at (%d, %d): norm %v", r, c, v, i, j, norm)
				}
				d.Set(i, j, 0)
			}
		}
	}
}

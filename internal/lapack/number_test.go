package lapack

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

// Divisors whose reciprocal overflows or is subnormal, where x(1/d) is infinite or has lost digits, and
// the normal ones next to them.
var (
	extremeDivisors = []float64{0x1p-1074, 0x1.fp-1030, 0x1.7p-1023, 0x1.000001p1022, 0x1.9p1023, math.MaxFloat64}
	normalDivisors  = []float64{0x1p-1022, 0x1.7p-1022, 1, 3, 0x1.9p1021, 0x1p1022}
)

func TestInvertible(t *testing.T) {
	for want, divisors := range map[bool][]float64{
		false: append([]float64{0, math.NaN(), math.Inf(1)}, extremeDivisors...), true: normalDivisors,
	} {
		for _, d := range divisors {
			if invertible(d) != want || invertible(-d) != want {
				t.Errorf("%v and its negative: a normal reciprocal: %v, %v", d, invertible(d), invertible(-d))
			}
		}
	}
}

// x/d rounded once for extreme divisors, and otherwise by the reciprocal: (1+u)² makes two units in the
// last place at most.
func TestDivide(t *testing.T) {
	rng := testutil.Rand(91)
	for _, d := range append(append([]float64{}, extremeDivisors...), normalDivisors...) {
		x := make([]float64, 50)
		for i := range x {
			x[i] = d * (rng.Float64() - 0.5)
		}
		q := append([]float64{}, x...)
		divide(On(nil), q, d)
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

// The elements of a reflection are x/d, d = alpha - beta, for a d of that size.
func TestLarfg(t *testing.T) {
	bk, rng := On(nil), testutil.Rand(92)
	for _, d := range extremeDivisors {
		for range 20 {
			x := make([]float64, 4)
			for i := range x {
				x[i] = d / 8 * (rng.Float64() + 0.5)
			}
			v, alpha := slices.Clone(x), d/4
			beta, _ := Larfg(bk, alpha, v)
			if by := alpha - beta; by == 0 || invertible(by) {
				continue
			}
			for i := range x {
				// Where beta is subnormal v is made with a beta of more digits.
				off := math.Max(0x1p-51, 0x1p-1074/math.Abs(alpha-beta))
				if want := x[i] / (alpha - beta); !(math.Abs(v[i]-want) <= off*math.Abs(want)) {
					t.Errorf("alpha %v: element %v of the reflection, want %v", alpha, v[i], want)
				}
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
		if got := largestAt(c.x); got != c.want {
			t.Errorf("%v: %d, want %d", c.x, got, c.want)
		}
	}
}

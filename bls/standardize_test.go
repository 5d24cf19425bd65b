package bls

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// bigZScore returns the z-score, with divisor N-1, computed with bigScales.
func bigZScore(x []float64) []float64 {
	mean, std := bigScales(x)
	out := make([]float64, len(x))
	for j, v := range x {
		d := new(big.Float).SetPrec(4400).SetFloat64(v)
		d.Sub(d, mean)
		out[j], _ = d.Quo(d, std).Float64()
	}
	return out
}

// The computed mean is off by at most d·eps·max|x| (recursive summation), which shifts every z by this
// error divided by std. The sum of squares and the last operations are relatively accurate to (d+5)
// eps, and |z| <= sqrt(d).
func TestStandardizeRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{2, 3, 7, 64, 785} {
		for _, size := range []float64{1, 1e-300, 1e300, 1.5e308, 5e-324 * 1e6, 1e99, 1e101, 1e-99, 1e-101} {
			x, dst := make([]float64, d), make([]float64, d)
			for j := range x {
				x[j] = size * (2*rnd.Float64() - 1)
			}
			kept := slices.Clone(x)
			standardizeRow(dst, x)
			want := bigZScore(x)
			// |max - mean| / std is its z, so max|x|/std <= 4·max|z| with a mean near 0.
			tol := 8 * float64(d+5) * eps * math.Sqrt(float64(d))
			for j := range x {
				if !(math.Abs(dst[j]-want[j]) <= tol) {
					t.Errorf("d=%d size=%g: z[%d] = %v, want %v", d, size, j, dst[j], want[j])
					break
				}
			}
			if !slices.Equal(x, kept) {
				t.Fatalf("d=%d: x was modified", d)
			}
		}
	}
}

func TestStandardizeRowConstant(t *testing.T) {
	for _, d := range []int{1, 2, 783} {
		for _, v := range []float64{0, 0.1, -1e300, 5e-324} {
			dst := slices.Repeat([]float64{math.NaN()}, d)
			standardizeRow(dst, slices.Repeat([]float64{v}, d))
			if !slices.Equal(dst, make([]float64, d)) {
				t.Fatalf("d=%d: %v is the z-score of a constant row of %v", d, dst, v)
			}
		}
	}
	// One unit in the last place is a difference.
	dst := make([]float64, 2)
	if standardizeRow(dst, []float64{1, math.Nextafter(1, 2)}); !(dst[0] < 0 || dst[1] > 0) {
		t.Errorf("z-score of two different numbers is %v", dst)
	}
}

func TestMinMax(t *testing.T) {
	for _, test := range []struct {
		lo, hi, width float64
		offset, gain  float64
		ok            bool
	}{
		{1, 3, 1, 1, 0.5, true},
		{-2, 2, 2, -2, 0.5, true},
		{3, 3, 1, 0, 1, false},
		{0, 0, 2, 0, 1, false},
		{0, math.Inf(1), 1, 0, 1, false},
		{math.Inf(-1), 0, 1, 0, 1, false},
		{-1.5e308, 1.5e308, 1, 0, 1, false}, // hi-lo overflows
		{math.NaN(), 1, 1, 0, 1, false},
		{0, 0x1p-46, 1, 0, 0x1p46, true}, // gain 7e13
		{0, 0x1p-47, 1, 0, 1, false},     // gain 1.4e14
		{0, 0x1p-46, 2, 0, 1, false},     // likewise with the width of A1's rows
		{0, 0x1p-45, 2, 0, 0x1p46, true},
	} {
		offset, gain, ok := minMax(test.lo, test.hi, test.width)
		if offset != test.offset || gain != test.gain || ok != test.ok {
			t.Errorf("minMax(%v, %v, %v) = %v, %v, %v; want %v, %v, %v", test.lo, test.hi, test.width,
				offset, gain, ok, test.offset, test.gain, test.ok)
		}
	}
}

func TestScaleRow(t *testing.T) {
	for _, test := range []struct{ row, want []float64 }{
		{[]float64{1, 2, 5}, []float64{-1, -0.5, 1}},
		{[]float64{4, 4, 4}, []float64{4, 4, 4}},
		{[]float64{0.3}, []float64{0.3}},
		{[]float64{1, 1 + 4*eps}, []float64{1, 1 + 4*eps}}, // gain 2/(4 eps) > 1e14
	} {
		if scaleRow(test.row); !slices.Equal(test.row, test.want) {
			t.Errorf("got %v, want %v", test.row, test.want)
		}
	}
}

package blas12

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil/bigfloat"
	"blskernel/internal/testutil/kernels"
)

// exactNorm returns the norm, computed in many bits and rounded.
func exactNorm(x []float64) float64 {
	var squares [][]float64
	for _, v := range x {
		squares = append(squares, []float64{v, v})
	}
	sum := bigfloat.Sum(squares...)
	return bigfloat.Float(sum.Sqrt(sum))
}

// TestDnrm2 takes elements of all sizes, so that squares overflow, underflow, or do both. The norm of
// no elements is 0, and the norm with a negative increment is 0, too.
func TestDnrm2(t *testing.T) {
	r, rnd := New(kernels.All(t)[0], nil), rand.New(rand.NewPCG(11, 11))
	for n := range 71 {
		for _, size := range []int{0, -1074, -1040, -600, -484, -480, -478, -400, 400, 508, 512, 515, 1000, 1022 - 4} {
			x, inc := make([]float64, n), 1+rnd.IntN(3)
			for i := range x {
				x[i] = math.Ldexp(rnd.NormFloat64(), size-rnd.IntN(3)*rnd.IntN(60))
			}
			got, want := r.Dnrm2(n, spread(x, inc), inc), exactNorm(x)
			if bound := 1.01*gamma(n+2)*want + 0x1p-1074; !(math.Abs(got-want) <= bound) || n == 1 && got != want {
				t.Errorf("n=%d incX=%d size=2^%d: %v, want %v", n, inc, size, got, want)
			}
		}
	}
	if got := r.Dnrm2(2, []float64{3, 4}, -1); got != 0 {
		t.Errorf("with a negative increment: %v, want 0", got)
	}
}

// TestNormsOfNaN puts a NaN, an infinity or both in every place.
func TestNormsOfNaN(t *testing.T) {
	r := New(kernels.All(t)[0], nil)
	for n := 1; n <= 70; n++ {
		for i := range n {
			for _, size := range []float64{0, 1, 0x1p-700, 0x1p700} {
				x := slices.Repeat([]float64{size}, n)
				x[i] = math.Inf(-1)
				if a, b := r.Dnrm2(n, x, 1), r.Dasum(n, x, 1); !math.IsInf(a, 1) || !math.IsInf(b, 1) {
					t.Errorf("n=%d, -Inf at %d among %v: Dnrm2 %v, Dasum %v", n, i, size, a, b)
				}
				x[(i+n/2)%n] = nan
				if a, b := r.Dnrm2(n, x, 1), r.Dasum(n, x, 1); !math.IsNaN(a) || !math.IsNaN(b) {
					t.Errorf("n=%d, NaN and -Inf at %d among %v: Dnrm2 %v, Dasum %v", n, i, size, a, b)
				}
			}
		}
	}
}

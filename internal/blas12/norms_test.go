package blas12

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactNorm is the norm in 200 bits, rounded.
func exactNorm(x []float64) float64 {
	squares := new(big.Float).SetPrec(200)
	for _, v := range x {
		e := new(big.Float).SetPrec(200).SetFloat64(v)
		squares.Add(squares, e.Mul(e, e))
	}
	norm, _ := squares.Sqrt(squares).Float64()
	return norm
}

// TestDnrm2 has elements of all sizes, so that squares overflow, underflow, or do both.
func TestDnrm2(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(11, 11))
		for n := range maxLength + 1 {
			for _, size := range []int{0, -1074, -1040, -600, -484, -480, -478, -400, 400, 508, 512, 515, 1000, 1022 - 4} {
				inc := 1 + rnd.IntN(3)
				x := newStrided(rnd, n, inc, nan)
				var plain []float64
				for i := range n {
					x.set(x.index(i), math.Ldexp(x.at(i), size-rnd.IntN(3)*rnd.IntN(60)))
					plain = append(plain, x.at(i))
				}
				x.save()
				got, want := r.Dnrm2(n, x.s, inc), exactNorm(plain)
				x.check(t, false, "x")
				if bound := 1.01*gamma(n+2)*want + 0x1p-1074; !(math.Abs(got-want) <= bound) {
					t.Errorf("n=%d incX=%d size=2^%d: %v, want %v", n, inc, size, got, want)
				}
				if same := r.Dnrm2(n, plain, 1); same != got {
					t.Errorf("n=%d: %v with increment %d, %v with 1", n, got, inc, same)
				}
			}
		}
	})
}

func TestDasum(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(12, 12))
		for n := range maxLength + 1 {
			for _, inc := range []int{1, 2, 7} {
				x := newStrided(rnd, n, inc, nan)
				var want sum
				for i := range n {
					want.add(math.Abs(x.at(i)), 1, 1)
				}
				if err := want.within(n, r.Dasum(n, x.s, inc)); err != nil {
					t.Errorf("n=%d incX=%d: %v", n, inc, err)
				}
				x.check(t, false, "x")
			}
		}
	})
}

// TestNormsOfNaN has a NaN, an infinity or both in every place.
func TestNormsOfNaN(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		for n := 1; n <= maxLength; n++ {
			for i := range n {
				for _, size := range []float64{0, 1, 0x1p-700, 0x1p700} {
					x := make([]float64, n)
					for j := range x {
						x[j] = size
					}
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
	})
}

// Dnrm2 of one element is its absolute value, of none and of a negative increment 0.
func TestDnrm2OfOne(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(13, 13))
		for range 10000 {
			x := math.Ldexp(rnd.NormFloat64(), rnd.IntN(2090)-1070)
			if got := r.Dnrm2(1, []float64{x}, 1); got != math.Abs(x) {
				t.Errorf("Dnrm2(%v) = %v", x, got)
			}
		}
		if a, b := r.Dnrm2(0, nil, 1), r.Dnrm2(2, []float64{3, 4}, -1); a != 0 || b != 0 {
			t.Errorf("of none %v, of a negative increment %v", a, b)
		}
	})
}

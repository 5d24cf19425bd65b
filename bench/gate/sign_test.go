package main

import (
	"math"
	"math/big"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{5, 1, 2}, 2}, {[]float64{9, 1, 4, 2}, 3}} {
		if got := median(tc.x); got != tc.want {
			t.Errorf("median of %v is %v; want %v", tc.x, got, tc.want)
		}
	}
	for _, x := range [][]float64{nil, {math.NaN()}, {1, math.NaN(), 2}} {
		if got := median(x); !math.IsNaN(got) {
			t.Errorf("median of %v is %v; want NaN", x, got)
		}
	}
}

// TestSignTest compares with exact sums of binomial coefficients. Each term and each addition rounds
// once or twice, so that n of them are off by 4n·eps at most.
func TestSignTest(t *testing.T) {
	for _, n := range []int{1, 2, 9, 18, 36, 101, 1000} {
		all := new(big.Int).Lsh(big.NewInt(1), uint(n))
		sum := new(big.Int)
		for k := n; k >= 0; k-- {
			sum.Add(sum, new(big.Int).Binomial(int64(n), int64(k)))
			want, _ := new(big.Rat).SetFrac(sum, all).Float64()
			if got := signTest(k, n); !(math.Abs(got-want) <= 4*float64(n)*0x1p-52*max(want, 1)) {
				t.Errorf("%d of %d: %v; want %v", k, n, got, want)
			}
		}
	}
}

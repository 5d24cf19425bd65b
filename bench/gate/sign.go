package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// median returns the median of x: of two middle elements the mean, and NaN of nothing or where an
// element is NaN.
func median(x []float64) float64 {
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	h := len(x) / 2
	if len(x)%2 == 1 {
		return x[h]
	}
	return (x[h-1] + x[h]) / 2
}

// signTest returns the probability that of n tosses of a fair coin at least k are heads,
//
//	2⁻ⁿ Σ_{i=k}^{n} n!/(i!(n-i)!),
//
// which bounds the probability of k of n independent values below a number that is no larger than their
// median.
func signTest(k, n int) float64 {
	return distuv.Binomial{N: float64(n), P: 0.5}.Survival(float64(k) - 1)
}

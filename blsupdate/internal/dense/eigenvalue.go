package dense

import (
	"math"
	"math/rand/v2"

	"blskernel/internal/linalg/detmath"
)

// LargestEigenvalue estimates the largest eigenvalue of the symmetric positive semidefinite S of order
// n from below. apply overwrites x with S x. The Lanczos method takes at most lanczosSteps products and
// about 35n more flops for each, and is exact up to rounding for n up to lanczosSteps. The result is
// +Inf or NaN if a product is not finite.
//
// The starting vector v is pseudorandom, and the same in every call with the same n. A vector with a
// regular pattern could be orthogonal to the dominant eigenvector: (1, 1) is orthogonal to (1, -1),
// which dominates if rows have both signs.
//
// The estimate after m steps is the largest Rayleigh quotient of p(S)v over all polynomials p of degree
// below m. Its expected relative error is at most 2.575 (ln n/(m-1))². The power method would need the
// square of the number of steps.
//
//	source: J. Kuczyński and H. Woźniakowski, "Estimating the largest eigenvalue by the power and
//	Lanczos algorithms with a random start", SIAM J. Matrix Anal. Appl. 13(4), 1992.
func LargestEigenvalue(n int, apply func(x []float64)) float64 {
	steps := min(n, lanczosSteps)
	basis := make([]float64, 0, (steps+1)*n) // one vector after another, and then x
	diagonal, beside := make([]float64, 0, steps), make([]float64, 0, steps)
	basis = append(basis, UnitVector(n)...)
	for {
		v := basis[len(basis)-n:]
		basis = append(basis, v...)
		x := basis[len(basis)-n:]
		apply(x)
		size := Norm(x)
		if !(size <= math.MaxFloat64) {
			return size
		}
		diagonal = append(diagonal, Dot(v, x))
		if len(diagonal) == steps {
			break
		}
		for range 2 { // orthogonalize twice, since the remainder may be small
			for i := 0; i+n < len(basis); i += n {
				b := basis[i : i+n]
				Add(x, -Dot(b, x), b)
			}
		}
		beta := Norm(x)
		if !(beta > float64(n)*Eps*size) {
			break // the vectors so far span an invariant subspace
		}
		beside = append(beside, beta)
		divide(x, beta)
	}
	return largestOfTridiagonal(diagonal, beside)
}

// lanczosSteps is the number of steps of LargestEigenvalue. The result is at least 2/3 of the
// eigenvalue in TestLargestEigenvalueSpectra, and smaller with fewer steps.
const lanczosSteps = 8

// UnitVector returns a pseudorandom vector of n elements and norm 1, which depends only on n.
func UnitVector(n int) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), 0x9e3779b97f4a7c15))
	x := make([]float64, n)
	for i := range x {
		x[i] = detmath.Normal(r)
	}
	Scale(1/Norm(x), x)
	return x
}

// largestOfTridiagonal returns the largest eigenvalue of the symmetric tridiagonal matrix with the
// given elements on and next to the diagonal. It bisects an interval down to adjacent float64s, and
// overwrites both slices.
func largestOfTridiagonal(diagonal, beside []float64) float64 {
	size := max(LargestOf(diagonal), LargestOf(beside))
	if !(size > 0 && size <= math.MaxFloat64) {
		return size
	}
	divide(diagonal, size)
	divide(beside, size)
	low, high := -3.0, 3.0 // bounds by Gershgorin's theorem
	for {
		middle := float64((low + high) / 2)
		switch {
		case middle <= low || middle >= high:
			return high * size
		case negative(diagonal, beside, middle):
			high = middle
		default:
			low = middle
		}
	}
}

// negative reports whether T - x I is negative definite for the tridiagonal T, by the signs of pivots.
func negative(diagonal, beside []float64, x float64) bool {
	pivot := diagonal[0] - x
	for i, b := range beside {
		if !(pivot < 0) {
			return false
		}
		pivot = diagonal[i+1] - x - b*b/pivot
	}
	return pivot < 0
}

// divide divides x by d > 0, whose reciprocal may overflow.
func divide(x []float64, d float64) {
	if d >= SmallestNormal {
		Scale(1/d, x)
		return
	}
	for i := range x {
		x[i] /= d
	}
}

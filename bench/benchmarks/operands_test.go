package benchmarks

import (
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// vector returns n numbers, uniform in [-1/2, 1/2).
func vector(n int) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), 0))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Float64() - 0.5
	}
	return x
}

func dense(rows, cols int) *mat.Dense { return mat.NewDense(rows, cols, vector(rows*cols)) }

// packed returns a packed symmetric matrix of order n with d added to its diagonal. With d = n it is
// positive definite, and with d = 0 almost certainly indefinite.
func packed(n int, d float64) *mat.SymPacked {
	s := mat.NewSymPacked(n, vector(n*(n+1)/2))
	s.AddDiagonal(d)
	return s
}

// triangle returns a well-conditioned triangular n×n matrix I + E, by rows. Both triangles are filled:
// the elements of a row or column of E add up to less than 1/2.
func triangle(n int) []float64 {
	a := vector(n * n)
	for i := range a {
		a[i] /= float64(n)
	}
	for i := range n {
		a[i*n+i]++
	}
	return a
}

// A saved is storage with the contents that it has before a call.
type saved struct{ data, initial []float64 }

func save(data []float64) saved { return saved{data, slices.Clone(data)} }

func (s saved) reset() { copy(s.data, s.initial) }

func (s saved) dense(rows, cols int) *mat.Dense { return mat.NewDense(rows, cols, s.data) }

// normal returns a matrix of normally distributed numbers: data of a model, well conditioned if it is
// taller than wide.
func normal(rows, cols int, seed uint64) *mat.Dense {
	return testutil.Random(testutil.Rand(seed), rows, cols)
}

// f3 returns mnk, for the flops of products and cubes.
func f3(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }
func cube(n int) float64     { return math.Pow(float64(n), 3) }

package openblas_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
)

// columns is a matrix by columns with two elements between one column and the next.
type columns struct {
	m, n, ld int
	data     []float64
}

// between is what stands there.
const between = 12345.0

func newColumns(m, n int, at func(i, j int) float64) columns {
	c := columns{m, n, m + 2, make([]float64, max(0, (n-1)*(m+2)+m))}
	for i := range c.data {
		c.data[i] = between
	}
	for j := range n {
		for i := range m {
			c.data[i+j*c.ld] = at(i, j)
		}
	}
	return c
}

func (c columns) at(i, j int) float64 { return c.data[i+j*c.ld] }

// intact reports whether what stands between the columns is untouched.
func (c columns) intact() bool {
	for k, v := range c.data {
		if k%c.ld >= c.m && v != between {
			return false
		}
	}
	return true
}

// rowNorm returns the largest sum of the absolute values of a row.
func rowNorm(m, n int, at func(i, j int) float64) float64 {
	most := 0.0
	for i := range m {
		sum := 0.0
		for j := range n {
			sum += math.Abs(at(i, j))
		}
		most = math.Max(most, sum)
	}
	return most
}

// residualOf returns ‖A·X - C‖, ‖A‖ and ‖X‖ for an m×k A and a k×n X.
func residualOf(m, n, k int, a, x, c func(i, j int) float64) (r, normA, normX float64) {
	r = rowNorm(m, n, func(i, j int) float64 {
		sum := -c(i, j)
		for p := range k {
			sum += a(i, p) * x(p, j)
		}
		return sum
	})
	return r, rowNorm(m, k, a), rowNorm(k, n, x)
}

// smallResidual reports whether a residual is within the threshold of LAPACK's own tests of
// factorizations and inverses, 30n·eps·‖A‖·‖X‖, n the order ("LAPACK Working Note 41: Installation
// Guide", section 7), which is taken for solutions too. The sums by which residualOf finds it add less
// than n·eps·‖A‖·‖X‖.
func smallResidual(r, normA, normX float64, n int) bool {
	return r <= 31*float64(n)*0x1p-52*normA*normX
}

func identity(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// triangular returns the factor that is one triangle of a matrix, with ones on the diagonal for unit.
func triangular(ul blas.Uplo, unit bool, at func(i, j int) float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		switch {
		case i == j && unit:
			return 1
		case i == j || i < j == (ul == blas.Upper):
			return at(i, j)
		}
		return 0
	}
}

// mirrored returns the symmetric matrix of which at has one triangle.
func mirrored(ul blas.Uplo, at func(i, j int) float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		if i < j != (ul == blas.Upper) {
			i, j = j, i
		}
		return at(i, j)
	}
}

// half blots out the triangle that a routine must not read.
func half(ul blas.Uplo, at func(i, j int) float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		if i != j && i < j != (ul == blas.Upper) {
			return math.NaN()
		}
		return at(i, j)
	}
}

// lapackSizes are small and odd, and for the blocked codes beyond one block of 64.
var lapackSizes = []int{1, 2, 3, 5, 13, 33, 70, 131}

// draws returns a random matrix, symmetric or not.
func draws(n int, symmetric bool) func(i, j int) float64 {
	r := rand.New(rand.NewPCG(uint64(n), 4))
	x := make([]float64, n*n)
	for i := range x {
		x[i] = r.Float64() - 0.5
	}
	return func(i, j int) float64 {
		if symmetric && i > j {
			i, j = j, i
		}
		return x[i*n+j]
	}
}

var bothTriangles = []blas.Uplo{blas.Upper, blas.Lower}

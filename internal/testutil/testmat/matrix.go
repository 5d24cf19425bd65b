// Package testmat has plain matrices for reference results, which share no code with the code under
// test, families of test matrices, and the ratios by which LAPACK's own tests judge results.
//
// Only tests import this package.
package testmat

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// A Matrix is an R×C matrix, stored row-major in X.
type Matrix struct {
	R, C int
	X    []float64
}

// New returns an r×c matrix of zeros.
func New(r, c int) *Matrix { return &Matrix{r, c, make([]float64, r*c)} }

// Func returns the r×c matrix with the elements f(i, j).
func Func(r, c int, f func(i, j int) float64) *Matrix {
	a := New(r, c)
	for k := range a.X {
		a.X[k] = f(k/c, k%c)
	}
	return a
}

// Sym returns the symmetric matrix with the elements f(i, j), i <= j.
func Sym(n int, f func(i, j int) float64) *Matrix {
	a := New(n, n)
	for i := range n {
		for j := i; j < n; j++ {
			v := f(i, j)
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
	}
	return a
}

// Of returns a copy of a.
func Of(a interface {
	At(i, j int) float64
	Dims() (r, c int)
}) *Matrix {
	r, c := a.Dims()
	return Func(r, c, a.At)
}

// Identity returns the identity matrix of order n.
func Identity(n int) *Matrix { return Func(n, n, func(i, j int) float64 { return Unless(i != j) }) }

// Random returns an r×c matrix of standard normal numbers.
func Random(rng *rand.Rand, r, c int) *Matrix {
	return Func(r, c, func(_, _ int) float64 { return rng.NormFloat64() })
}

// From returns the r×c matrix stored row-major in x, without a copy.
func From(r, c int, x ...float64) *Matrix { return &Matrix{r, c, x[:r*c]} }

// Vector returns x as a column, without a copy.
func Vector(x ...float64) *Matrix { return From(len(x), 1, x...) }

// Unless returns 1, or 0 if zero is true.
func Unless(zero bool) float64 {
	if zero {
		return 0
	}
	return 1
}

// Alternate returns 1 for even and -1 for odd i.
func Alternate(i int) float64 { return float64(1 - 2*(i%2)) }

func (a *Matrix) At(i, j int) float64     { return a.X[i*a.C+j] }
func (a *Matrix) Set(i, j int, v float64) { a.X[i*a.C+j] = v }
func (a *Matrix) Row(i int) []float64     { return a.X[i*a.C : (i+1)*a.C] }

// Column returns a copy of column j.
func (a *Matrix) Column(j int) *Matrix { return a.Part(0, j, a.R, 1) }

// Part returns the r×c part of a that begins at (i, j).
func (a *Matrix) Part(i, j, r, c int) *Matrix {
	return Func(r, c, func(k, l int) float64 { return a.At(i+k, j+l) })
}

// T returns the transpose.
func (a *Matrix) T() *Matrix { return Func(a.C, a.R, func(i, j int) float64 { return a.At(j, i) }) }

// Mul returns a*b from gonum's own BLAS, which is faster than plain loops and shares no code with ours.
func (a *Matrix) Mul(b *Matrix) *Matrix {
	c := New(a.R, b.C)
	if len(c.X) > 0 && a.C > 0 {
		gonumblas.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, a.R, b.C, a.C, 1, a.X, a.C, b.X, b.C, 0, c.X, b.C)
	}
	return c
}

// each returns the matrix of the elements f(k, v), for element v at index k.
func (a *Matrix) each(f func(k int, v float64) float64) *Matrix {
	b := New(a.R, a.C)
	for k, v := range a.X {
		b.X[k] = f(k, v)
	}
	return b
}

// Sub returns a - b.
func (a *Matrix) Sub(b *Matrix) *Matrix {
	return a.each(func(k int, v float64) float64 { return v - b.X[k] })
}

// Abs returns the absolute values of the elements.
func (a *Matrix) Abs() *Matrix { return a.each(func(_ int, v float64) float64 { return math.Abs(v) }) }

// Times returns a times 2^e.
func (a *Matrix) Times(e int) *Matrix {
	return a.each(func(_ int, v float64) float64 { return math.Ldexp(v, e) })
}

// Scaled returns a times s.
func (a *Matrix) Scaled(s float64) *Matrix {
	return a.each(func(_ int, v float64) float64 { return v * s })
}

// Upper returns a with every element below the diagonal replaced by v.
func (a *Matrix) Upper(v float64) *Matrix {
	return Func(a.R, a.C, func(i, j int) float64 {
		if j < i {
			return v
		}
		return a.At(i, j)
	})
}

// Weigh returns the elements of a times f(i, j).
func (a *Matrix) Weigh(f func(i, j int) float64) *Matrix {
	return a.each(func(k int, v float64) float64 { return v * f(k/a.C, k%a.C) })
}

// ScaleRows returns diag(d) a.
func (a *Matrix) ScaleRows(d []float64) *Matrix {
	return a.Weigh(func(i, _ int) float64 { return d[i] })
}

// Stack returns [a b; c d].
func Stack(a, b, c, d *Matrix) *Matrix {
	return Func(a.R+c.R, a.C+b.C, func(i, j int) float64 {
		left, right := a, b
		if i >= a.R {
			i, left, right = i-a.R, c, d
		}
		if j >= a.C {
			return right.At(i, j-a.C)
		}
		return left.At(i, j)
	})
}

// SwapRows exchanges rows p and q.
func (a *Matrix) SwapRows(p, q int) {
	for j, v := range a.Row(p) {
		a.X[p*a.C+j] = a.X[q*a.C+j]
		a.X[q*a.C+j] = v
	}
}

// Reflect returns (I - 2vvᵀ) a.
func (a *Matrix) Reflect(v []float64) *Matrix {
	w := make([]float64, a.C)
	for i := range a.R {
		for j, x := range a.Row(i) {
			w[j] += v[i] * x
		}
	}
	return a.each(func(k int, x float64) float64 { return x - 2*v[k/a.C]*w[k%a.C] })
}

// UnitVector returns a random vector of length 1.
func UnitVector(rng *rand.Rand, n int) []float64 {
	v, ss := make([]float64, n), 0.0
	for i := range v {
		v[i] = rng.NormFloat64()
		ss += v[i] * v[i]
	}
	for i := range v {
		v[i] /= math.Sqrt(ss)
	}
	return v
}

// Norm returns the 1-norm, NaN if an element is NaN.
func (a *Matrix) Norm() float64 {
	m := 0.0
	for j := range a.C {
		s := 0.0
		for i := range a.R {
			s += math.Abs(a.At(i, j))
		}
		m = max(m, s)
	}
	return m
}

// Dense returns a copy of a as gonum's mat.Dense, which is empty if a is empty.
func (a *Matrix) Dense() *mat.Dense {
	if a.R == 0 || a.C == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(a.R, a.C, append([]float64(nil), a.X...))
}

// SameBits reports whether a and b have the same elements to the bit.
func SameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) })
}

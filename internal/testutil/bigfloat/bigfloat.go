// Package bigfloat computes the reference results of tests in multiple precision.
//
// Only tests import this package.
package bigfloat

import (
	"math/big"
	"slices"

	"blskernel/internal/testutil/testmat"
)

// Bits is the precision, ample for the condition numbers in the tests.
const Bits = 600

// New returns v, unrounded, with a precision of Bits.
func New(v float64) *big.Float { return new(big.Float).SetPrec(Bits).SetFloat64(v) }

// Float returns x rounded to the nearest float64.
func Float(x *big.Float) float64 {
	v, _ := x.Float64()
	return v
}

// Ratio returns p/q.
func Ratio(p, q *big.Float) float64 { return Float(New(0).Quo(p, q)) }

// Sum returns the sum of the terms. Each term is the product of its numbers.
func Sum(terms ...[]float64) *big.Float {
	sum := New(0)
	for _, term := range terms {
		product := New(1)
		for _, v := range term {
			product.Mul(product, New(v))
		}
		sum.Add(sum, product)
	}
	return sum
}

// A Matrix is an R×C matrix, stored row-major in X.
type Matrix struct {
	R, C int
	X    []*big.Float
}

// Of returns a in multiple precision.
func Of(a *testmat.Matrix) *Matrix {
	return each(a.R, a.C, func(z *big.Float, i, j int) { z.SetFloat64(a.At(i, j)) })
}

// each returns the r×c matrix whose elements f sets.
func each(r, c int, f func(z *big.Float, i, j int)) *Matrix {
	m := &Matrix{r, c, make([]*big.Float, r*c)}
	for k := range m.X {
		m.X[k] = New(0)
		f(m.X[k], k/c, k%c)
	}
	return m
}

func (a *Matrix) At(i, j int) *big.Float { return a.X[i*a.C+j] }

// Mul returns a*b.
func (a *Matrix) Mul(b *Matrix) *Matrix {
	product := New(0)
	return each(a.R, b.C, func(z *big.Float, i, j int) {
		for k := range a.C {
			z.Add(z, product.Mul(a.At(i, k), b.At(k, j)))
		}
	})
}

// Add returns a + f*b.
func (a *Matrix) Add(f float64, b *Matrix) *Matrix {
	return each(a.R, a.C, func(z *big.Float, i, j int) { z.Add(a.At(i, j), z.Mul(New(f), b.At(i, j))) })
}

// Abs returns the absolute values of the elements.
func (a *Matrix) Abs() *Matrix {
	return each(a.R, a.C, func(z *big.Float, i, j int) { z.Abs(a.At(i, j)) })
}

// Column returns a copy of column j.
func (a *Matrix) Column(j int) *Matrix {
	return each(a.R, 1, func(z *big.Float, i, _ int) { z.Set(a.At(i, j)) })
}

// Extremes returns the smallest and the largest element.
func (a *Matrix) Extremes() (least, most *big.Float) {
	return slices.MinFunc(a.X, (*big.Float).Cmp), slices.MaxFunc(a.X, (*big.Float).Cmp)
}

// Solve returns A⁻¹B and det A.
func Solve(a, b *testmat.Matrix) (x *Matrix, det *big.Float) {
	x = Of(b)
	return x, Eliminate(Of(a), x)
}

// Eliminate overwrites x with A⁻¹X and returns det A. It also overwrites a, and uses partial pivoting.
func Eliminate(a, x *Matrix) (det *big.Float) {
	det = New(1)
	l, product := New(0), New(0)
	for k := range a.R {
		p := k
		for i := k + 1; i < a.R; i++ {
			if New(0).Abs(a.At(i, k)).Cmp(New(0).Abs(a.At(p, k))) > 0 {
				p = i
			}
		}
		if p != k {
			det.Neg(det)
		}
		det.Mul(det, a.At(p, k))
		for _, m := range []*Matrix{a, x} {
			for j := range m.C {
				m.X[k*m.C+j], m.X[p*m.C+j] = m.X[p*m.C+j], m.X[k*m.C+j]
			}
		}
		for i := range a.R {
			if i == k {
				continue
			}
			l.Quo(a.At(i, k), a.At(k, k))
			for _, m := range []*Matrix{a, x} {
				for j := range m.C {
					m.At(i, j).Sub(m.At(i, j), product.Mul(l, m.At(k, j)))
				}
			}
		}
	}
	for i := range a.R {
		for j := range x.C {
			x.At(i, j).Quo(x.At(i, j), a.At(i, i))
		}
	}
	return det
}

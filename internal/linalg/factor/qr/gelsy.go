package qr

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A Complete is a complete orthogonal decomposition of an m×n matrix times a power of two,
//
//	A P = Q | L 0 | Zᵀ,
//	        | 0 0 |
//
// with a lower triangular L of order Rank, and orthogonal Q and Z. If Rank is n, there is no Z, and
// L is instead the upper triangular R of Geqp3. (LAPACK: dgelsy, dtzrzf.)
type Complete struct {
	Rank  int
	R     block.Matrix // the result of Geqp3; its leading triangle of order Rank has full rank
	Order []int        // column j of A P is column Order[j] of A

	q, z     QR
	exponent int
	m, n     int
}

// Gelsy decomposes the m×n dense a, which it overwrites. Rank is the number of diagonal elements of R
// before the first with |r_ii| <= tolerance |r_00| or r_ii = 0; the rows of R from there on count as
// zero.
func Gelsy(bk factor.Backend, tolerance float64, m, n int, a block.Matrix) Complete {
	c := Complete{R: a, Order: factor.Indices(n), m: m, n: n}
	c.exponent, _ = factor.Scale(bk, gelsRange, m, n, a)
	tau := make([]float64, min(m, n))
	Geqp3(bk, 0, m, n, a, c.Order, tau)
	for i := range tau {
		if d := math.Abs(a.X[a.Row(i)+i]); d <= tolerance*math.Abs(a.X[0]) || d == 0 {
			break
		}
		c.Rank++
	}
	r := c.Rank
	if r == 0 {
		return c
	}
	c.q = Reflections(false, m, a, tau[:r])
	if r < n {
		rows := block.Dense(make([]float64, n*r), r) // the transpose of the first rows of R
		for i := range r {
			for j, v := range a.Elements(i, i, n) {
				rows.X[rows.Row(i+j)+i] = v
			}
		}
		c.z = Geqrf(bk, true, 0, 0, n, r, rows)
	}
	return c
}

// Solve computes the X of least norm among the minimizers of ‖A X - B‖ in each column. b has max(m, n)
// rows; the first m hold B on entry, and the first n hold X on return.
func (c Complete) Solve(bk factor.Backend, nrhs int, b block.Matrix) {
	r := c.Rank
	exponent, _ := factor.Scale(bk, gelsRange, c.m, nrhs, b)
	if r > 0 {
		c.q.Ormqr(bk, blas.Left, blas.Trans, nrhs, b)
	}
	if r == c.n {
		factor.Trtrs(bk, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, r, nrhs, c.R, b)
	} else {
		clearRows(b, r, c.n, nrhs)
		if r > 0 {
			factor.Trtrs(bk, blas.Left, blas.Upper, blas.Trans, blas.NonUnit, r, nrhs, c.z.A, b)
			c.z.Ormqr(bk, blas.Left, blas.NoTrans, nrhs, b)
		}
	}
	places := make([]int, c.n) // row j of X is row places[j] of PᵀX
	for i, j := range c.Order {
		places[j] = i
	}
	factor.Permute(places, b, nrhs)
	if e := exponent - c.exponent; e != 0 {
		factor.ScaleRows(bk, math.Ldexp(1, e), c.n, nrhs, b)
	}
}

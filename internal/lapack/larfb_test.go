package lapack

import (
	"math"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// TestReflector compares a block of reflections, from the left and from the right, with the product of
// the single ones, which Larfg made.
func TestReflector(t *testing.T) {
	bk, rng := On(nil), testutil.Rand(26)
	for _, size := range [][2]int{{1, 1}, {5, 3}, {40, 32}, {70, 9}} {
		rows, cols := size[0], size[1]
		v, tau := testutil.RandomView(rng, rows, cols), make([]float64, cols)
		product := mat.NewDense(rows, rows, nil)
		for i := range rows {
			product.Set(i, i, 1)
		}
		for j := range cols {
			x := make([]float64, rows-j-1)
			for i := range x {
				x[i] = v.At(j+1+i, j)
			}
			_, tau[j] = Larfg(bk, v.At(j, j), x)
			var single mat.Dense
			column := make([]float64, rows)
			column[j] = 1
			copy(column[j+1:], x)
			for i, f := range column {
				v.Set(i, j, f)
			}
			c := mat.NewDense(rows, 1, column)
			single.Mul(c, c.T())
			single.Scale(-tau[j], &single)
			for i := range rows {
				single.Set(i, i, single.At(i, i)+1)
			}
			product.Mul(product, &single)
		}
		dense := func(m *mat.Dense) block.Matrix { return block.Dense(m.RawMatrix().Data, m.RawMatrix().Stride) }
		h := Reflector{Rows: rows, Cols: cols, V: dense(v), T: block.Dense(make([]float64, cols*(cols+2)), cols+2)}
		h.Larft(bk, tau, make([]float64, cols))
		for _, op := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			q := mat.Matrix(product)
			if op == blas.Trans {
				q = product.T()
			}
			for _, n := range []int{0, 1, 13, 50} {
				check := func(side string, c, want *mat.Dense) {
					t.Helper()
					var diff mat.Dense
					diff.Sub(c, want)
					if r, bound := mat.Norm(&diff, math.Inf(1)), 1e-14*float64(rows); !(r <= bound) {
						t.Errorf("%d×%d, %c, %s, %d: off by %g", rows, cols, op, side, n, r)
					}
				}
				if n == 0 {
					h.Apply(bk, op, 0, block.Matrix{}, nil)
					h.ApplyRight(bk, op, 0, block.Matrix{}, nil)
					continue
				}
				var want mat.Dense
				c := testutil.RandomView(rng, rows, n)
				want.Mul(q, c)
				h.Apply(bk, op, n, dense(c), make([]float64, cols*n))
				check("left", c, &want)
				want.Reset()
				c = testutil.RandomView(rng, n, rows)
				want.Mul(c, q)
				h.ApplyRight(bk, op, n, dense(c), make([]float64, cols*n))
				check("right", c, &want)
			}
		}
	}
}

package lapack

import (
	"slices"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// TestFactorBlocks factors matrices in blocks and recursions of all small sizes, by columns and by
// rows, and makes A, and Q, of the reflections with the T that was kept and with one made of tau.
func TestFactorBlocks(t *testing.T) {
	bk, rng := On(nil), testutil.Rand(27)
	dense := func(m *mat.Dense) block.Matrix { return block.Dense(m.RawMatrix().Data, m.RawMatrix().Stride) }
	for m := 1; m <= 13; m++ {
		for n := 1; n <= 13; n++ {
			for nb := 1; nb <= 7; nb++ {
				a, base := testutil.RandomView(rng, m, n), 1+nb%4
				upright, flat := mat.DenseCopyOf(a), mat.DenseCopyOf(a.T())
				f := QR{M: m, K: min(m, n), NB: nb, A: dense(upright)}
				g := QR{M: m, K: min(m, n), NB: nb, A: dense(flat), Rows: true}
				f.factor(bk, true, base, n)
				g.factor(bk, true, base, n)
				for _, kept := range []QR{f, g} {
					alone := mat.DenseCopyOf(a)
					if kept.Rows {
						alone = mat.DenseCopyOf(a.T())
					}
					h := QR{M: m, K: min(m, n), NB: nb, A: dense(alone), Rows: kept.Rows}
					h.factor(bk, false, base, n)
					if h.T != nil || !slices.Equal(h.Tau, kept.Tau) || !slices.Equal(h.A.X, kept.A.X) {
						t.Fatalf("m=%d n=%d nb=%d, rows %v: another factorization where T is not kept", m, n, nb, h.Rows)
					}
				}
				for _, f := range []QR{f, g} {
					v := upright
					if f.Rows {
						v = mat.DenseCopyOf(flat.T())
					}
					product, again := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)
					for i := range m {
						for j := i; j < n; j++ {
							product.Set(i, j, v.At(i, j))
						}
					}
					again.Copy(product)
					f.Ormqr(bk, blas.Left, blas.NoTrans, n, dense(product))
					ofTau := Reflections(f.Rows, m, f.A, f.Tau)
					ofTau.Ormqr(bk, blas.Left, blas.NoTrans, n, dense(again))
					q, all := mat.DenseCopyOf(v.Slice(0, m, 0, f.K)), mat.NewDense(m, m, nil)
					for i := range m {
						all.Set(i, i, 1)
					}
					f.Ormqr(bk, blas.Right, blas.NoTrans, m, dense(all))
					form := f
					form.A = dense(q)
					if f.Rows {
						form.A = dense(mat.DenseCopyOf(q.T()))
					}
					form.Orgqr(bk, f.K)
					if f.Rows {
						for i := range m {
							for j := range f.K {
								q.Set(i, j, form.A.X[j*form.A.Ld+i])
							}
						}
					}
					for what, pair := range map[string][2]mat.Matrix{
						"Q R": {product, a}, "Q R of tau": {again, a}, "Q": {q, all.Slice(0, m, 0, f.K)},
					} {
						var d mat.Dense
						d.Sub(pair[0], pair[1])
						if r := mat.Norm(&d, 1); !(r <= 1e-13) {
							t.Fatalf("%d×%d, blocks of %d, base %d, rows %v: %s is off by %g", m, n, nb, base, f.Rows, what, r)
						}
					}
				}
			}
		}
	}
}

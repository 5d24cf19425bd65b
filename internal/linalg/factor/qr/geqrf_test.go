package qr

import (
	"fmt"
	"slices"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

// A layout stores a matrix, or its transpose for a routine that works by rows, with gaps between rows.
type layout bool

func (rows layout) store(a *testmat.Matrix) block.Matrix {
	if rows {
		a = a.T()
	}
	x := block.Dense(make([]float64, a.R*(a.C+3)), a.C+3)
	for i := range a.R {
		copy(x.Elements(i, 0, a.C), a.Row(i))
	}
	return x
}

func (rows layout) load(x block.Matrix, r, c int) *testmat.Matrix {
	if rows {
		return layout(false).load(x, c, r).T()
	}
	return testmat.Func(r, c, func(i, j int) float64 { return x.X[i*x.Ld+j] })
}

// TestFactorBlocks factors matrices by columns and by rows, in blocks and recursions of all small
// sizes. It checks QᵀA = R and Q R = A from either side, and that Orgqr forms the same Q. T is either
// kept or computed from tau.
func TestFactorBlocks(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	bk, rng := factor.On(nil), testutil.Rand(27)
	check := func(m, n, nb, base int, rows layout) {
		a, k := testmat.Random(rng, m, n), min(m, n)
		factor := func(keep bool) QR {
			f := QR{M: m, K: k, NB: nb, A: rows.store(a), Rows: bool(rows)}
			return f.factor(bk, keep, base, n)
		}
		kept, alone := factor(true), factor(false)
		name := fmt.Sprintf("%d×%d, blocks of %d, base %d, rows %v", m, n, nb, base, rows)
		if alone.T != nil || !slices.Equal(alone.Tau, kept.Tau) || !slices.Equal(alone.A.X, kept.A.X) {
			t.Fatalf("%s: another factorization where T is not kept", name)
		}
		v := rows.load(kept.A, m, n)
		r := v.Upper(0)
		near := func(what string, x block.Matrix, want *testmat.Matrix) {
			t.Helper()
			if d := layout(false).load(x, want.R, want.C).Sub(want).Norm(); !(d <= 1e-14*float64(10+m)) {
				t.Fatalf("%s: %s is off by %g", name, what, d)
			}
		}
		for _, f := range []QR{kept, Reflections(bool(rows), m, kept.A, kept.Tau)} {
			apply := func(side blas.Side, op blas.Transpose, c *testmat.Matrix) block.Matrix {
				x, other := layout(false).store(c), c.C
				if side == blas.Right {
					other = c.R
				}
				f.Ormqr(bk, side, op, other, x)
				return x
			}
			near("Q R", apply(blas.Left, blas.NoTrans, r), a)
			near("QᵀA", apply(blas.Left, blas.Trans, a), r)
			near("AᵀQ", apply(blas.Right, blas.NoTrans, a.T()), r.T())
			near("RᵀQᵀ", apply(blas.Right, blas.Trans, r.T()), a.T())
			form := f
			form.A = rows.store(v.Part(0, 0, m, k))
			form.Orgqr(bk, k)
			q := rows.load(form.A, m, k)
			near("Q", apply(blas.Right, blas.NoTrans, testmat.Identity(m)), testmat.Stack(q,
				layout(false).load(apply(blas.Left, blas.NoTrans, testmat.Identity(m)), m, m).Part(0, k, m, m-k), testmat.New(0, k), testmat.New(0, m-k)))
		}
	}
	for _, rows := range []layout{false, true} {
		for m := 1; m <= 13; m++ {
			for n := 1; n <= 13; n++ {
				for nb := 1; nb <= 7; nb++ {
					check(m, n, nb, 1+nb%4, rows)
				}
			}
		}
		check(40, 32, 32, 8, rows)
		check(70, 9, 9, 4, rows)
		check(70, 50, 16, 16, rows)
	}
}

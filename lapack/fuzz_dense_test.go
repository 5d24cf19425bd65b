package lapack

import (
	"fmt"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// FuzzQR reconstructs A from Q and R, ‖A - Q R‖ <= 30 l eps ‖A‖, and Q is orthonormal,
// ‖I - QᵀQ‖ <= 30 l eps.
func FuzzQR(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		k, nb := p.order(40)
		l := k + p.Below(20)
		if k == 0 {
			return
		}
		qr := QR{Backend: p.bk, base: 1 + p.Below(6), nb: nb}
		a := testmat.Random(p.rng, l, k)
		for range p.Below(4) { // columns of zeros, which no reflection turns
			j := p.Below(k)
			for i := range l {
				a.Set(i, j, 0)
			}
		}
		held, intact := p.dense(a)
		testutil.NoError(t, p.do(func() error { return qr.FactorizeInPlace(held) }))
		intact()
		r, intactR := p.dense(testmat.New(k, k))
		testutil.NoError(t, p.do(func() error { qr.RTo(r); return nil }))
		intactR()
		var q *mat.Dense
		testutil.NoError(t, p.do(func() error { q = qr.QInPlace(); return nil }))
		intact()
		qf := testmat.Of(q)
		checkRatio(t, fmt.Sprintf("%d×%d: ‖A - Q R‖/(l ‖A‖ eps)", l, k), testmat.Over(a.Sub(qf.Mul(testmat.Of(r))).Norm(), float64(l)*eps, a.Norm()))
		checkRatio(t, fmt.Sprintf("%d×%d: ‖I - QᵀQ‖/(l eps)", l, k), testmat.Over(testmat.Identity(k).Sub(qf.T().Mul(qf)).Norm(), float64(l)*eps))
	})
}

// FuzzElimination has AppendRows and MergeTriangles: R'ᵀR' is the sum of the two, and R'ᵀz' that of the
// right-hand sides, column by column.
func FuzzElimination(f *testing.F) {
	fuzzed(f, func(p *problem) {
		k, q, c := 1+p.Below(40), 1+p.Below(40), 1+p.Below(8)
		triangle := p.Below(2) == 1
		if triangle {
			q = k
		}
		s := newStackedProblem(p.rng, k, q, c, stackedGallery[0].change, triangle)
		got := s.eliminate(p.t, "fuzz", p.dense, func(r, z, b, y *mat.Dense) error {
			return p.do(func() error { return s.routine()(p.bk, r, z, b, y) })
		})
		checkSameGram(p.t, "fuzz", s.all(), got.below(), k+q)
	})
}

// FuzzDenseTriangles has the dense routines on one triangle of a matrix, by halves down to tiles, whose
// other triangle is NaN: Cholesky factor and inverse, and the inverse of a triangle.
func FuzzDenseTriangles(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		n := p.Below(80)
		ul, diag := []blas.Uplo{blas.Upper, blas.Lower}[p.Below(2)], []blas.Diag{blas.NonUnit, blas.Unit}[p.Below(2)]
		lda := max(1, n) + p.Below(4)
		if n == 0 {
			return
		}
		spd := testmat.Spectral(p.rng, n, testmat.From1)
		g := p.hold(testmat.Func(n, n, spd.At), lda, triangleOf(ul, false))
		if bad := -1; p.do(func() error { bad = dpotrf(p.bk, ul, n, g.x, lda); return nil }) != nil || bad >= 0 {
			t.Fatalf("n=%d %c: pivot %d is not positive", n, ul, bad)
		}
		g.check(t, "guarded")
		checkCholesky(t, fmt.Sprintf("n=%d %c", n, ul), spd, ul, g)
		_ = p.do(func() error { dpotri(p.bk, ul, n, g.x, lda); return nil })
		g.check(t, "guarded")
		checkInverse(t, "dpotri", spd, g.symmetric())

		triangle := testmat.Triangle(p.rng, n)
		mirrored := func(i, j int) float64 { return triangle.At(min(i, j), max(i, j)) }
		g = p.hold(testmat.Func(n, n, mirrored), lda, triangleOf(ul, diag == blas.Unit))
		before := g.matrix()
		_ = p.do(func() error { dtrtri(p.bk, ul, diag, n, g.x, lda); return nil })
		g.check(t, "guarded")
		checkInverse(t, "dtrtri", before, g.matrix())

		// The same triangle to solve with, from either side, for columns of any number.
		g = p.hold(testmat.Func(n, n, mirrored), lda, triangleOf(ul, diag == blas.Unit))
		before = g.matrix()
		side, tr := []blas.Side{blas.Left, blas.Right}[p.Below(2)], []blas.Transpose{blas.NoTrans, blas.Trans}[p.Below(2)]
		b := testmat.Random(p.rng, n, 1+p.Below(40))
		op := before
		if tr != blas.NoTrans {
			op = before.T()
		}
		solve := func(x *mat.Dense) error {
			raw := x.RawMatrix()
			dtrsm(p.bk, side, ul, tr, diag, n, b.C, 1, g.x, lda, raw.Data, raw.Stride)
			return nil
		}
		if side == blas.Left {
			p.solved("dtrsm", op, b, solve)
		} else {
			p.solvedRows("dtrsm", op.T(), b, solve)
		}
		g.check(t, "guarded")
	})
}

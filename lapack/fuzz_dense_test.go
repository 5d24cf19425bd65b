package lapack

import (
	"testing"

	"blskernel/internal/testutil"
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
		a := randomFull(p.rng, l, k)
		for range p.Below(4) { // columns of zeros, which no reflection turns
			j := p.Below(k)
			for i := range l {
				a.set(i, j, 0)
			}
		}
		held := p.dense(a)
		testutil.NoError(t, p.do(func() error { return qr.FactorizeInPlace(held) }))
		p.intact(held)
		r := p.dense(newFull(k, k))
		testutil.NoError(t, p.do(func() error { qr.RTo(r); return nil }))
		p.intact(r)
		var q *mat.Dense
		testutil.NoError(t, p.do(func() error { q = qr.QInPlace(); return nil }))
		p.intact(q)
		qf := fullOf(q)
		if r := over(a.sub(qf.mul(fullOf(r))).norm(), float64(l)*eps, a.norm()); !(r <= ratioBound) {
			t.Errorf("%d×%d: ‖A - Q R‖/(l ‖A‖ eps) = %.3g", l, k, r)
		}
		if r := over(identity(k).sub(qf.transpose().mul(qf)).norm(), float64(l)*eps); !(r <= ratioBound) {
			t.Errorf("%d×%d: ‖I - QᵀQ‖/(l eps) = %.3g", l, k, r)
		}
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
		hold := func(a *full) (*mat.Dense, func()) {
			d := p.dense(a)
			return d, func() { p.intact(d) }
		}
		got := s.eliminate(p.t, "fuzz", hold, func(r, z, b, y *mat.Dense) error {
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
		spd := symSpectrum(p.rng, n, func(i int) float64 { return 1 + float64(i) })
		g := p.guarded(ul, n, lda, false, spd.at)
		if bad := -1; p.do(func() error { bad = dpotrf(p.bk, ul, n, g.a, lda); return nil }) != nil || bad >= 0 {
			t.Fatalf("n=%d %c: pivot %d is not positive", n, ul, bad)
		}
		p.untouched(g)
		u := g.upper()
		if r := over(spd.sub(u.transpose().mul(u)).norm(), float64(n)*eps, spd.norm()); !(r <= ratioBound) {
			t.Errorf("n=%d %c: ‖A - UᵀU‖/(n ‖A‖ eps) = %.3g", n, ul, r)
		}
		_ = p.do(func() error { dpotri(p.bk, ul, n, g.a, lda); return nil })
		p.untouched(g)
		checkInverse(t, "dpotri", spd, g.symmetric())

		triangle := triangleOf(p.rng, n)
		mirrored := func(i, j int) float64 { return triangle.at(min(i, j), max(i, j)) }
		g = p.guarded(ul, n, lda, diag == blas.Unit, mirrored)
		before := g.triangular()
		_ = p.do(func() error { dtrtri(p.bk, ul, diag, n, g.a, lda); return nil })
		p.untouched(g)
		checkInverse(t, "dtrtri", before, g.triangular())

		// The same triangle to solve with, from either side, for columns of any number.
		g = p.guarded(ul, n, lda, diag == blas.Unit, mirrored)
		before = g.triangular()
		side, tr := []blas.Side{blas.Left, blas.Right}[p.Below(2)], []blas.Transpose{blas.NoTrans, blas.Trans}[p.Below(2)]
		b := randomFull(p.rng, n, 1+p.Below(40))
		op := before
		if tr != blas.NoTrans {
			op = before.transpose()
		}
		solve := func(x *mat.Dense) error {
			raw := x.RawMatrix()
			dtrsm(p.bk, side, ul, tr, diag, n, b.c, 1, g.a, lda, raw.Data, raw.Stride)
			return nil
		}
		if side == blas.Left {
			p.solved("dtrsm", op, b, solve)
		} else {
			p.solvedRows("dtrsm", op.transpose(), b, solve)
		}
		p.untouched(g)
	})
}

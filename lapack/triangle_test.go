package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// eachTriangularMatrix runs f for the families of triangles, with signs on their diagonals, in matrices
// of which all else is NaN.
func eachTriangularMatrix(seed uint64, f func(name string, g *guarded)) {
	rng := testutil.Rand(seed)
	eachFamily(func(name string, family triangleFamily, s size) {
		if s.nb > 0 {
			return // there is no block size to set
		}
		at := func(i, j int) float64 {
			v := family.at(rng, s.n, i, j)
			if i == j && i%3 == 1 {
				return -v
			}
			return v
		}
		for _, lda := range strides(s.n) {
			f(name, newGuarded(blas.Upper, s.n, lda, false, at))
		}
	})
}

// R⁻¹B and R⁻ᵀB, and that R is only read.
func TestSolveTriangular(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(221)
		eachTriangularMatrix(222, func(name string, g *guarded) {
			r := g.triangular()
			for _, m := range []int{1, 4} {
				for _, trans := range []bool{false, true} {
					name := fmt.Sprintf("%s m=%d trans=%v", name, m, trans)
					b := randomFull(rng, g.n, m)
					x, intact := wide(t, b)
					if err := SolveTriangular(bk, x, g.view(), trans); err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					intact()
					op := r
					if trans {
						op = r.transpose()
					}
					checkProduct(t, name, b, op, fullOf(x))
				}
			}
			g.check(t, name)
			if !sameBits(g.triangular().x, r.x) {
				t.Errorf("%s: the triangle was changed", name)
			}
		})
	})
}

// The left residual of the inverse is small element by element: each half's equation is one product and
// one solution, with sums of n terms together.
func TestInvertTriangle(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		eachTriangularMatrix(223, func(name string, g *guarded) {
			r := g.triangular()
			if err := InvertTriangle(bk, g.view()); err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			g.check(t, name)
			checkProduct(t, name, identity(g.n), g.triangular(), r)
		})
	})
}

// The estimate against the norm of the inverse, and against that of QR, which has the same R.
func TestRCondTriangle(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		eachTriangularMatrix(224, func(name string, g *guarded) {
			r := g.triangular()
			got := RCondTriangle(bk, g.view())
			g.check(t, name)
			if !sameBits(g.triangular().x, r.x) {
				t.Errorf("%s: the triangle was changed", name)
			}
			if err := InvertTriangle(bk, g.view()); err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			checkRCondGallery(t, name, got, r, g.triangular())
		})
		q := QR{Backend: bk}
		if err := q.Factorize(randomFull(testutil.Rand(225), 60, 50).dense()); err != nil {
			t.Fatal(err)
		}
		var r mat.Dense
		q.RTo(&r)
		if a, b := q.RCond(), RCondTriangle(bk, &r); !(a > 0) || a != b {
			t.Errorf("QR.RCond is %v, RCondTriangle %v", a, b)
		}
		// Independent of the scale; the norm itself must not overflow.
		for _, s := range []float64{0x1p1023, 0x1p901, 1, 0x1p-1000} {
			if got := RCondTriangle(bk, mat.NewDense(2, 2, []float64{s, 0, 0, -s})); !(math.Abs(got-1) <= 4*eps) {
				t.Errorf("scale %g: %v, want 1", s, got)
			}
		}
	})
	for _, bad := range []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := RCondTriangle(nil, mat.NewDense(2, 2, []float64{1, 2, 3, bad})); got != 0 {
			t.Errorf("%v on the diagonal: %v, want 0", bad, got)
		}
	}
	if got := RCondTriangle(nil, mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1})); got != 0 {
		t.Errorf("NaN above the diagonal: %v, want 0", got)
	}
	if got := RCondTriangle(nil, &mat.Dense{}); got != 1 {
		t.Errorf("nothing: %v, want 1", got)
	}
}

// What is refused is not changed, and what overflows is an error.
func TestTriangleErrors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n = 100
		rng := testutil.Rand(226)
		triangle := func() *full {
			r := randomFull(rng, n, n)
			for i := range n {
				r.set(i, i, 1)
			}
			return r
		}
		same := func(name string, x *mat.Dense, want *full) {
			t.Helper()
			if !sameBits(x.RawMatrix().Data, want.x) {
				t.Errorf("%s: the matrix was changed", name)
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
			rf, b := triangle(), randomFull(rng, n, 3)
			rf.set(17, 60, bad)
			rf.set(90, 90, 0)
			r, x := rf.dense(), b.dense()
			wantElement(t, "SolveTriangular", SolveTriangular(bk, x, r, false), ErrNotFinite, 17, 60)
			wantElement(t, "InvertTriangle", InvertTriangle(bk, r), ErrNotFinite, 17, 60)
			same("R", r, rf)
			same("B", x, b)

			rf.set(17, 60, 1)
			rf.set(90, 90, 1)
			b.set(60, 1, bad)
			r, x = rf.dense(), b.dense()
			wantElement(t, "right-hand sides", SolveTriangular(bk, x, r, true), ErrNotFinite, 60, 1)
			same("B", x, b)
		}
		rf, b := triangle(), randomFull(rng, n, 3)
		rf.set(40, 40, 0)
		rf.set(70, 70, 0)
		r, x := rf.dense(), b.dense()
		wantPivot(t, "SolveTriangular", SolveTriangular(bk, x, r, true), ErrSingular, 40)
		wantPivot(t, "InvertTriangle", InvertTriangle(bk, r), ErrSingular, 40)
		same("R", r, rf)
		same("B", x, b)

		// 1/0x1p-1074 overflows. What follows may be NaN, but nothing before.
		tiny := identity(n)
		tiny.set(66, 66, 0x1p-1074)
		ones := newFull(n, 2)
		for i := range ones.x {
			ones.x[i] = 1
		}
		wantElement(t, "SolveTriangular", SolveTriangular(bk, ones.dense(), tiny.dense(), true), ErrSingular, 66, 0)
		tiny = identity(n)
		tiny.set(0, 0, 0x1p-1074)
		wantElement(t, "InvertTriangle", InvertTriangle(bk, tiny.dense()), ErrSingular, 0, 0)
	})
}

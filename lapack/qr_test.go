package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"
)

func TestQR(t *testing.T) {
	type shape struct{ l, k, nb, base int }
	var shapes []shape
	for k := 0; k <= 20; k++ {
		for _, more := range []int{0, 1, 2, 30} {
			if k == 0 && more > 0 {
				continue
			}
			shapes = append(shapes, shape{k + more, k, 0, 0}, shape{k + more, k, 1 + k%6, 1 + k%3})
		}
	}
	shapes = append(shapes, []shape{
		{150, 127, 0, 0}, {90, 63, 0, 0}, {64, 64, 0, 0}, {70, 65, 0, 0}, {128, 128, 0, 0}, {300, 129, 0, 0},
		{200, 150, 32, 5}, {500, 8, 0, 0}, {500, 9, 0, 0},
	}...)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		of := func(name string, regular bool, change func(a *full)) {
			t.Run(name, func(t *testing.T) {
				rng := testutil.Rand(21)
				for _, s := range shapes {
					a := testmat.Random(rng, s.l, s.k)
					change(a)
					f := &QR{Backend: bk, nb: s.nb, base: s.base}
					testQR(t, fmt.Sprintf("%+v", s), f, a, regular)
				}
			})
		}
		for _, scale := range []float64{1, 1e150, 1e-150, 1e200, 1e-200} {
			of(fmt.Sprintf("scale=%.0e", scale), true, func(a *full) { scaleRow(a.X, scale) })
		}
		of("graded", false, func(a *full) {
			for i := range a.R {
				scaleRow(a.Row(i), math.Pow(10, -float64(i)/8))
			}
		})
		of("rank-deficient", false, func(a *full) {
			for i := 0; i < a.R && a.C >= 3; i++ {
				a.Set(i, 1, 0)
				a.Set(i, 2, 3*a.At(i, 0))
			}
		})
	})
}

func testQR(t *testing.T, name string, f *QR, a *full, regular bool) {
	t.Helper()
	l, k := a.R, a.C
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	small := func(what string, ratio float64) {
		t.Helper()
		if !(ratio <= ratioBound) {
			t.Errorf("%s: %s = %.3g", name, what, ratio)
		}
	}
	ad, intact := wide(t, a)
	must(f.Factorize(ad))
	if !testmat.SameBits(testmat.Of(ad).X, a.X) {
		t.Fatalf("%s: Factorize changed its argument", name)
	}
	var qd, rd mat.Dense
	f.QTo(&qd)
	f.RTo(&rd)
	q, r := testmat.Of(&qd), testmat.Of(&rd)
	if k == 0 {
		q, r = testmat.New(0, 0), testmat.New(0, 0)
	}
	for i := range k {
		for j := range i {
			if r.At(i, j) != 0 {
				t.Fatalf("%s: R is not triangular", name)
			}
		}
	}
	// Higham, theorem 19.4 and equation (19.13): both residuals are c l k eps in the columns'
	// norms.
	small("‖A - QR‖/(l ‖A‖ eps)", testmat.Over(a.Sub(q.Mul(r)).Norm(), float64(max(1, l))*eps, a.Norm()))
	small("‖I - QᵀQ‖/(l eps)", testmat.Over(testmat.Identity(k).Sub(q.T().Mul(q)).Norm(), float64(max(1, l))*eps))
	if regular && k > 0 {
		b := testmat.Random(testutil.Rand(7), l, 3)
		var x mat.Dense
		must(f.SolveTo(&x, b.Dense()))
		// LAPACK's dqrt17: the residual of least squares is orthogonal to A, ‖Aᵀ(B - AX)‖ <= c
		// l eps ‖A‖ ‖B‖ for a backward stable solution. The scale is divided out of A and goes
		// to X, so that nothing overflows.
		s := a.Norm()
		an, xn := testmat.New(l, k), testmat.Of(&x)
		for i := range a.X {
			an.X[i] = a.X[i] / s
		}
		scaleRow(xn.X, s)
		res := b.Sub(an.Mul(xn))
		size := b.Norm() + an.Norm()*xn.Norm()
		small("‖Aᵀ(B - AX)‖", testmat.Over(an.T().Mul(res).Norm(), float64(l)*eps, an.T().Norm(), size))
		// Rows: Q R⁻ᵀ is the transposed pseudoinverse, so A⁺A = I up to the condition number.
		p := q.Dense()
		must(SolveTriangularRows(f.Backend, p, &rd, true))
		pf := testmat.Of(p).T()
		off := testmat.Identity(k).Sub(pf.Mul(a)).Norm()
		small("‖I - A⁺A‖/(l ‖A‖ ‖A⁺‖ eps)", testmat.Over(off, float64(l)*eps, pf.Norm(), a.Norm()))
		// And B R⁻¹ for a B = A gives Q back, with gaps left alone.
		back, whole := wide(t, a)
		must(SolveTriangularRows(f.Backend, back, &rd, false))
		whole()
		bf := testmat.Of(back)
		small("‖A - X R‖/(k ‖X‖ ‖R‖ eps)", testmat.Over(a.Sub(bf.Mul(r)).Norm(), float64(k)*eps, bf.Norm(), r.Norm()))
		if k <= 20 {
			inv := testmat.Identity(k).Dense()
			must(SolveTriangularRows(f.Backend, inv, &rd, false))
			if c := r.Norm() * testmat.Of(inv).Norm(); c < 1e10 {
				checkRCond(t, name, f.RCond(), r, testmat.Of(inv))
			}
		}
	}
	must(f.FactorizeInPlace(ad))
	p := f.QInPlace()
	intact()
	if k > 0 && (&p.RawMatrix().Data[0] != &ad.RawMatrix().Data[0] || !testmat.SameBits(testmat.Of(p).X, q.X)) {
		t.Errorf("%s: QInPlace differs from QTo", name)
	}
	testutil.MustPanic(t, notFactorized, func() { f.RCond() })
}

func TestQRGolden(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		// [3; 4] = Q R with R = -5, Q = -[3; 4]/5; the least squares solution for [1; 0] is
		// 3/25.
		f := QR{Backend: bk}
		testutil.NoError(t, f.Factorize(mat.NewDense(2, 1, []float64{3, 4})))
		var r, q, x mat.Dense
		f.RTo(&r)
		f.QTo(&q)
		testutil.NoError(t, f.SolveTo(&x, mat.NewDense(2, 1, []float64{1, 0})))
		for _, c := range []struct{ got, want float64 }{{r.At(0, 0), -5}, {q.At(0, 0), -0.6}, {q.At(1, 0), -0.8}, {x.At(0, 0), 0.12}} {
			if !(math.Abs(c.got-c.want) <= 8*eps*math.Abs(c.want)) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		}
		if f.RCond() != 1 {
			t.Errorf("RCond = %v", f.RCond())
		}
		// The same with subnormal numbers, of which 1/5e-310 overflows; they have 14 digits or
		// so.
		testutil.NoError(t, f.Factorize(mat.NewDense(2, 1, []float64{3e-310, 4e-310})))
		f.QTo(&q)
		if !(math.Abs(q.At(0, 0)+0.6) <= 1e-12) || !(math.Abs(q.At(1, 0)+0.8) <= 1e-12) {
			t.Errorf("Q = %v of subnormal numbers", q.RawMatrix().Data)
		}
	})
}

func TestQRErrors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		f := QR{Backend: bk}
		testutil.NoError(t, f.Factorize(mat.NewDense(3, 2, []float64{1, 0, 2, 0, 3, 0})))
		if f.RCond() != 0 {
			t.Errorf("RCond = %v", f.RCond())
		}
		dst := mat.NewDense(2, 1, []float64{5, 6})
		wantPivot(t, "rank 1", f.SolveTo(dst, mat.NewDense(3, 1, []float64{1, 2, 3})), ErrSingular, 1)
		if !testmat.SameBits(dst.RawMatrix().Data, []float64{5, 6}) {
			t.Error("dst was changed")
		}
		// R overflows, and a reflection although R does not, since alpha - beta is larger than
		// the largest number.
		for _, x := range [][]float64{{1.5e308, 1.5e308}, {0.9 * math.MaxFloat64, 0.3 * math.MaxFloat64}} {
			wantPivot(t, "overflow", f.Factorize(mat.NewDense(2, 1, x)), ErrNotFinite, 0)
		}
		one := mat.NewDense(1, 1, []float64{1})
		wantPivot(t, "rows", SolveTriangularRows(bk, one, mat.NewDense(1, 1, nil), false), ErrSingular, 0)
		wantElement(t, "rows", SolveTriangularRows(bk, one, mat.NewDense(1, 1, []float64{math.NaN()}), false), ErrNotFinite, 0, 0)
		wantElement(t, "rows", SolveTriangularRows(bk, mat.NewDense(1, 1, []float64{math.NaN()}), one, true), ErrNotFinite, 0, 0)
		wantElement(t, "rows", SolveTriangularRows(bk, one, mat.NewDense(1, 1, []float64{1e-310}), false), ErrSingular, 0, 0)
	})
}

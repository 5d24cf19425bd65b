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
	testutil.NotUnderRace(t, "computing in one goroutine")
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
	one := func(_, _ int) float64 { return 1 }
	scaled := func(by float64) func(i, j int) float64 { return func(_, _ int) float64 { return by } }
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for name, change := range map[string]func(i, j int) float64{
			"random": one, "1e150": scaled(1e150), "1e-150": scaled(1e-150), "1e200": scaled(1e200), "1e-200": scaled(1e-200),
			"graded": func(i, _ int) float64 { return math.Pow(10, -float64(i)/8) }, "deficient": one, "subnormal": one,
		} {
			rng := testutil.Rand(21)
			for _, s := range shapes {
				a := testmat.Random(rng, s.l, s.k).Weigh(change)
				for i := 0; name == "deficient" && i < a.R && a.C >= 3; i++ {
					a.Set(i, 1, 0)
					a.Set(i, 2, 3*a.At(i, 0))
				}
				for i := 0; name == "subnormal" && i < a.R && a.C >= 2; i++ {
					a.Set(i, a.C/2, math.Ldexp(float64(i%2), -1074)) // a length of few digits
				}
				f := &QR{Backend: bk, nb: s.nb, base: s.base}
				regular := name != "graded" && name != "deficient" && name != "subnormal"
				testQR(t, fmt.Sprintf("%s %+v", name, s), f, a, regular, func(a *full) (*mat.Dense, func()) { return wide(t, a) })
			}
		}
	})
}

// testQR factors a in both ways, on operands that hold places, and solves with a if it is nonsingular.
func testQR(t *testing.T, name string, f *QR, a *full, regular bool, hold func(a *full) (*mat.Dense, func())) {
	t.Helper()
	l, k := a.R, a.C
	ad, intact := hold(a)
	testutil.NoError(t, f.Factorize(ad))
	if !testmat.SameBits(testmat.Of(ad).X, a.X) {
		t.Fatalf("%s: Factorize changed its argument", name)
	}
	qd, intactQ := hold(testmat.New(l, k))
	rd, intactR := hold(testmat.New(k, k))
	f.QTo(qd)
	f.RTo(rd)
	intactQ()
	intactR()
	q, r := testmat.Of(qd), testmat.Of(rd)
	if !testmat.SameBits(r.X, r.Upper(0).X) {
		t.Fatalf("%s: R is not triangular", name)
	}
	// Higham, theorem 19.4, equation (19.13): both residuals are c l k eps in the columns' norms.
	if k > 0 {
		checkRatio(t, name+": ‖A - QR‖/(l ‖A‖ eps)", testmat.ProductRatio(a, q, r))
		checkRatio(t, name+": ‖I - QᵀQ‖/(l eps)", testmat.OrthogonalRatio(q))
	}
	if regular && k > 0 {
		var x mat.Dense
		b := testmat.Random(testutil.Rand(7), l, 3)
		testutil.NoError(t, f.SolveTo(&x, b.Dense()))
		checkLeastSquares(t, name, a, testmat.Of(&x), b)
		// Rows: Q R⁻ᵀ is the transposed pseudoinverse, so A⁺A = I up to the condition number.
		p := q.Dense()
		testutil.NoError(t, SolveTriangularRows(f.Backend, p, rd, true))
		pf := testmat.Of(p).T()
		checkRatio(t, name+": ‖I - A⁺A‖/(l ‖A‖ ‖A⁺‖ eps)",
			testmat.Over(testmat.Identity(k).Sub(pf.Mul(a)).Norm(), float64(l)*eps, pf.Norm(), a.Norm()))
		if k <= 20 {
			inv := testmat.Identity(k).Dense()
			testutil.NoError(t, SolveTriangularRows(f.Backend, inv, rd, false))
			checkRCond(t, name, f.RCond(), r, testmat.Of(inv))
		}
	}
	testutil.NoError(t, f.FactorizeInPlace(ad))
	p := f.QInPlace()
	intact()
	if k > 0 && (&p.RawMatrix().Data[0] != &ad.RawMatrix().Data[0] || !testmat.SameBits(testmat.Of(p).X, q.X)) {
		t.Errorf("%s: QInPlace differs from QTo", name)
	}
	testutil.MustPanic(t, notFactorized, func() { f.RCond() })
}

// checkLeastSquares tests, like LAPACK's dqrt17, that the residual of least squares is orthogonal to A,
// ‖Aᵀ(B - AX)‖ <= c l eps ‖A‖ ‖B‖ for a backward stable solution. The scale is divided out of A and
// goes to X, so that nothing overflows.
func checkLeastSquares(t *testing.T, name string, a, x, b *full) {
	t.Helper()
	an, xn := a.Scaled(1/a.Norm()), x.Scaled(a.Norm())
	res := b.Sub(an.Mul(xn))
	checkRatio(t, name+": ‖Aᵀ(B - A X)‖",
		testmat.Over(an.T().Mul(res).Norm(), float64(max(a.R, a.C))*eps, an.T().Norm(), b.Norm()+an.Norm()*xn.Norm()))
}

// QR reports matrices without a solution and an R beyond float64, and factors subnormal numbers.
func TestQRExtremes(t *testing.T) {
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
		// [3; 4] = Q R with R = -5 and Q = -[3; 4]/5, in subnormal numbers, of which 1/5e-310
		// overflows; they have 14 digits or so.
		var q mat.Dense
		testutil.NoError(t, f.Factorize(mat.NewDense(2, 1, []float64{3e-310, 4e-310})))
		f.QTo(&q)
		if !(math.Abs(q.At(0, 0)+0.6) <= 1e-12) || !(math.Abs(q.At(1, 0)+0.8) <= 1e-12) {
			t.Errorf("Q = %v of subnormal numbers", q.RawMatrix().Data)
		}
	})
}

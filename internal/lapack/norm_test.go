package lapack

import (
	"math"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
	gonummat "gonum.org/v1/gonum/mat"
)

// The norm of matrices of several strips, and of those with an element that is not finite.
func TestLange(t *testing.T) {
	bk, rng := On(nil), testutil.Rand(63)
	for _, r := range []int{1, 2, 3, 4, 5, 11} {
		for _, c := range []int{1, 2, 7, sumWidth - 1, sumWidth, sumWidth + 1, 2*sumWidth + 3} {
			d := testutil.RandomView(rng, r, c)
			a := block.Dense(d.RawMatrix().Data, d.RawMatrix().Stride)
			ref := mat.Norm(d, 1)
			if norm := Lange(bk, r, c, a); !(math.Abs(norm-ref) <= float64(r)*0x1p-53*ref) {
				t.Errorf("%d×%d: norm %v, want %v", r, c, norm, ref)
			}
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				i, j := rng.IntN(r), rng.IntN(c)
				d.Set(i, j, v)
				if norm := Lange(bk, r, c, a); isFinite(norm) {
					t.Errorf("%d×%d: %v at (%d, %d): norm %v", r, c, v, i, j, norm)
				}
				d.Set(i, j, 0)
			}
		}
	}
}

// TestNorm1 compares estimates with gonum's Dlacn2, which they are not below, and with the norm, which
// they are not above.
func TestNorm1(t *testing.T) {
	r := testutil.Rand(11)
	exact := 0
	const trials = 400
	for trial := range trials {
		n := 1 + trial%13
		a := testutil.Random(r, n, n)
		for i := range n {
			for j := range n {
				a.Set(i, j, math.Pow(a.At(i, j), 3))
			}
		}
		multiply := func(x []float64, trans bool) {
			m := gonummat.Matrix(a)
			if trans {
				m = a.T()
			}
			var y gonummat.VecDense
			y.MulVec(m, gonummat.NewVecDense(n, x))
			copy(x, y.RawVector().Data)
		}
		e := newNorm1(make([]float64, n))
		for e.next() {
			multiply(e.x, e.trans)
		}
		var save [3]int
		v, x, signs, want, kase := make([]float64, n), make([]float64, n), make([]int, n), 0.0, 0
		for {
			want, kase = gonum.Implementation{}.Dlacn2(n, v, x, signs, want, kase, &save)
			if kase == 0 {
				break
			}
			multiply(x, kase == 2)
		}
		norm := gonummat.Norm(a, 1)
		if !(e.est >= want*(1-1e-14)) || !(e.est <= norm*(1+1e-14)) {
			t.Fatalf("n=%d: the estimate is %g, gonum's %g, and the norm %g", n, e.est, want, norm)
		}
		if e.est >= norm*(1-1e-14) {
			exact++
		}
	}
	if exact < trials*8/10 {
		t.Errorf("only %d of %d estimates are the norm", exact, trials)
	}
}

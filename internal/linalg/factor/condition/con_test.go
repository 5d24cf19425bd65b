package condition

import (
	"math"
	"testing"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// TestNorm1 checks that estimates are neither below the estimates of gonum's Dlacn2 nor above the norm.
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
			m := mat.Matrix(a)
			if trans {
				m = a.T()
			}
			var y mat.VecDense
			y.MulVec(m, mat.NewVecDense(n, x))
			copy(x, y.RawVector().Data)
		}
		e := norm1{x: make([]float64, n), signs: make([]float64, n)}
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
		norm := mat.Norm(a, 1)
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

package blsupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// dependent returns a with all columns but two replaced by copies of the first.
func dependent(a *mat.Dense) *mat.Dense {
	out := gonummat.DenseCopyOf(a)
	for j := 2; j < dense.Cols(a); j++ {
		out.SetCol(j, gonummat.Col(nil, 0, a))
	}
	return out
}

// TestHostileColumns has columns of zeros, of ones, repeated, opposite, and of all scales.
func TestHostileColumns(t *testing.T) {
	const k, l, c = 6, 30, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, test := range []struct {
			name     string
			change   func(a *mat.Dense, i int) // row i
			singular bool
			// The ridge and minimum-norm solutions have w4 = ratio w1 for columns 1 and 4.
			// NaN stands for no relation.
			ratio float64
		}{
			{"zeros", func(a *mat.Dense, i int) { a.Set(i, 4, 0) }, true, 0},
			{"ones", func(a *mat.Dense, i int) { a.Set(i, 4, 1) }, false, math.NaN()},
			{"two of ones", func(a *mat.Dense, i int) { a.Set(i, 1, 1); a.Set(i, 4, 1) }, true, 1},
			{"twice", func(a *mat.Dense, i int) { a.Set(i, 4, a.At(i, 1)) }, true, 1},
			{"opposite", func(a *mat.Dense, i int) { a.Set(i, 4, -a.At(i, 1)) }, true, -1},
			{"three times", func(a *mat.Dense, i int) { a.Set(i, 4, 3*a.At(i, 1)) }, true, 3},
			{"the smallest number", func(a *mat.Dense, i int) { a.Set(i, 4, 0x1p-1074*float64(i%2)) }, true, 0},
		} {
			for _, lambda := range []float64{0, 1e-3} {
				_, a, y := problem(84, 0, l, k, c)
				for i := range l {
					test.change(a, i)
				}
				name := fmt.Sprintf("%s, lambda=%g", test.name, lambda)
				cuts := []int{l - 4, l}
				if lambda > 0 && !v.ridgeSolver() {
					// Original and Improved solve the ridge problem only for the
					// rows of a start.
					cuts = cuts[1:]
				}
				u, err := v.add(b, a, y, lambda, cuts...)
				if !v.answers(t, name, u, err, a, y, lambda, lambda > 0 || !test.singular) {
					continue
				}
				if math.IsNaN(test.ratio) {
					continue
				}
				w := weights(t, u)
				tol := 10 * v.accuracy(l, kappaOf(a, max(lambda, 1e-3))) * w.Norm(2)
				for j := range c {
					if got, want := w.At(4, j), test.ratio*w.At(1, j); !(math.Abs(got-want) <= tol*(1+math.Abs(test.ratio))) {
						t.Errorf("%s: weights %v and %v, want the ratio %g", name, w.At(1, j), got, test.ratio)
					}
				}
			}
		}
	})
}

// checkNoDigits fails the test unless there is an error that says that the weights are not determined,
// or are beyond float64, or Condition has less than one digit, where rounding hides it.
func checkNoDigits(t *testing.T, name string, u Updater, err error) {
	t.Helper()
	if err == nil {
		_, err = u.Weights()
		if c := u.Condition(); err == nil && c.Digits < 1 && c.Advice != "" {
			return
		}
	}
	if !isRefusal(err) {
		t.Errorf("%s: not refused: %v", name, err)
	}
}

// answers fails the test unless the answer is right: from Original and Improved the minimum-norm
// solution without a ridge, and an error with a ridge for fewer samples than nodes; an error that says
// that there are no digits if the weights are not determined; otherwise the promised digits. It reports
// whether u has weights.
func (v variant) answers(t *testing.T, name string, u Updater, err error, a, y *mat.Dense, lambda float64, determined bool) bool {
	t.Helper()
	l, k := a.Dims()
	switch {
	case !v.ridgeSolver() && lambda == 0:
		do(t, u, err)
		_, values := pinvOf(a)
		checkLeastNorm(t, u, a, y, 10*v.accuracy(l, condition(values)), name)
		return true
	case !v.ridgeSolver() && l < k:
		if !is[*RankError](err) {
			t.Errorf("%s: %v, want a RankError", name, err)
		}
		return false
	case v.ridgeSolver() && !determined:
		checkNoDigits(t, name, u, err)
		return false
	}
	if err := checkTrusted(t, name, u, err, a, y, lambda); err != nil {
		t.Errorf("%s: refused: %v", name, err)
		return false
	}
	return true
}

// TestHostileSmallest has the smallest problems: one sample, one node, one target, and one of each.
func TestHostileSmallest(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, size := range [][3]int{{1, 1, 1}, {1, 1, 3}, {7, 1, 1}, {1, 5, 1}, {2, 3, 2}} {
			l, k, c := size[0], size[1], size[2]
			_, a, y := problem(85, uint64(l*100+k), l+1, k, c)
			start, targets := rowsBetween(a, 0, l), rowsBetween(y, 0, l)
			for _, lambda := range []float64{0, 0.5} {
				name := fmt.Sprintf("l=%d k=%d c=%d lambda=%g", l, k, c, lambda)
				u, err := v.try(b, start, targets, lambda)
				if v.answers(t, name, u, err, start, targets, lambda, lambda > 0 || l >= k) && (v.ridgeSolver() || lambda == 0) {
					do(t, u, u.AddInputs(rowsBetween(a, l, l+1), rowsBetween(y, l, l+1)))
					v.answers(t, name+" and one more", u, nil, a, y, lambda, true)
				}
			}
		}
	})
}

// TestHostileRows has rows of zeros, an A of zeros, and the same row many times.
func TestHostileRows(t *testing.T) {
	const k, l, c = 4, 15, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(86, 0))
		// Rows of zeros carry no information, whatever their targets are.
		a, y := testutil.Random(r, l, k), testutil.Random(r, l, c)
		u := v.start(t, b, a, y, 0)
		before := weights(t, u)
		for _, q := range []int{1, 3, 3 * k} {
			do(t, u, u.AddInputs(mat.NewDense(q, k, nil), scaled(testutil.Random(r, q, c), 1e3)))
			if got := relative(weights(t, u), before); !(got <= v.accuracy(l, kappaOf(a, 0))) {
				t.Errorf("%d rows of zeros change W by %.2g", q, got)
			}
		}
		if u.Samples() != l+1+3+3*k {
			t.Errorf("%d samples", u.Samples())
		}
		// One row, a hundred times, equals that row with a weight of 100.
		row, target := testutil.Random(r, 1, k), testutil.Random(r, 1, c)
		hundred := make([]int, 100)
		many, manyY := take(row, hundred), take(target, hundred)
		one, other := v.start(t, b, a, y, 0), v.start(t, b, a, y, 0)
		do(t, one, one.AddInputs(many, manyY))
		do(t, other, other.AddInputsContext(background, row, target, []float64{100}))
		all := stack(a, many)
		if got, tol := relative(weights(t, one), weights(t, other)), 2*v.accuracy(l+100, kappaOf(all, 0)*kappaOf(a, 0)); !(got <= tol) {
			t.Errorf("a hundred times a row: W differs by %.2g, bound %.2g", got, tol)
		}

		for _, zeros := range []int{1, k, 3 * k} {
			nothing, targets := mat.NewDense(zeros, k, nil), testutil.Random(r, zeros, c)
			for _, lambda := range []float64{0, 5e-324, 1e-3, 1e300} {
				// In AᵀA + lambda I the smallest squares underflow.
				determined := lambda > 5e-324 || lambda > 0 && (v.method == QR || v.method == InverseCholesky)
				u, err := v.try(b, nothing, targets, lambda)
				name := fmt.Sprintf("%d rows of zeros, lambda=%g", zeros, lambda)
				if v.answers(t, name, u, err, nothing, targets, lambda, determined) && weights(t, u).Norm(2) != 0 {
					t.Errorf("%s: W is not zero", name)
				}
			}
		}
	})
}

package bls

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// By hand: the first target has deviations -1.5, -0.5, 0.5, 1.5 from its mean 2.5, squares 5 in all,
// and residuals 1, 0, 0, -1: R² = 1 - 2/5. The second is worse than its mean: the squares of the
// deviations sum to 4, of the residuals to 9, so R² = 1 - 9/4.
func TestDetermination(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name string
		c    int
		y, p []float64
		want float64
	}{
		{"two targets", 2, []float64{1, 0, 2, 2, 3, 0, 4, 2}, []float64{0, 3, 2, 2, 3, 0, 5, 2}, (0.6 + -1.25) / 2},
		{"perfect", 1, []float64{1, 2, 4}, []float64{1, 2, 4}, 1},
		{"the mean", 1, []float64{1, 2, 3}, []float64{2, 2, 2}, 0},
		{"constant, hit", 1, []float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.1}, 1},
		{"constant, missed", 1, []float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.2}, 0},
		{"tiny", 1, []float64{1e-200, 2e-200, 3e-200}, []float64{1e-200, 2e-200, 2e-200}, 0.5},
		{"huge", 1, []float64{1e200, 2e200, 3e200}, []float64{1e200, 2e200, 2e200}, 0.5},
		{"NaN", 1, []float64{1, 2, 3}, []float64{1, 2, nan}, nan},
		{"constant, NaN", 1, []float64{1, 1}, []float64{1, nan}, nan},
		{"infinite", 1, []float64{1, 2}, []float64{1, math.Inf(1)}, nan},
		{"beyond float64", 1, []float64{-math.MaxFloat64, math.MaxFloat64}, []float64{0, 0}, nan},
		{"spread", 1, []float64{-math.MaxFloat64, math.MaxFloat64}, []float64{-math.MaxFloat64, math.MaxFloat64}, nan},
	} {
		l := len(test.y) / test.c
		got := determination(blskernel.Default(), mat.NewDense(l, test.c, test.y), mat.NewDense(l, test.c, test.p), nil)
		if !(math.Abs(got-test.want) <= 4*eps) && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestHostileScale multiplies samples or targets by powers of two, from 2^-1000 to 2^1000. Predictions
// scale with the targets, to the last bit. With ScaleSamples and ScaleColumns the scale of the samples
// matters only for the last bits, if none underflows; with ScaleNone the problem is another one, and
// the answer is finite or an overflow. Equal targets are predicted, whatever their size.
func TestHostileScale(t *testing.T) {
	const l, d = 40, 5
	x, fresh := samples(56, l, d, d), samples(57, 20, d, d)
	y := targetsFor(x, 2)
	times := func(m *mat.Dense, power int) *mat.Dense {
		var out mat.Dense
		out.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, m)
		return &out
	}
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		predict := func(power int, y *mat.Dense) (*mat.Dense, error) {
			_, r := small(bk, m, s, ridgeFor(m))
			if err := r.Fit(times(rowsOf(x, 0, 30), power), rowsOf(y, 0, 30)); err != nil {
				return nil, err
			}
			if err := r.PartialFit(times(rowsOf(x, 30, l), power), rowsOf(y, 30, l)); err != nil {
				return nil, err
			}
			return r.Predict(times(fresh, power))
		}
		want, err := predict(0, y)
		must(t, err)
		for _, power := range []int{-1000, -500, 500, 1000} {
			got, err := predict(power, y)
			if s == ScaleNone {
				if err == nil && firstNotFinite(got) >= 0 || err != nil && !errors.Is(err, blsupdate.ErrOverflow) {
					t.Errorf("samples times 2^%d: predictions are not finite, or %v", power, err)
				}
			} else if must(t, err); !gonum.Equal(got, want) {
				t.Errorf("samples times 2^%d: predictions differ by %g", power, maxDiff(got, want))
			}
		}
		for _, power := range []int{-900, -500, 500, 980} {
			got, err := predict(0, times(y, power))
			if must(t, err); !gonum.Equal(times(got, -power), want) {
				t.Errorf("targets times 2^%d: predictions are other multiples", power)
			}
		}
		for _, v := range []float64{0, 1e300, -math.MaxFloat64, 5e-324, 0.1} {
			got, err := predict(0, mat.NewDense(l, 1, slices.Repeat([]float64{v}, l)))
			if must(t, err); !slices.Equal(got.RawMatrix().Data, slices.Repeat([]float64{v}, 20)) {
				t.Errorf("targets of %v: predictions %v", v, got.RawMatrix().Data)
			}
		}
	})
}

// TestHostileLambda has ridges from 0 and the smallest number to the largest, on samples of which half
// are enough. The weights are finite, or an error says that the nodes are dependent; the largest ridges
// predict the mean.
func TestHostileLambda(t *testing.T) {
	const l, d = 60, 5
	x := samples(60, l, d, d)
	y := targetsFor(x, 1)
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		for _, lambda := range []float64{0, 5e-324, 1e-300, 1e-20, 0x1p-30, 1, 1e20, 1e300, math.MaxFloat64} {
			_, r := small(bk, m, s, lambda)
			err := r.Fit(x, y)
			var p *mat.Dense
			if err == nil {
				p, err = r.Predict(x)
			}
			var ill *blsupdate.ConditionError
			switch {
			case errors.As(err, &ill) && lambda <= 1e-20: // 7 of 16 columns are combinations of others
			case err != nil:
				t.Errorf("lambda=%g: %v", lambda, err)
			case firstNotFinite(p) >= 0:
				t.Errorf("lambda=%g: predictions are not finite", lambda)
			case lambda >= 1e20:
				for i := range l {
					if mean := r.Center()[0]; !(math.Abs(p.At(i, 0)-mean) <= 1e-12*math.Abs(mean)) {
						t.Fatalf("lambda=%g: prediction %v, want the mean %v", lambda, p.At(i, 0), mean)
					}
				}
			}
		}
	})
}

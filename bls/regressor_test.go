package bls

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// surface returns n points of the unit square, with the constants 0 and 1 beside them, and two smooth
// functions of them.
func surface(seed uint64, n int) (x, y *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, 4, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		a, b := rnd.Float64(), rnd.Float64()
		copy(x.RawRowView(i), []float64{a, b, 0, 1})
		copy(y.RawRowView(i), []float64{5 + math.Sin(3*a)*math.Exp(b), a*b - 100})
	}
	return x, y
}

// Measured on new points after 800: a largest error of 2.6e-3 and 1-R² of 7e-7, the same with both
// methods and all backends; after the first 200 points 3.3e-3 and 7e-7. The bounds are four times
// as wide.
func TestRegressorSurface(t *testing.T) {
	x, y := surface(1, 800)
	fresh, want := surface(2, 500)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range methods {
			r := &Regressor{Backend: bk, Method: method, Features: plain(FeatureOptions{Groups: 1, GroupNodes: 6, EnhancementNodes: 30, Seed: 1}), Update: blsupdate.Options{Lambda: None}}
			for _, b := range [][2]int{{0, 200}, {200, 225}, {225, 800}} {
				must(t, r.PartialFit(rowsOf(x, b[0], b[1]), rowsOf(y, b[0], b[1])))
				got := predicted(t, r, fresh)
				if e := maxDiff(t, got, want); !(e <= 0.015) {
					t.Errorf("%v: off by %g after %d points", method, e, b[1])
				}
				s, err := r.Score(fresh, want)
				must(t, err)
				if !(1-s <= 3e-6 && s <= 1) {
					t.Errorf("%v: R² = 1 - %g after %d points", method, 1-s, b[1])
				}
			}
		}
	})
}

// What the type's documentation says of Algorithm 1: the level and the size of a sample do not reach
// the nodes, unless constants are beside it. Rounding moves predictions by far less than the 1e-2 that
// tell the cases apart.
func TestRegressorDoesNotSeeLevel(t *testing.T) {
	x, y := surface(1, 200)
	moved := func(x *mat.Dense) *mat.Dense {
		var out mat.Dense
		out.Apply(func(_, j int, v float64) float64 {
			if j < 2 {
				return 2*v + 1
			}
			return v
		}, x)
		return &out
	}
	bare := x.Slice(0, 200, 0, 2).(*mat.Dense)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, test := range []struct {
			name  string
			x     *mat.Dense
			moves bool
		}{{"bare", bare, false}, {"with constants", x, true}} {
			r := &Regressor{Backend: bk, Features: plain(FeatureOptions{Groups: 1, GroupNodes: 4, EnhancementNodes: 10}), Update: blsupdate.Options{Lambda: 1e-6}, Method: blsupdate.Improved}
			must(t, r.Fit(test.x, y))
			a := predicted(t, r, test.x)
			b := predicted(t, r, moved(test.x))
			if e := maxDiff(t, a, b); (e > 1e-2) != test.moves || math.IsNaN(e) {
				t.Errorf("%s: predictions move by %g", test.name, e)
			}
		}
	})
}

// Targets that are multiples of 2⁻²⁰ below 2 in size can be shifted by 2²⁰ without rounding. What is
// rounded are the means, to eps·2²⁰, a constant that the intercept takes up; and what is left of the
// targets, to eps, which κ of [A, 1] amplifies at most, times sqrt(l) in norm.
func TestRegressorShift(t *testing.T) {
	const shift = 1 << 20
	x, y := surface(3, 130)
	y.Apply(func(_, j int, v float64) float64 {
		if j == 1 {
			v += 100
		}
		return math.Round(v*0x1p17) / 0x1p20
	}, y)
	var far mat.Dense
	far.Apply(func(_, _ int, v float64) float64 { return v + shift }, y)
	fresh, _ := surface(4, 50)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range methods {
			for _, lambda := range []float64{0, 1e-3, 10} {
				predict := func(y *mat.Dense) (*mat.Dense, *model) {
					r := &Regressor{Backend: bk, Method: method, Features: plain(FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 8, Seed: 1}), Update: blsupdate.Options{Lambda: orNone(lambda)}}
					for i := 1; i < len(batches); i++ {
						must(t, r.PartialFit(rowsOf(x, batches[i-1], batches[i]), rowsOf(y, batches[i-1], batches[i])))
					}
					p := predicted(t, r, fresh)
					return p, r.model
				}
				near, m := predict(y)
				got, _ := predict(&far)
				got.Apply(func(_, _ int, v float64) float64 { return v - shift }, got)
				tol := 10*eps*shift + 10*math.Sqrt(130)*eps/m.updater.Condition().RCond
				if e := maxDiff(t, got, near); !(e <= tol) {
					t.Errorf("%v, lambda %g: off by %g, more than %g", method, lambda, e, tol)
				}
			}
		}
	})
}

// With an intercept the residuals of a least-squares fit sum to zero over all samples of all batches,
// also where the later batches have other means than the first, and without one they do not. W has a
// relative error of at most 50 sqrt(l) eps κ, or 10 sqrt(l) eps κ² by Large; in the sum that is
// ‖A‖‖W‖ sqrt(l) times as much. Three linear nodes keep κ small, and no combination of them is near a
// constant.
func TestRegressorResiduals(t *testing.T) {
	const l = 130
	x := samples(21, l, 12, 12)
	y := targetsFor(x, 2)
	for i := range l {
		y.Set(i, 1, y.At(i, 1)+float64(i/60))
	}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range methods {
			for _, without := range []bool{false, true} {
				r := &Regressor{Backend: bk, Method: method, NoIntercept: without, Features: plain(FeatureOptions{Groups: 1, GroupNodes: 3, Seed: 4}), Update: blsupdate.Options{Lambda: None}}
				for i := 1; i < len(batches); i++ {
					must(t, r.PartialFit(rowsOf(x, batches[i-1], batches[i]), rowsOf(y, batches[i-1], batches[i])))
				}
				p := predicted(t, r, x)
				w, err := r.model.currentWeights()
				must(t, err)
				a := expanded(t, r.model, x)
				kappa := gonum.Cond(rowsOf(a, 0, batches[1]), 2)
				tol := 50 * eps * kappa
				if method == blsupdate.Improved {
					tol = max(tol, 10*eps*kappa*kappa)
				}
				tol *= l * gonum.Norm(a, 2) * gonum.Norm(w, 2)
				var diff mat.Dense
				diff.Sub(y, p)
				for j := range 2 {
					s := math.Abs(gonum.Sum(diff.ColView(j)))
					if !without && !(s <= tol) || without && !(s > tol) {
						t.Errorf("%v, NoIntercept %v: residuals of target %d sum to %g, bound %g", method, without, j, s, tol)
					}
				}
			}
		}
	})
}

// By hand: the first target has deviations -1.5, -0.5, 0.5, 1.5 from its mean 2.5, squares 5 in all,
// and residuals 1, 0, 0, -1: R² = 1 - 2/5. The second is worse than its mean: squares of the deviations
// 4, of the residuals 9, R² = 1 - 9/4.
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
	} {
		l := len(test.y) / test.c
		got := determination(blskernel.Default(), mat.NewDense(l, test.c, test.y), mat.NewDense(l, test.c, test.p))
		if !(math.Abs(got-test.want) <= 4*eps) && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestModelsLeaveInputs(t *testing.T) {
	x, y := surface(8, 60)
	keptX, keptY := gonum.DenseCopyOf(x), gonum.DenseCopyOf(y)
	r := &Regressor{Features: plain(FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 5}), Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
	must(t, r.Fit(x, y))
	must(t, r.PartialFit(x, y))
	before := predicted(t, r, keptX)
	_, err := r.Score(x, y)
	must(t, err)
	if !gonum.Equal(x, keptX) || !gonum.Equal(y, keptY) {
		t.Error("the samples or targets were modified")
	}
	x.Zero()
	y.Zero()
	after := predicted(t, r, keptX)
	if !gonum.Equal(before, after) {
		t.Error("the samples or targets were kept")
	}
}

// TestHostileTargets multiplies targets by powers of two, up to 1e300: predictions are multiplied to
// the bit. Targets that are all the same are predicted, whatever their size.
func TestHostileTargets(t *testing.T) {
	const l, d = 40, 5
	x, fresh := samples(58, l, d, d), samples(59, 20, d, d)
	y := targetsFor(x, 2)
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		predict := func(y *mat.Dense) *mat.Dense {
			_, r := small(bk, m, s, ridgeFor(m))
			must(t, r.Fit(rowsOf(x, 0, 30), rowsOf(y, 0, 30)))
			must(t, r.PartialFit(rowsOf(x, 30, l), rowsOf(y, 30, l)))
			p := predicted(t, r, fresh)
			return p
		}
		want := predict(y)
		for _, power := range []int{-900, -500, 500, 980} {
			var scaled, back mat.Dense
			scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, y)
			back.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -power) }, predict(&scaled))
			if !gonum.Equal(&back, want) {
				t.Errorf("2^%d: predictions differ by %g", power, maxDiff(t, &back, want))
			}
		}
		for _, v := range []float64{0, 1e300, -math.MaxFloat64, 5e-324, 0.1} {
			constant := mat.NewDense(l, 1, slices.Repeat([]float64{v}, l))
			for i, p := range predict(constant).RawMatrix().Data {
				if p != v {
					t.Errorf("targets of %v: prediction %d is %v", v, i, p)
				}
			}
		}
	})
}

// TestHostileLambda has ridges from 0 over the smallest number to the largest, on samples of which half
// are enough: weights that are finite, or an error that says that the nodes are dependent, and with the
// largest ridges predictions of the mean.
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

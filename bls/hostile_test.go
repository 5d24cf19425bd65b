package bls

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// notNumbers are NaN of every kind, quiet and signaling, of either sign, with the smallest and the
// largest payload, and the infinities.
var notNumbers = []float64{
	math.Float64frombits(0x7ff8000000000001), math.Float64frombits(0xfff8000000000001),
	math.Float64frombits(0x7ff0000000000001), math.Float64frombits(0xfff0000000000001),
	math.Float64frombits(0x7fffffffffffffff), math.Float64frombits(0xffffffffffffffff),
	math.Inf(1), math.Inf(-1),
}

// eachMethod runs f for all methods on every backend, and for each kind of scaling.
func eachMethod(t *testing.T, f func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling)) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, m := range blsupdate.Methods() {
			for _, s := range []Scaling{ScaleSamples, ScaleColumns, ScaleNone} {
				t.Run(fmt.Sprintf("method=%v/scaling=%v", m, s), func(t *testing.T) { f(t, bk, m, s) })
			}
		}
	})
}

// ridgeFor returns a ridge with which every method starts from few and from dependent samples: none for
// those that have the pseudoinverse.
func ridgeFor(m blsupdate.Method) float64 {
	if m == blsupdate.Original || m == blsupdate.Improved {
		return 0
	}
	return 0x1p-20
}

func smallFeatures(s Scaling) FeatureOptions {
	return FeatureOptions{Scaling: s, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 3}
}

func constantly(l, label int) []int { return slices.Repeat([]int{label}, l) }

// TestHostileNaN gives every matrix of every call of both models a NaN or an infinity of each kind: the
// error has the place, and not a bit of the model changes.
func TestHostileNaN(t *testing.T) {
	const l, d = 30, 4
	x := samples(51, l, d, d)
	y, labels := targetsFor(x, 2), cyclic(l, 3)
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		c := &Classifier{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: blsupdate.Options{Lambda: ridgeFor(m)}}
		r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: blsupdate.Options{Lambda: ridgeFor(m)}}
		must(t, c.Fit(x, labels))
		must(t, r.Fit(x, y))
		state := func() []byte {
			return append(encoded(t, c), encoded(t, r)...)
		}
		before := state()
		for _, call := range []struct {
			name   string
			matrix string
			good   *mat.Dense
			do     func(bad *mat.Dense) error
		}{
			{"Classifier.Fit", "X", x, func(bad *mat.Dense) error { return c.Fit(bad, labels) }},
			{"Classifier.PartialFit", "X", x, func(bad *mat.Dense) error { return c.PartialFit(bad, labels) }},
			{"Classifier.Expand", "X", x, func(bad *mat.Dense) error { _, _, err := c.Expand(bad, labels); return err }},
			{"Classifier.Predict", "X", x, func(bad *mat.Dense) error { _, err := c.Predict(bad); return err }},
			{"Classifier.Score", "X", x, func(bad *mat.Dense) error { _, err := c.Score(bad, labels); return err }},
			{"Regressor.Fit", "X", x, func(bad *mat.Dense) error { return r.Fit(bad, y) }},
			{"Regressor.Fit", "Y", y, func(bad *mat.Dense) error { return r.Fit(x, bad) }},
			{"Regressor.PartialFit", "X", x, func(bad *mat.Dense) error { return r.PartialFit(bad, y) }},
			{"Regressor.PartialFit", "Y", y, func(bad *mat.Dense) error { return r.PartialFit(x, bad) }},
			{"Regressor.Expand", "X", x, func(bad *mat.Dense) error { _, _, err := r.Expand(bad, y); return err }},
			{"Regressor.Expand", "Y", y, func(bad *mat.Dense) error { _, _, err := r.Expand(x, bad); return err }},
			{"Regressor.Predict", "X", x, func(bad *mat.Dense) error { _, err := r.Predict(bad); return err }},
			{"Regressor.Score", "X", x, func(bad *mat.Dense) error { _, err := r.Score(bad, y); return err }},
			{"Regressor.Score", "Y", y, func(bad *mat.Dense) error { _, err := r.Score(x, bad); return err }},
		} {
			_, cols := call.good.Dims()
			for _, at := range [][2]int{{0, 0}, {17, cols - 1}, {l - 1, cols - 1}} {
				for _, v := range notNumbers {
					bad := gonum.DenseCopyOf(call.good)
					bad.Set(at[0], at[1], v)
					var e *NotFiniteError
					err := call.do(bad)
					if !errors.As(err, &e) || e.Matrix != call.matrix || e.Row != at[0] || e.Col != at[1] || e.Value != v && !(math.IsNaN(e.Value) && math.IsNaN(v)) {
						t.Errorf("%s: %v (%x) at %v of %s: %v", call.name, v, math.Float64bits(v), at, call.matrix, err)
					}
				}
			}
		}
		if !bytes.Equal(state(), before) {
			t.Error("the models have changed")
		}
	})
}

// TestHostileOneClass has labels of one class only, be it the first or not: that is what is predicted
// for samples such as those, and also when more of them come.
func TestHostileOneClass(t *testing.T) {
	const l, d = 40, 5
	x, fresh := samples(52, l, d, d), samples(53, 200, d, d)
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		for _, label := range []int{0, 3} {
			c := &Classifier{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: blsupdate.Options{Lambda: ridgeFor(m)}}
			for _, batch := range [][2]int{{0, 25}, {25, l}} {
				must(t, c.PartialFit(rowsOf(x, batch[0], batch[1]), constantly(batch[1]-batch[0], label)))
				for _, m := range []*mat.Dense{x, fresh} {
					rows, _ := m.Dims()
					got := predicted(t, c, m)
					if !slices.Equal(got, constantly(rows, label)) {
						t.Errorf("class %d alone, %d samples: %v", label, batch[1], got)
					}
				}
			}
			if s, err := c.Score(x, constantly(l, label)); err != nil || s != 1 {
				t.Errorf("class %d alone: accuracy %v, %v", label, s, err)
			}
		}
	})
}

// TestHostileFewSamples starts from one sample, from two, and from samples of one input: what is
// learned is predicted, and all is finite.
func TestHostileFewSamples(t *testing.T) {
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		for _, size := range [][2]int{{1, 1}, {1, 6}, {2, 1}, {2, 6}, {9, 1}} {
			l, d := size[0], size[1]
			x := samples(54, l, d, d)
			y := mat.NewDense(l, 2, nil)
			labels := make([]int, l)
			for i := range l {
				labels[i] = (i + 1) % 2
				y.SetRow(i, []float64{float64(i) - 3, 1e-3})
			}
			opt := blsupdate.Options{Lambda: ridgeFor(m)}
			c := &Classifier{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: opt, Classes: 2}
			must(t, c.Fit(x, labels))
			r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: opt}
			must(t, r.Fit(x, y))
			classes := predicted(t, c, x)
			p := predicted(t, r, x)
			if firstNotFinite(p) >= 0 {
				t.Fatalf("l=%d d=%d: predictions are not finite", l, d)
			}
			// One sample determines its own prediction, but for the ridge; so do two that
			// are told apart.
			if l == 1 || l == 2 && (d > 1 || s != ScaleSamples) {
				if !slices.Equal(classes, labels) {
					t.Errorf("l=%d d=%d: predicted %v, want %v", l, d, classes, labels)
				}
				if diff := maxDiff(t, p, y); !(diff <= 1e-3) {
					t.Errorf("l=%d d=%d: predictions are off by %g", l, d, diff)
				}
			}
			// With ScaleSamples one input is no information: all samples are the same, with
			// the mean for a target.
			if d == 1 && s == ScaleSamples {
				for j, mean := range columnMeans(y, nil) {
					for i := range l {
						if !(math.Abs(p.At(i, j)-mean) <= 1e-4) {
							t.Errorf("l=%d: prediction %v, want the mean %v", l, p.At(i, j), mean)
						}
					}
				}
			}
			must(t, c.PartialFit(x, labels))
			must(t, r.PartialFit(x, y))
		}
	})
}

// TestHostileSamples has samples of zeros, the same sample many times, constant inputs and inputs that
// are there twice. Samples that are the same have the mean of their targets for a prediction, and most
// votes for a class.
func TestHostileSamples(t *testing.T) {
	const l, d = 30, 4
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		same := mat.NewDense(l, d, nil)
		for i := range l {
			same.SetRow(i, []float64{0.3, -2, 0.1, 7})
		}
		labels, y := make([]int, l), mat.NewDense(l, 1, nil)
		for i := range l {
			if i%3 == 0 {
				labels[i] = 1
			}
			y.Set(i, 0, float64(i))
		}
		opt := blsupdate.Options{Lambda: ridgeFor(m)}
		for name, x := range map[string]*mat.Dense{"zeros": mat.NewDense(l, d, nil), "the same": same} {
			c := &Classifier{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: opt}
			must(t, c.Fit(rowsOf(x, 0, 21), labels[:21]))
			must(t, c.PartialFit(rowsOf(x, 21, l), labels[21:]))
			got := predicted(t, c, x)
			if !slices.Equal(got, constantly(l, 0)) {
				t.Errorf("%s: %v, want the class of two thirds of the samples", name, got)
			}
			r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: opt}
			must(t, r.Fit(rowsOf(x, 0, 21), rowsOf(y, 0, 21)))
			must(t, r.PartialFit(rowsOf(x, 21, l), rowsOf(y, 21, l)))
			p := predicted(t, r, x)
			for i := range l {
				if !(math.Abs(p.At(i, 0)-float64(l-1)/2) <= 1e-4) {
					t.Errorf("%s: prediction %v, want the mean %v", name, p.At(i, 0), float64(l-1)/2)
					break
				}
			}
		}

		// Constant inputs and copies of inputs: finite, and with ScaleColumns constants make no
		// difference.
		x := samples(55, l, d, d)
		wide := mat.NewDense(l, 2*d+2, nil)
		for i := range l {
			row := wide.RawRowView(i)
			copy(row, x.RawRowView(i))
			copy(row[d:], x.RawRowView(i))
			row[2*d+1] = 1e6
		}
		r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: opt}
		must(t, r.Fit(wide, y))
		p := predicted(t, r, wide)
		if firstNotFinite(p) >= 0 {
			t.Error("constant inputs: predictions are not finite")
		}
	})
}

// TestHostileScale multiplies samples by 2^±500 and 2^±1000. With ScaleSamples and ScaleColumns that
// makes no difference, not to the last bit, as long as no sample underflows; with ScaleNone it is
// another problem, and the answer finite or an *OverflowError.
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
		predict := func(power int) (*mat.Dense, error) {
			r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: blsupdate.Options{Lambda: ridgeFor(m)}}
			if err := r.Fit(times(rowsOf(x, 0, 30), power), rowsOf(y, 0, 30)); err != nil {
				return nil, err
			}
			if err := r.PartialFit(times(rowsOf(x, 30, l), power), rowsOf(y, 30, l)); err != nil {
				return nil, err
			}
			return r.Predict(times(fresh, power))
		}
		want, err := predict(0)
		must(t, err)
		for _, power := range []int{-1000, -500, 500, 1000} {
			got, err := predict(power)
			switch {
			case s != ScaleNone:
				must(t, err)
				if !gonum.Equal(got, want) {
					t.Errorf("2^%d: predictions differ by %g", power, maxDiff(t, got, want))
				}
			case err != nil:
				if !errors.Is(err, blsupdate.ErrOverflow) {
					t.Errorf("2^%d: %v", power, err)
				}
			case firstNotFinite(got) >= 0:
				t.Errorf("2^%d: predictions are not finite", power)
			}
		}
	})
}

// TestHostileTargets multiplies targets by powers of two, up to 1e300: predictions are multiplied to
// the bit. Targets that are all the same are predicted, whatever their size.
func TestHostileTargets(t *testing.T) {
	const l, d = 40, 5
	x, fresh := samples(58, l, d, d), samples(59, 20, d, d)
	y := targetsFor(x, 2)
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		predict := func(y *mat.Dense) *mat.Dense {
			r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: blsupdate.Options{Lambda: ridgeFor(m)}}
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
			r := &Regressor{Backend: bk, Features: plain(smallFeatures(s)), Method: m, Update: blsupdate.Options{Lambda: orNone(lambda)}}
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

// TestHostileShrink has the smallest and the largest factors of the enhancement nodes, whose tanh is
// then 0 or ±1.
func TestHostileShrink(t *testing.T) {
	x := samples(62, 30, 5, 5)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, s := range []Scaling{ScaleSamples, ScaleColumns, ScaleNone} {
			for _, shrink := range []float64{5e-324, 1e-300, 1e300, math.MaxFloat64} {
				opt := smallFeatures(s)
				opt.Shrink, opt.Backend = shrink, bk
				f, a, err := FitTransformFeatures(x, opt)
				var e *OptionError
				if errors.As(err, &e) && e.Option == "Shrink" && shrink == math.MaxFloat64 {
					continue
				}
				must(t, err)
				for i := range 30 {
					for _, v := range a.RawRowView(i)[f.FeatureNodes():] {
						if math.IsNaN(v) || shrink < 1 && math.Abs(v) > 1e-250 || math.Abs(v) > 1 {
							t.Fatalf("Shrink = %g: a node is %v", shrink, v)
						}
					}
				}
			}
		}
	})
}

package bls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// with returns a copy of m with the element v in row 7.
func with(m *mat.Dense, v float64) *mat.Dense {
	out := gonum.DenseCopyOf(m)
	out.Set(7, 1, v)
	return out
}

// TestHostileNaN puts a NaN or an infinity of each kind into every matrix of every operation of both
// models. The error names its place, and not a bit of the models changes.
func TestHostileNaN(t *testing.T) {
	const l = 60
	p := newPair(t, nil, blsupdate.Gram).learn(0, l)
	before := p.encoded()
	for _, o := range operations {
		for _, matrix := range []string{"X", "Y"} {
			if matrix == "Y" && (o.ofClasses() || !o.has(labeled)) {
				continue
			}
			for _, at := range [][2]int{{0, 0}, {17, 1}, {l - 1, 1}} {
				for _, v := range testutil.NotNumbers {
					in := p.given(0, l)
					bad := &in.x
					if matrix == "Y" {
						bad = &in.y
					}
					*bad = gonum.DenseCopyOf(*bad)
					(*bad).Set(at[0], at[1], v)
					var e *NotFiniteError
					err := o.do(p, context.Background(), in)
					if !errors.As(err, &e) || e.Matrix != matrix || e.Row != at[0] || e.Col != at[1] || e.Value != v && !(math.IsNaN(e.Value) && math.IsNaN(v)) {
						t.Errorf("%s: %v (%x) at %v of %s: %v", o.name, v, math.Float64bits(v), at, matrix, err)
					}
				}
			}
		}
	}
	if !bytes.Equal(p.encoded(), before) {
		t.Error("the models have changed")
	}
}

// TestRefused gives invalid arguments to every operation of both models, for every method. The error
// has the right type and the same text for all operations, and not a bit of the models changes.
func TestRefused(t *testing.T) {
	const l = 60
	all := func(operation) bool { return true }
	on := func(sort, but int) func(operation) bool {
		return func(o operation) bool { return o.has(sort) && !o.has(but) }
	}
	weight := func(v float64) func(in *given) {
		return func(in *given) { in.weights = make([]float64, l); in.weights[7] = v }
	}
	label := func(v int) func(in *given) {
		return func(in *given) { in.labels = slices.Clone(in.labels); in.labels[7] = v }
	}
	tests := []struct {
		name   string
		change func(in *given)
		want   any
		of     func(o operation) bool
	}{
		{"no samples", func(in *given) { in.x = nil }, new(*ShapeError), all},
		{"empty samples", func(in *given) { in.x = &mat.Dense{} }, new(*ShapeError), all},
		{"a column less", func(in *given) { in.x = in.x.Slice(0, l, 0, 11).(*mat.Dense) }, new(*ShapeError),
			func(o operation) bool { return !o.has(starts) }},
		{"a sample far from the mean", func(in *given) { in.x = with(in.x, math.MaxFloat64) }, new(*OverflowError),
			func(o operation) bool { return !o.has(starts) }},
		{"no labels or targets", func(in *given) { in.labels, in.y = nil, nil }, new(*ShapeError), on(labeled, 0)},
		{"empty targets", func(in *given) { in.labels, in.y = []int{}, &mat.Dense{} }, new(*ShapeError), on(labeled, 0)},
		{"a label or target less", func(in *given) { in.labels, in.y = in.labels[1:], rowsOf(in.y, 1, l) }, new(*ShapeError), on(labeled, 0)},
		{"another number of targets", func(in *given) { in.y = firstColumn(in.y) }, new(*ShapeError),
			func(o operation) bool { return !o.ofClasses() && o.has(labeled) && !o.has(starts) }},
		{"a negative label", label(-1), new(*LabelError), func(o operation) bool { return o.ofClasses() && on(labeled, unchecked)(o) }},
		{"a label beyond Classes", label(3), new(*LabelError), func(o operation) bool { return o.ofClasses() && on(labeled, unchecked)(o) }},
		{"a weight of -1", weight(-1), new(*OptionError), on(weighted, 0)},
		{"a weight of NaN", weight(math.NaN()), new(*OptionError), on(weighted, 0)},
		{"a weight of +Inf", weight(math.Inf(1)), new(*OptionError), on(weighted, 0)},
		{"a weight less", func(in *given) { in.weights = make([]float64, l-1) }, new(*ShapeError), on(weighted, 0)},
	}
	for _, method := range allMethods {
		p := newPair(t, nil, method)
		p.c.Classes = 3
		p.learn(0, l)
		before := p.encoded()
		for _, test := range tests {
			in := p.given(0, l)
			test.change(&in)
			said := map[bool]string{}
			for _, o := range operations {
				if !test.of(o) {
					continue
				}
				err := o.do(p, context.Background(), in)
				if !isA(err, test.want) {
					t.Errorf("%v: %s of %s: %v, want a %T", method, o.name, test.name, err, test.want)
				} else if first := said[o.ofClasses()]; first != "" && !o.has(starts) && err.Error() != first {
					t.Errorf("%v: %s of %s: %v, and before it was %s", method, o.name, test.name, err, first)
				} else if !o.has(starts) {
					said[o.ofClasses()] = err.Error()
				}
			}
			if !bytes.Equal(p.encoded(), before) {
				t.Fatalf("%v: %s has changed a model", method, test.name)
			}
		}
		p.learn(l, 130) // they have all that an update needs
	}
}

// A refusal is an error, a part of its text, and the error or type that isA must find in it.
type refusal struct {
	says string
	err  error
	want any
}

// TestRefusedCalls makes calls, for every method, that are invalid in their own way. Each returns a
// typed error, and not a bit of the models changes.
func TestRefusedCalls(t *testing.T) {
	const l = 60
	ctx := context.Background()
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, l)
		c, r, in := p.c, p.r, p.given(0, l)
		x, y := in.x, in.y
		before := p.encoded()
		fit := func(change func(c *Classifier)) error {
			other := *c
			change(&other)
			return other.Fit(x, in.labels)
		}
		labeled := func(v int) []int {
			out := slices.Clone(in.labels)
			out[3] = v
			return out
		}
		_, score := r.Score(rowsOf(x, 0, 1), rowsOf(y, 0, 1))
		far := with(y, math.MaxFloat64)
		far.Set(8, 1, -math.MaxFloat64)
		_, scoreFar := r.Score(x, far)
		tiny := mat.NewDense(l, 2, nil)
		tiny.Apply(func(i, _ int, _ float64) float64 { return 1e-200 * float64(i) }, tiny)
		_, scoreTiny := r.Score(x, tiny)
		// The updater refuses the sums of these, and deviations from their mean.
		huge := mat.NewDense(l, 2, nil)
		huge.Apply(func(i, _ int, _ float64) float64 { return math.Copysign(math.MaxFloat64, float64(i%2)-0.5) }, huge)
		refusals := []refusal{
			{"Lambda is -2", fit(func(c *Classifier) { c.Update.Lambda = -2 }), new(*blsupdate.OptionError)},
			{"classes is -1", fit(func(c *Classifier) { c.Classes = -1 }), new(*OptionError)},
			{"ClassWeight is", fit(func(c *Classifier) { c.ClassWeight = 7 }), new(*OptionError)},
			{"ExpectedRows is -1", fit(func(c *Classifier) { c.ExpectedRows = -1 }), new(*OptionError)},
			{"label 1073741824 at index 3", c.Fit(x, labeled(1<<30)), new(*LabelError)},
			{"label 4096 at index 3 is out of range; want 0 to 4095: number the classes from 0 without gaps, or use a Regressor", c.PartialFit(x, labeled(maxInferredClasses)), new(*LabelError)},
			{"label -1 at index 3 is out of range; want 0 to 2: number the classes from 0", c.Fit(x, labeled(-1)), new(*LabelError)},
			{"label 2 at index 2 is out of range; want 0 to 1", c.Relabel([]int{0, 1, 2}, 2), new(*LabelError)},
			{"classes is -1; want a number from 1 to 2³¹-2", c.Relabel([]int{0, 1, 2}, -1), new(*OptionError)},
			{"one row for each class (3)", c.Relabel(nil, 3), new(*ShapeError)},
			{"a number from 1 to 2³¹-2", c.Relabel([]int{0, 1, 2}, math.MaxInt32), new(*OptionError)},
			{"at least two rows", score, new(*ShapeError)},
			{"", r.Fit(x, far), blsupdate.ErrOverflow},
			{"", scoreFar, blsupdate.ErrOverflow},
			{"", scoreTiny, blsupdate.ErrOverflow},
			{"", r.PartialFit(x, huge), blsupdate.ErrOverflow},
			{"", c.PartialFitContext(ctx, with(x, 1e300), in.labels, slices.Repeat([]float64{1e300}, l)), blsupdate.ErrOverflow},
		}
		refusals = append(refusals, p.refusedUpdaters(method)...)
		if method == blsupdate.Gram {
			other := newPair(t, nil, method)
			other.x = samples(34, 130, 12, 12)
			other.learn(0, l)
			more := *c
			must(t, more.RefitContext(ctx, x, cyclic(l, 4), nil))
			refusals = append(refusals, []refusal{
				{"the other model", c.Merge(other.c), new(*OptionError)},
				{"the other model", r.Merge(other.r), new(*OptionError)},
				{"", c.Merge(c), new(*blsupdate.OptionError)},
				{"call Relabel first", c.Merge(&more), new(*ShapeError)},
				{"", c.Forget(0), new(*blsupdate.OptionError)},
				{"", c.SetLambda(-1), new(*blsupdate.OptionError)},
				{"", c.RemoveContext(ctx, p.x, p.labels, nil), new(*ShapeError)}, // more rows than it has
			}...)
		}
		for i, test := range refusals {
			if !isA(test.err, test.want) || !strings.Contains(test.err.Error(), test.says) {
				t.Errorf("%v, refusal %d: %v, want a %T and %q", method, i, test.err, test.want, test.says)
			}
		}
		if !bytes.Equal(p.encoded(), before) {
			t.Errorf("%v: errors have changed a model", method)
		}
	}
}

// TestUnfitted calls the methods that need a fitted model.
func TestUnfitted(t *testing.T) {
	p := newPair(t, nil, blsupdate.Gram)
	in := p.given(0, 60)
	good := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	errs := map[string]error{
		"Classifier.Encode": p.c.Encode(io.Discard), "Forget": p.c.Forget(0.5), "Merge": p.c.Merge(good.c), "Merge of one": good.c.Merge(p.c),
		"Merge nil": good.c.Merge(nil), "SetLambda": p.c.SetLambda(1), "Relabel": p.c.Relabel(nil, 1), "Regressor.Encode": p.r.Encode(io.Discard),
		"Regressor.Merge": p.r.Merge(good.r), "Regressor.Merge of one": good.r.Merge(p.r), "Regressor.Merge nil": good.r.Merge(nil),
	}
	_, errs["Weights"] = p.c.Weights()
	_, errs["PredictProba"] = p.c.PredictProba(in.x)
	_, errs["Classifier.WithUpdater"] = p.c.WithUpdater(good.c.Updater())
	_, errs["Regressor.WithUpdater"] = p.r.WithUpdater(good.r.Updater())
	for _, o := range operations {
		if !o.has(starts) && !strings.Contains(o.name, "PartialFit") {
			errs[o.name] = o.do(p, context.Background(), in)
		}
	}
	for name, err := range errs {
		if !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, r := p.c, p.r
	if c.Updater() != nil || c.FittedFeatures() != nil || r.Center() != nil || c.NumClasses() != 0 || c.ClassCounts() != nil ||
		c.Choice() != (Choice{}) || c.Calibrated() {
		t.Error("a model that is not fitted has parts")
	}
}

// TestFeatureOptions has options that FitFeatures refuses; TestRefused has samples that it refuses.
func TestFeatureOptions(t *testing.T) {
	x := samples(1, 10, 4, 4)
	for _, test := range []struct {
		opt  FeatureOptions
		want string
	}{
		{FeatureOptions{Groups: -1}, "Groups"},
		{FeatureOptions{GroupNodes: -1}, "GroupNodes"},
		{FeatureOptions{Groups: 1 << 20, GroupNodes: 1 << 20}, "GroupNodes"},
		{FeatureOptions{EnhancementNodes: -2}, "EnhancementNodes"},
		{FeatureOptions{EnhancementNodes: math.MaxInt32}, "EnhancementNodes"},
		{FeatureOptions{Shrink: math.NaN()}, "Shrink"},
		{FeatureOptions{Shrink: math.Inf(1)}, "Shrink"},
		{FeatureOptions{Shrink: 0.8, Unscaled: true}, "Shrink"},
		{FeatureOptions{Enhancement: 2}, "Enhancement is EnhancementWeights(2); want Orthonormal or Uniform"},
		{FeatureOptions{Scaling: 5}, "Scaling"},
	} {
		f, err := FitFeatures(x, test.opt)
		var e *OptionError
		if !errors.As(err, &e) || !strings.HasPrefix(test.want, e.Option) || !strings.Contains(err.Error(), test.want) || f != nil {
			t.Errorf("%+v: %v, %v; want an error of %s", test.opt, f, err, test.want)
		}
	}
}

// With one node of each kind, the input of the enhancement node is w0 z + 0.1 w1 with z in [0,1], so
// some seeds make all of it negative.
func TestScaleError(t *testing.T) {
	x := samples(1, 10, 4, 4)
	failed := 0
	for seed := range uint64(40) {
		opt := FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Seed: seed}
		var e *ScaleError
		if f, err := FitFeatures(x, opt); err != nil {
			failed++
			if !errors.As(err, &e) || e.Max > 0 || f != nil || !strings.Contains(err.Error(), "another Seed") {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		r := &Regressor{Features: opt, Update: blsupdate.Options{Lambda: 1}}
		for i := range 10 {
			if r.PartialFit(rowsOf(x, i, i+1), rowsOf(x, i, i+1)) == nil {
				encoded(t, r) // which fits the kept samples if PartialFit has not
			}
		}
		opt.Unscaled = true
		mustFit(t, x, opt)
	}
	if failed == 0 || failed == 40 {
		t.Errorf("%d of 40 seeds failed", failed)
	}
}

package bls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// small returns unfitted models of both kinds for a method, with 16 nodes; lambda = 0 means no ridge.
func small(bk blskernel.Backend, method blsupdate.Method, s Scaling, lambda float64) (*Classifier, *Regressor) {
	features := plain(FeatureOptions{Scaling: s, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 3})
	update := blsupdate.Options{Lambda: orNone(lambda)}
	return &Classifier{Backend: bk, Features: features, Method: method, Update: update},
		&Regressor{Backend: bk, Features: features, Method: method, Update: update}
}

// eachMethod runs f for all methods on every backend, and for each kind of scaling.
func eachMethod(t *testing.T, f func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling)) {
	t.Helper()
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, m := range blsupdate.Methods() {
			for _, s := range []Scaling{ScaleSamples, ScaleColumns, ScaleNone} {
				t.Run(fmt.Sprintf("method=%v/scaling=%v", m, s), func(t *testing.T) { f(t, bk, m, s) })
			}
		}
	})
}

// ridgeFor returns a ridge with which every method can start from few and from dependent samples: none
// for methods that use the pseudoinverse.
func ridgeFor(m blsupdate.Method) float64 {
	if m == blsupdate.Original || m == blsupdate.Improved {
		return 0
	}
	return 0x1p-20
}

func constantly(l, label int) []int { return slices.Repeat([]int{label}, l) }

// A pair is a model of each kind, with samples, and labels of three classes and targets for them.
type pair struct {
	t      testing.TB
	c      *Classifier
	r      *Regressor
	x, y   *mat.Dense
	labels []int
}

// newPair returns small unfitted models, with as many samples as batches covers.
func newPair(t testing.TB, bk blskernel.Backend, method blsupdate.Method) *pair {
	t.Helper()
	c, r := small(bk, method, ScaleColumns, 0x1p-10)
	l := batches[len(batches)-1]
	x := samples(31, l, 12, 14)
	return &pair{t, c, r, x, targetsFor(x, 2), labelsFor(l)}
}

// learn gives the samples [from, to) to both models. The first ones fix the maps.
func (p *pair) learn(from, to int) *pair {
	p.t.Helper()
	if p.c.model == nil {
		must(p.t, p.c.Fit(rowsOf(p.x, from, to), p.labels[from:to]))
		must(p.t, p.r.Fit(rowsOf(p.x, from, to), rowsOf(p.y, from, to)))
		return p
	}
	must(p.t, p.c.PartialFit(rowsOf(p.x, from, to), p.labels[from:to]))
	must(p.t, p.r.PartialFit(rowsOf(p.x, from, to), rowsOf(p.y, from, to)))
	return p
}

// given returns the samples [from, to), of weight 1.
func (p *pair) given(from, to int) given {
	return given{x: rowsOf(p.x, from, to), y: rowsOf(p.y, from, to), labels: p.labels[from:to]}
}

func (p *pair) encoded() []byte {
	p.t.Helper()
	return append(encoded(p.t, p.c), encoded(p.t, p.r)...)
}

func (p *pair) decoded() *pair {
	p.t.Helper()
	q := *p
	var err error
	q.c, err = DecodeClassifier(bytes.NewReader(encoded(p.t, p.c)), p.c.Backend)
	must(p.t, err)
	q.r, err = DecodeRegressor(bytes.NewReader(encoded(p.t, p.r)), p.r.Backend)
	must(p.t, err)
	return &q
}

// predictions returns the scores of the classifier for all samples, followed in each row by the
// predictions of the regressor.
func (p *pair) predictions() *mat.Dense {
	p.t.Helper()
	var out mat.Dense
	out.Augment(scoresOf(p.t, p.c, p.x), predicted(p.t, p.r, p.x))
	return &out
}

// labelsFor returns labels of three classes for l samples.
func labelsFor(l int) []int {
	labels := make([]int, l)
	for i := range labels {
		labels[i] = (i + i/7) % 3
	}
	return labels
}

type given struct {
	x, y    *mat.Dense
	labels  []int
	weights []float64
}

// The arguments that an operation takes.
const (
	labeled   = 1 << iota // labels or targets
	weighted              // weights
	starts                // any number of columns, labels and targets
	unchecked             // any labels
)

// An operation is a method of one of the models that takes samples.
type operation struct {
	name  string
	takes int
	do    func(p *pair, ctx context.Context, in given) error
}

// The methods that learn from samples with labels or targets and weights.
type (
	learnLabels  func(c *Classifier, ctx context.Context, x *mat.Dense, labels []int, weights []float64) error
	learnTargets func(r *Regressor, ctx context.Context, x, y *mat.Dense, weights []float64) error
)

func (o operation) has(sort int) bool { return o.takes&sort != 0 }

func (o operation) ofClasses() bool { return o.name[0] == 'C' }

// operations are all methods that take samples, except the forms without a context.
var operations = func() (all []operation) {
	add := func(name string, takes int, c, r func(p *pair, ctx context.Context, in given) error) {
		all = append(all, operation{"Classifier." + name, takes, c})
		if r != nil {
			all = append(all, operation{"Regressor." + name, takes &^ unchecked, r})
		}
	}
	learning := func(name string, takes int, c learnLabels, r learnTargets) {
		add(name, labeled|weighted|takes,
			func(p *pair, ctx context.Context, in given) error { return c(p.c, ctx, in.x, in.labels, in.weights) },
			func(p *pair, ctx context.Context, in given) error { return r(p.r, ctx, in.x, in.y, in.weights) })
	}
	learning("FitContext", starts, (*Classifier).FitContext, (*Regressor).FitContext)
	learning("PartialFitContext", 0, (*Classifier).PartialFitContext, (*Regressor).PartialFitContext)
	learning("Refit", 0, (*Classifier).RefitContext, (*Regressor).RefitContext)
	learning("Remove", 0, (*Classifier).RemoveContext, (*Regressor).RemoveContext)
	learning("Tune", starts,
		func(c *Classifier, ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
			return last(c.TuneContext(ctx, x, labels, TuneOptions{Weights: weights, Flops: 1}))
		},
		func(r *Regressor, ctx context.Context, x, y *mat.Dense, weights []float64) error {
			return last(r.TuneContext(ctx, x, y, TuneOptions{Weights: weights, Flops: 1}))
		})
	add("ExpandContext", labeled,
		func(p *pair, ctx context.Context, in given) error {
			return nothing(p.c.ExpandContext(ctx, in.x, in.labels))
		},
		func(p *pair, ctx context.Context, in given) error { return nothing(p.r.ExpandContext(ctx, in.x, in.y)) })
	learning("CalibratePartialFitContext", 0, (*Classifier).CalibratePartialFitContext, (*Regressor).CalibratePartialFitContext)
	learning("Calibrate", 0, (*Classifier).CalibrateContext, (*Regressor).CalibrateContext)
	learning("PartialCalibrate", 0, (*Classifier).PartialCalibrateContext, (*Regressor).PartialCalibrateContext)
	add("Score", labeled|weighted|unchecked,
		func(p *pair, ctx context.Context, in given) error {
			return last(p.c.ScoreContext(ctx, in.x, in.labels, in.weights))
		},
		func(p *pair, ctx context.Context, in given) error {
			return last(p.r.ScoreContext(ctx, in.x, in.y, in.weights))
		})
	add("PredictProbaContext", 0, func(p *pair, ctx context.Context, in given) error { return last(p.c.PredictProbaContext(ctx, in.x)) }, nil)
	add("PredictContext", 0,
		func(p *pair, ctx context.Context, in given) error { return last(p.c.PredictContext(ctx, in.x)) },
		func(p *pair, ctx context.Context, in given) error { return last(p.r.PredictContext(ctx, in.x)) })
	add("DecisionFunctionContext", 0, func(p *pair, ctx context.Context, in given) error {
		return last(p.c.DecisionFunctionContext(ctx, in.x))
	}, nil)
	add("TransformContext", 0, func(p *pair, ctx context.Context, in given) error {
		return last(cmp.Or(p.c.FittedFeatures(), &Features{}).TransformContext(ctx, in.x))
	}, nil)
	return all
}()

// last returns err, the last result of a call.
func last[T any](_ T, err error) error { return err }

// nothing returns the error of a call of Expand, which must then return no rows.
func nothing(a, y *mat.Dense, err error) error {
	if err != nil && (a != nil || y != nil) {
		panic("there are rows beside an error")
	}
	return err
}

// isA reports whether err wraps the error want, or an error of the type that want points to.
func isA(err error, want any) bool {
	if is, ok := want.(error); ok {
		return errors.Is(err, is)
	}
	return err != nil && errors.As(err, want)
}

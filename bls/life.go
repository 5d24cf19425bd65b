package bls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// Remove unlearns samples: the output weights become as if the model had never learned them. Traces
// remain unless the model keeps its samples (see KeptRows): the column scales, the feature maps, the
// chosen settings and the slope of the probabilities do not change. Outside then still refers to the
// farthest sample ever learned, and the bound of a model of logarithms to the largest target learned.
//
//	shapes: X q×d, labels q. Give each sample as it was learned, in any order, with its weight at
//	that time multiplied by all factors of Forget since then.
//	reads/writes: on an error the model is unchanged.
//	cost: Transform and Updater.RemoveInputs.
//	errors: the errors of PartialFitContext and RemoveInputs, among them *blsupdate.UnknownRowError
//	for a sample that was not learned, which only Improved, Original and models that keep samples
//	detect, and *blsupdate.LeverageError if the other samples do not determine the weights;
//	*OptionError if ClassWeight is Balanced and the model keeps no samples.
func (c *Classifier) Remove(x *mat.Dense, labels []int) error {
	return c.RemoveContext(background, x, labels, nil)
}

// RemoveContext is Remove with sample weights; nil means all ones. It stops when ctx is done.
func (c *Classifier) RemoveContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.remove(ctx, sampleSet{x: x, labels: labels, weights: weights})
}

// Remove is Classifier.Remove with the targets Y (q×c). The means y0 change only if the maps do.
func (r *Regressor) Remove(x, y *mat.Dense) error { return r.RemoveContext(background, x, y, nil) }

// RemoveContext is Remove with sample weights; nil means all ones. It stops when ctx is done.
func (r *Regressor) RemoveContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.remove(ctx, sampleSet{x: x, y: y, weights: weights})
}

func (m *model) remove(ctx context.Context, out sampleSet) error {
	y, err := m.checked(&out)
	if err == nil {
		err = interrupt.Check(ctx)
	}
	if err != nil {
		return err
	}
	if done, err := m.removeKept(ctx, out); done || err != nil {
		return err
	}
	weights := out.weights
	if m.settings.classWeight == Balanced {
		if m.kept == nil {
			return &OptionError{Op: "bls", Option: "ClassWeight", Value: Balanced,
				Want: "Unweighted: a balanced model cannot remove samples, since their weights depend on when they were learned"}
		}
		weights = balanced(m.counts, out.labels, weights) // the last fit has learned exactly these samples
	}
	a, y, _, err := m.rows(ctx, out.x, y, weights)
	if err != nil {
		return err
	}
	err = m.updater.RemoveInputsContext(ctx, a, y, nil)
	var leverage *blsupdate.LeverageError
	if m.kept != nil && errors.As(err, &leverage) && m.unlearnAll(ctx) == nil {
		err = nil
	}
	if err != nil {
		return err
	}
	m.weights, m.calibration = nil, calibration{}
	if m.kept != nil { // no samples are left
		m.kept = &sampleSet{classes: m.kept.classes}
	}
	if m.counts != nil {
		for i, label := range out.labels {
			of := &m.counts[label]
			of.rows = max(0, of.rows-1)
			of.weight = max(0, of.weight-floats.Weight(out.weights, i))
		}
	}
	return nil
}

// unlearnAll replaces the output layer by one without samples. It fails for methods that need samples.
func (m *model) unlearnAll(ctx context.Context) error {
	a, y := mat.NewDense(1, m.updater.Nodes(), nil), mat.NewDense(1, m.updater.Targets(), nil)
	opt := m.updater.Options()
	opt.Lambda = m.updater.Lambda()
	u, err := blsupdate.NewContext(ctx, m.updater.Method(), a, y, opt)
	if err == nil {
		err = u.RemoveInputsContext(ctx, a, y, nil)
	}
	if err == nil {
		m.updater = u
	}
	return err
}

// checked checks the samples s against the model and returns their targets. For a Classifier it sets
// s.classes. It returns ErrNotFitted if m is nil.
func (m *model) checked(s *sampleSet) (*mat.Dense, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	if m.constant {
		s.classes = m.targets()
	}
	return s.targets(m.inputs(), m.targets())
}

// Forget multiplies the weights of all samples so far, and the ridge, by factor, 0 < factor <= 1. The
// output weights W do not change, but a model that keeps its samples is fitted anew. For exponential
// forgetting, call it before each PartialFit. SetLambda restores the ridge.
//
//	errors: ErrNotFitted; the errors of blsupdate.Updater.Forget and, for kept samples, Fit.
func (m *model) Forget(factor float64) error {
	if m == nil {
		return ErrNotFitted
	}
	if m.KeptRows() > 0 {
		return m.forgetKept(factor)
	}
	if err := m.updater.Forget(factor); err != nil {
		return err
	}
	m.weights = nil
	for i := range m.counts {
		m.counts[i].weight *= factor
	}
	return nil
}

func (m *model) forgetKept(factor float64) error {
	was := m.updater
	u, err := was.Clone()
	if err == nil {
		err = u.Forget(factor)
	}
	if err != nil {
		return err
	}
	weighed := *m.kept
	weighed.weights = m.kept.ownWeights(factor)
	m.updater = u // a fit takes its ridge
	if err = m.keep(background, &weighed, false); err != nil {
		m.updater = was
	}
	return err
}

// SetLambda changes the ridge, as if it had been lambda from the start; 0 means no ridge.
//
//	errors: ErrNotFitted; *blsupdate.UnsupportedError for methods other than Gram and QR; the errors
//	of blsupdate.Updater.SetLambda or, if the model keeps its samples and the ridge becomes smaller
//	or is tiny, Fit.
func (m *model) SetLambda(lambda float64) error { return m.SetLambdaContext(background, lambda) }

// SetLambdaContext is like SetLambda but checks ctx before it begins, and during a fit.
func (m *model) SetLambdaContext(ctx context.Context, lambda float64) error {
	if m == nil {
		return ErrNotFitted
	}
	can := 0 <= lambda && lambda <= math.MaxFloat64 && blsupdate.Supports(m.updater.Method(), blsupdate.ActionRidge)
	if can && m.KeptRows() > 0 && (lambda < m.updater.Lambda() || m.mayFail(m.kept, lambda)) {
		s := m.settings
		s.update.Lambda = orNone(lambda)
		fresh, err := startModel(ctx, s, *m.kept)
		if err == nil {
			m.settings = s
			m.become(fresh)
		}
		return err
	}
	if err := m.updater.SetLambdaContext(ctx, lambda); err != nil {
		return err
	}
	m.weights = nil
	if lambda != m.calibration.lambda {
		m.calibration = calibration{}
	}
	m.settings.update.Lambda = orNone(lambda)
	m.stale = m.KeptRows() > 0
	return nil
}

// Merge adds all samples that other has learned; other does not change. Both must have the same feature
// maps, like clones of one model that were refitted to different rows, unless c or other keeps samples
// (see KeptRows). The ridge, the slope of the probabilities and the settings of c do not change; but if
// only c keeps samples, c takes all three, and its exported fields, from other. Use Relabel first if
// the classes differ.
//
//	errors: ErrNotFitted; *OptionError if the feature maps differ or the two share a model;
//	*ShapeError if the numbers of classes differ; blsupdate.ErrOverflow; the errors of
//	blsupdate.Updater.Merge, among them *UnsupportedError for methods other than Gram and QR. On an
//	error c is unchanged.
func (c *Classifier) Merge(other *Classifier) error { return c.MergeContext(background, other) }

// MergeContext is like Merge but checks ctx before it begins.
func (c *Classifier) MergeContext(ctx context.Context, other *Classifier) error {
	if other == nil {
		return ErrNotFitted
	}
	takes := c.takes(other.model)
	if err := c.merge(ctx, other.model); err != nil || !takes {
		return err
	}
	*c = *c.classifier()
	return nil
}

// Merge is Classifier.Merge for models with the same means y0.
func (r *Regressor) Merge(other *Regressor) error { return r.MergeContext(background, other) }

// MergeContext is like Merge but checks ctx before it begins.
func (r *Regressor) MergeContext(ctx context.Context, other *Regressor) error {
	if other == nil {
		return ErrNotFitted
	}
	takes := r.takes(other.model)
	if err := r.merge(ctx, other.model); err != nil || !takes {
		return err
	}
	*r = *r.regressor()
	return nil
}

func (m *model) merge(ctx context.Context, other *model) error {
	if m == nil || other == nil {
		return ErrNotFitted
	}
	if m == other {
		return &OptionError{Op: "bls", Option: "the other model", Value: "the receiver, or an assigned copy that shares its model",
			Want: "an independent model, such as a Clone"}
	}
	keeps := m.kept != nil || other.kept != nil
	maps := m.features
	if !keeps {
		maps = maps.joined(other.features)
		if err := m.difference(other, maps); err != nil {
			return err
		}
	}
	if m.targets() != other.targets() {
		return &ShapeError{Op: "bls", Matrix: "W of the other model", Rows: other.updater.Nodes(), Cols: other.targets(),
			Want: fmt.Sprintf("as many columns as W of this model (%d); for classes, call Relabel first", m.targets())}
	}
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	if keeps {
		return m.mergeKept(ctx, other)
	}
	var counts []count
	if m.counts != nil && other.counts != nil {
		counts = slices.Clone(m.counts)
	}
	for i := range counts {
		counts[i].rows += other.counts[i].rows
		counts[i].weight += other.counts[i].weight
	}
	if err := checkCounts(counts); err != nil {
		return err
	}
	if err := m.updater.MergeContext(ctx, other.updater); err != nil {
		return err
	}
	m.features, m.weights, m.counts, m.calibration = maps, nil, counts, calibration{}
	if other.smearing != nil {
		m.boundBy(slices.Clone(other.smearing.Largest))
	}
	if m.reach > 0 && other.reach > 0 {
		m.reach = max(m.reach, other.reach)
	} else {
		m.reach = 0
	}
	return nil
}

// difference returns an *OptionError that says what prevents a merge, or nil if nothing does. maps are
// the joined feature maps, nil if they cannot be joined.
func (m *model) difference(other *model, maps *Features) error {
	differ := func(option string, a, b any) error {
		return &OptionError{Op: "bls", Option: option + " of the two models", Value: fmt.Sprintf("%v and %v", a, b),
			Want: "equal values, as in a Clone of this model, refitted to the rows of the other model"}
	}
	if maps == nil {
		f, g := m.features, other.features
		if f.Inputs() != g.Inputs() {
			return differ("the number of inputs", f.Inputs(), g.Inputs())
		}
		a, b := reflect.ValueOf(f.opt), reflect.ValueOf(g.opt)
		for i := a.NumField() - 1; i >= 0; i-- { // the seed first, which Fit does not choose
			name, x, y := a.Type().Field(i).Name, a.Field(i), b.Field(i)
			if name != "Backend" && !x.Equal(y) {
				return differ(name, x, y)
			}
		}
		return &OptionError{Op: "bls", Option: "the other model", Value: "one with feature maps fitted to other rows",
			Want: "a Clone of this model, refitted to the rows of the other model"}
	}
	if a, b := m.updater.Method(), other.updater.Method(); a != b && blsupdate.Supports(a, blsupdate.ActionMerge) {
		return differ("Method", a, b)
	}
	if a, b := m.smearing != nil, other.smearing != nil; a != b {
		return differ("LogTargets", a, b)
	}
	if a, b := m.center == nil, other.center == nil; a != b {
		return differ("NoIntercept", a, b)
	}
	for j := range min(len(m.center), len(other.center)) {
		if a, b := m.center[j], other.center[j]; a != b {
			return differ(fmt.Sprintf("the mean of target %d", j+1), a, b)
		}
	}
	return nil
}

// Refit forgets all samples so far and learns only the given ones. The scaling, the feature maps, the
// settings that Fit chose and the slope of the probabilities stay. As in PartialFit, larger labels add
// classes, and a column that was constant may begin to vary (see ScaleColumns). Clones of a model that
// are refitted to parts of the data can be merged, unless such a column has different scales in two
// parts. With QR, a ridge may prevent Merge: call SetLambda(0) before Refit, and set it after Merge.
//
//	shapes, errors: as Fit, and ErrNotFitted. If the samples do not determine the weights, only the
//	first prediction fails. On an error c is unchanged. Assigned copies keep the old model.
func (c *Classifier) Refit(x *mat.Dense, labels []int) error {
	return c.RefitContext(background, x, labels, nil)
}

// RefitContext is Refit with sample weights, as in FitContext. It stops when ctx is done.
func (c *Classifier) RefitContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	m, err := c.refit(ctx, sampleSet{x: x, labels: labels, weights: weights})
	return adopt(&c.model, m, err)
}

// Refit is Classifier.Refit with the targets Y (l×c). The means y0 do not change.
func (r *Regressor) Refit(x, y *mat.Dense) error { return r.RefitContext(background, x, y, nil) }

// RefitContext is Refit with sample weights, as in FitContext. It stops when ctx is done.
func (r *Regressor) RefitContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	m, err := r.refit(ctx, sampleSet{x: x, y: y, weights: weights})
	return adopt(&r.model, m, err)
}

// refit returns a model that has learned only the samples of in. It has the settings of m, and the
// feature maps of m unless a column that was constant varies in the samples.
func (m *model) refit(ctx context.Context, in sampleSet) (*model, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	if m.constant {
		in.classes = m.classesWith(in.labels)
	}
	y, counts, weights, err := in.first(m.inputs(), m.targets(), m.settings.classWeight)
	if err != nil {
		return nil, err
	}
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	from := m.with(m.updater)
	from.features = m.features.withVarying(in.x)
	a, learned, far, err := from.rows(ctx, in.x, y, weights)
	if err != nil {
		return nil, err
	}
	opt := m.updater.Options()
	if lambda := m.settings.update.Lambda; lambda != 0 {
		opt.Lambda = max(lambda, 0) // 0 for None
	}
	u, err := blsupdate.NewContext(ctx, m.updater.Method(), a, learned, opt)
	if err != nil {
		return nil, err
	}
	out := from.with(u)
	out.counts, out.reach = counts, far
	if m.smearing != nil {
		out.smearing = &choice.Smearing{Factors: m.smearing.Factors, Largest: choice.Maxima(y, weights)}
	}
	return out, nil
}

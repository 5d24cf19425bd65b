package bls

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// A ClassWeight sets how much the rows of each class count in a Classifier.
type ClassWeight int

const (
	// Unweighted gives all rows the same weight.
	Unweighted ClassWeight = iota
	// Balanced gives all classes the same weight: a row of class j has the weight n/(c n_j). Here
	// n_j is the number of rows of the class, n the number of all rows, and c the number of classes
	// that have rows. With sample weights, n_j and n are sums of weights. PartialFit counts all
	// rows so far, including its own; rows keep the weight with which they were learned.
	Balanced
)

var classWeightNames = []string{"unweighted", "balanced"}

// String returns "unweighted" or "balanced", which ParseClassWeight reads.
func (w ClassWeight) String() string { return names.String(classWeightNames, w) }

// ParseClassWeight returns the class weight with the given name, ignoring case.
func ParseClassWeight(name string) (ClassWeight, error) {
	return names.Parse[ClassWeight]("bls", classWeightNames, name)
}

// FitContext is Fit with the weight weights[i] for the squared error of sample i; nil means all ones.
// Weights affect scaling and feature maps only through the settings that Fit chooses. FitContext checks
// ctx before each panel of rows, iteration of an autoencoder, and step of starting the output layer.
//
//	shapes: weights l, finite and not negative.
//	errors: as Fit; *ShapeError and *OptionError for the weights; blsupdate.ErrOverflow if a
//	weighted row or the total weight of a class overflows.
func (c *Classifier) FitContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	s := c.options()
	m, err := startModel(ctx, s, s.labeled(x, labels, weights))
	return adopt(&c.model, m, err)
}

// FitContext is Fit with weights and a context, as in Classifier.FitContext. The means y0 are weighted.
func (r *Regressor) FitContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	m, err := startModel(ctx, r.options(), sampleSet{x: x, y: y, weights: weights})
	return adopt(&r.model, m, err)
}

func adopt(of **model, m *model, err error) error {
	if err == nil {
		*of = m
	}
	return err
}

// PartialFitContext is PartialFit with weights as in FitContext. It checks ctx before each panel of
// rows and each step of the update.
func (c *Classifier) PartialFitContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.partialFit(ctx, x, labels, weights, false)
}

// PartialFitContext is PartialFit with weights and a context, as in FitContext.
func (r *Regressor) PartialFitContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.partialFit(ctx, x, y, weights, false)
}

func (c *Classifier) partialFit(ctx context.Context, x *mat.Dense, labels []int, weights []float64, calibrate bool) (err error) {
	s := c.options()
	c.model, err = c.model.partialFit(ctx, s, s.labeled(x, labels, weights), calibrate)
	return err
}

func (r *Regressor) partialFit(ctx context.Context, x, y *mat.Dense, weights []float64, calibrate bool) (err error) {
	r.model, err = r.model.partialFit(ctx, r.options(), sampleSet{x: x, y: y, weights: weights}, calibrate)
	return err
}

// labeled returns the samples for the first fit of a Classifier, with the given or inferred classes.
func (s settings) labeled(x *mat.Dense, labels []int, weights []float64) sampleSet {
	return sampleSet{x: x, labels: labels, classes: cmp.Or(s.classes, inferClasses(labels, 0)), weights: weights}
}

// partialFit makes m learn the samples of in and returns m, or a new model fitted to them if m is nil.
func (m *model) partialFit(ctx context.Context, s settings, in sampleSet, calibrate bool) (*model, error) {
	if m != nil {
		return m, m.learn(ctx, in, calibrate)
	}
	m, err := startModel(ctx, s, in)
	if err == nil && in.few() {
		m.kept = sampleSet{classes: in.classes}.with(in)
	}
	return m, err
}

// learn learns more samples. If calibrate is true, it first predicts the samples, and adds the errors
// to the calibration; samples that cannot be predicted yet are only learned.
func (m *model) learn(ctx context.Context, in sampleSet, calibrate bool) error {
	if m.constant {
		in.classes = m.classesWith(in.labels)
	}
	y, err := in.targets(m.inputs(), m.targets())
	if err != nil {
		return err
	}
	if m.kept != nil {
		return m.keepMore(ctx, in, y)
	}
	if m.counts == nil && m.settings.classWeight == Balanced {
		return &OptionError{Op: "bls", Option: "ClassWeight", Value: Balanced,
			Want: "Unweighted, since the model does not know the counts of its classes"}
	}
	counts, weights := m.counts, in.weights
	if counts != nil {
		counts = append(slices.Clone(counts), make([]count, in.classes-len(counts))...)
		if counts, weights, err = counted(counts, in.labels, weights, m.settings.classWeight); err != nil {
			return err
		}
	}
	var seen calibration
	if calibrate {
		if seen.rows, err = m.observe(ctx, in, false, nil); err != nil && ctx.Err() != nil {
			return err
		}
	}
	u := m.updater
	if err := m.add(ctx, in.x, y, weights); err != nil {
		return err
	}
	m.counts = counts
	if calibrate {
		if u != m.updater {
			seen = seen.relabeled(factor.Indices(in.classes), in.classes)
		}
		m.extendCalibration(seen.rows, true)
	}
	return nil
}

// A count holds the number of rows of a class and their total weight.
type count struct {
	rows   float64
	weight float64 // the sum of their weights, with the factors of Forget
}

func checkCounts(counts []count) error {
	if slices.ContainsFunc(counts, func(c count) bool { return math.IsInf(c.weight, 1) }) {
		return blsupdate.ErrOverflow
	}
	return nil
}

// counted adds the labels, each from 0 to len(counts)-1, to counts in place. It returns counts and the
// weights of the rows, balanced between the classes unless by is Unweighted; nil stands for ones.
func counted(counts []count, labels []int, weights []float64, by ClassWeight) ([]count, []float64, error) {
	for i, label := range labels {
		counts[label].rows++
		counts[label].weight += floats.Weight(weights, i)
	}
	if err := checkCounts(counts); err != nil || by == Unweighted {
		return counts, weights, err
	}
	out := balanced(counts, labels, weights)
	if out == nil {
		return nil, nil, blsupdate.ErrOverflow
	}
	return counts, out, nil
}

// balanced returns the weights of rows with the given labels, multiplied so that all classes in counts
// weigh the same. It returns nil if the total weight, times the number of these classes, overflows.
func balanced(counts []count, labels []int, weights []float64) []float64 {
	var n, seen float64
	for _, of := range counts {
		if of.weight > 0 {
			n += of.weight
			seen++
		}
	}
	if math.IsInf(seen*n, 1) {
		return nil
	}
	out := make([]float64, len(labels))
	for i, label := range labels {
		if w := floats.Weight(weights, i); w > 0 {
			out[i] = w * (n / (seen * counts[label].weight))
		}
	}
	return out
}

// check returns an error for an invalid setting and, if s.log is 1, for targets that are not positive.
func (s settings) check(y *mat.Dense, weights []float64) error {
	if s.classWeight != Unweighted && s.classWeight != Balanced {
		return &OptionError{Op: "bls", Option: "ClassWeight", Value: s.classWeight, Want: "Unweighted or Balanced"}
	}
	if s.log < None || s.log > 1 {
		return &OptionError{Op: "bls", Option: "LogTargets", Value: s.log, Want: "1, 0 or None"}
	}
	if s.rows < 0 {
		return &OptionError{Op: "bls", Option: "ExpectedRows", Value: s.rows, Want: "0 or a positive number"}
	}
	if s.log > 0 {
		return checkPositive(y, weights)
	}
	return nil
}

func checkWeights(weights []float64, l int) error {
	if weights == nil {
		return nil
	}
	if err := checkCount(l, "the column of weights", len(weights), 1); err != nil {
		return err
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &OptionError{Op: "bls", Option: fmt.Sprintf("the weight of sample %d", i), Value: w, Want: "0 or a positive finite number"}
		}
	}
	return nil
}

// checkJudged is checkWeights for samples that score a model: at least one weight must be positive.
func checkJudged(weights []float64, l int) error {
	err := checkWeights(weights, l)
	if err == nil && weights != nil && !slices.ContainsFunc(weights, func(w float64) bool { return w > 0 }) {
		return &OptionError{Op: "bls", Option: "the weight of every sample", Value: 0, Want: "a positive weight for at least one sample"}
	}
	return err
}

// weigh multiplies the rows of a, in place, and of y by the square roots of weights. It returns the new
// y, or y itself if weights is nil, or blsupdate.ErrOverflow.
func weigh(a, y *mat.Dense, weights []float64) (*mat.Dense, error) {
	if weights == nil {
		return y, nil
	}
	y = gonum.DenseCopyOf(y)
	choice.Weigh(weights, a, y)
	if firstNotFinite(a) >= 0 || firstNotFinite(y) >= 0 {
		return nil, blsupdate.ErrOverflow
	}
	return y, nil
}

package bls

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// A ClassWeight says how much the rows of each class count in a Classifier.
type ClassWeight int

const (
	// Unweighted gives all rows the same weight.
	Unweighted ClassWeight = iota
	// Balanced gives all classes the same weight: a row of class j counts n/(c n_j) times, where
	// n_j are the rows of the class, n all rows, and c the classes that have any. Sample weights
	// count in n_j and n. PartialFit takes these numbers from all rows so far, its own included,
	// and rows keep the weight with which they were learned.
	Balanced
)

var classWeightNames = []string{"unweighted", "balanced"}

// String returns "unweighted" or "balanced", which ParseClassWeight reads.
func (w ClassWeight) String() string { return names.String(classWeightNames, w) }

// ParseClassWeight returns the class weight of the given name, in any case.
func ParseClassWeight(name string) (ClassWeight, error) {
	return names.Parse[ClassWeight]("bls", classWeightNames, name)
}

// FitContext is Fit where the squared error of sample i counts weights[i] times; nil stands for ones.
// Scaling and feature maps do not depend on weights. It checks ctx before each panel of rows, each
// iteration of an autoencoder, and each step of the start of the output layer.
//
//	shapes: weights l, finite and not negative.
//	errors: as Fit; *ShapeError and *OptionError for the weights; blsupdate.ErrOverflow for a
//	weighted row, or the weights of a class in all, beyond float64.
func (c *Classifier) FitContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	s := c.options()
	m, err := fitSamples(ctx, s, sampleSet{x: x, labels: labels, classes: cmp.Or(s.classes, inferClasses(labels)), weights: weights})
	if err != nil {
		return err
	}
	c.model = m
	return nil
}

// PartialFitContext is PartialFit with weights as in FitContext. It checks ctx before each panel of
// rows and each step of the update.
func (c *Classifier) PartialFitContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.partialFit(ctx, x, labels, weights, false)
}

func (c *Classifier) partialFit(ctx context.Context, x *mat.Dense, labels []int, weights []float64, calibrate bool) error {
	if c.model == nil {
		if err := c.FitContext(ctx, x, labels, weights); err != nil {
			return err
		}
		c.keep(sampleSet{x: x, labels: labels, classes: c.targets(), weights: weights})
		return nil
	}
	given, classes := weights, c.classesWith(labels)
	y, err := labelTargets(x, c.inputs(), labels, classes, weights)
	if err != nil {
		return err
	}
	m := c.model
	if m.kept != nil {
		return m.keepMore(ctx, sampleSet{x: x, labels: labels, classes: classes, weights: weights}, y)
	}
	if m.counts == nil && m.settings.classWeight == Balanced {
		return &OptionError{Op: "bls", Option: "ClassWeight", Value: Balanced,
			Want: "Unweighted, since the model does not know the counts of its classes"}
	}
	counts := m.counts
	if counts != nil {
		counts = append(slices.Clone(counts), make([]count, classes-len(counts))...)
		if counts, weights, err = counted(counts, labels, weights, m.settings.classWeight); err != nil {
			return err
		}
	}
	if err := m.learn(ctx, observed{x: x, labels: labels, weights: given}, y, weights, calibrate); err != nil {
		return err
	}
	m.counts = counts
	return nil
}

// learn is add. If calibrate is true, it adds the errors of predictions from before to the calibration;
// rows that cannot be predicted yet are learned only.
func (m *model) learn(ctx context.Context, of observed, y *mat.Dense, weights []float64, calibrate bool) error {
	if !calibrate {
		return m.add(ctx, of.x, y, weights)
	}
	rows, err := m.observe(ctx, of)
	if err != nil && ctx.Err() != nil {
		return err
	}
	u := m.updater
	if err := m.add(ctx, of.x, y, weights); err != nil {
		return err
	}
	seen := calibration{rows: rows}
	if u != m.updater {
		seen = seen.relabeled(sameClass, m.targets())
	}
	m.extendCalibration(seen.rows)
	return nil
}

// FitContext is Fit where the squared errors of sample i count weights[i] times, as in
// Classifier.FitContext. The means y0 are weighted too.
func (r *Regressor) FitContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	m, err := fitSamples(ctx, r.options(), sampleSet{x: x, y: y, weights: weights})
	if err != nil {
		return err
	}
	r.model = m
	return nil
}

// PartialFitContext is PartialFit with weights as in FitContext.
func (r *Regressor) PartialFitContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.partialFit(ctx, x, y, weights, false)
}

func (r *Regressor) partialFit(ctx context.Context, x, y *mat.Dense, weights []float64, calibrate bool) error {
	more := sampleSet{x: x, y: y, weights: weights}
	if r.model == nil {
		if err := r.FitContext(ctx, x, y, weights); err != nil {
			return err
		}
		r.keep(more)
		return nil
	}
	if err := checkTargets(x, r.inputs(), y, r.targets(), weights); err != nil {
		return err
	}
	if r.kept != nil {
		return r.keepMore(ctx, more, y)
	}
	return r.learn(ctx, observed{x: x, y: y, weights: weights}, y, weights, calibrate)
}

// A count is the number of rows of a class, and their weight.
type count struct {
	rows   float64
	weight float64 // the sum of their weights, with the factors of Forget
}

// checkCounts returns an error for an invalid weight.
func checkCounts(counts []count) error {
	if slices.ContainsFunc(counts, func(c count) bool { return math.IsInf(c.weight, 1) }) {
		return blsupdate.ErrOverflow
	}
	return nil
}

// firstTargets returns what a model of this number of classes starts with: the targets of the labels of
// x, and the result of counted for them.
func firstTargets(x *mat.Dense, inputs int, labels []int, classes int, weights []float64, by ClassWeight) (*mat.Dense, []count, []float64, error) {
	y, err := labelTargets(x, inputs, labels, classes, weights)
	if err != nil {
		return nil, nil, nil, err
	}
	counts, weights, err := counted(make([]count, classes), labels, weights, by)
	return y, counts, weights, err
}

// counted adds the labels, each from 0 to len(counts)-1, to the counts. It returns them with the
// weights of the rows by the class weight, nil for ones.
func counted(counts []count, labels []int, weights []float64, by ClassWeight) ([]count, []float64, error) {
	for i, label := range labels {
		counts[label].rows++
		counts[label].weight += weightOf(weights, i)
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

// balanced returns the weights of rows that give all classes the same weight, nil if one would be 0.
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
		if w := weightOf(weights, i); w > 0 {
			out[i] = w * (n / (seen * counts[label].weight))
		}
	}
	return out
}

// weightOf returns the weight of row i, where nil stands for ones.
func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// check returns an error for an invalid class weight or number of rows.
func (s settings) check() error {
	if s.classWeight != Unweighted && s.classWeight != Balanced {
		return &OptionError{Op: "bls", Option: "ClassWeight", Value: s.classWeight, Want: "Unweighted or Balanced"}
	}
	if s.log < None || s.log > 1 {
		return &OptionError{Op: "bls", Option: "LogTargets", Value: s.log, Want: "1, 0 or None"}
	}
	if s.rows < 0 {
		return &OptionError{Op: "bls", Option: "ExpectedRows", Value: s.rows, Want: "a number that is not negative"}
	}
	return nil
}

// checkWeights returns an error unless weights is nil or has a valid weight for each of l rows.
func checkWeights(weights []float64, l int) error {
	if weights == nil {
		return nil
	}
	if err := checkCount(l, "the column of weights", len(weights), 1); err != nil {
		return err
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &OptionError{Op: "bls", Option: fmt.Sprintf("the weight of sample %d", i), Value: w, Want: "a finite number that is not negative"}
		}
	}
	return nil
}

// checkJudged is checkWeights for samples that score a model: at least one must have a weight.
func checkJudged(weights []float64, l int) error {
	err := checkWeights(weights, l)
	if err == nil && weights != nil && !slices.ContainsFunc(weights, func(w float64) bool { return w > 0 }) {
		return &OptionError{Op: "bls", Option: "the weight of every sample", Value: 0, Want: "a positive weight of one sample at least"}
	}
	return err
}

// weigh multiplies the rows of a and y by the roots of the weights, unless those are nil: a in place,
// and y in new storage.
func weigh(a, y *mat.Dense, weights []float64) (*mat.Dense, error) {
	if weights == nil {
		return y, nil
	}
	y = gonum.DenseCopyOf(y)
	for i, w := range weights {
		root := math.Sqrt(w)
		for _, row := range [][]float64{a.RawRowView(i), y.RawRowView(i)} {
			for j := range row {
				row[j] *= root
			}
			if floats.FirstNonFinite(row) >= 0 {
				return nil, blsupdate.ErrOverflow
			}
		}
	}
	return y, nil
}

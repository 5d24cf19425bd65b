package bls

import (
	"context"
	"fmt"
	"slices"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// Remove unlearns samples: the output weights become those of a model that never learned them. That is
// no erasure: the scaling of the columns, the feature maps, and the settings that Fit chose come from
// the first samples and stay, and so does the slope of the probabilities.
//
//	shapes: X q×d, labels q, weights q; nil stands for ones. Each sample as it was learned, in any
//	order. Its weight is that of its learning, times the factors of Forget since.
//	reads/writes: on an error the model stays as it was.
//	cost: that of Transform and of Updater.RemoveInputs.
//	errors: those of PartialFitWeighted and of RemoveInputs: *blsupdate.UnknownRowError where
//	Improved or Original have not learned a sample, which the other methods cannot tell;
//	*blsupdate.LeverageError where the other samples do not determine the weights; *OptionError with
//	Balanced, where the weight of a sample depends on when it was learned.
func (c *Classifier) Remove(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	m := c.model
	if m == nil {
		return ErrNotFitted
	}
	y, err := labelTargets(x, m.inputs(), labels, m.targets(), weights)
	if err != nil {
		return err
	}
	if m.settings.classWeight == Balanced {
		return &OptionError{Op: "bls", Option: "ClassWeight", Value: Balanced,
			Want: "Unweighted: a balanced model cannot remove samples, since their weights depend on when they were learned"}
	}
	if err := m.remove(ctx, x, y, weights); err != nil {
		return err
	}
	if m.counts != nil {
		for i, label := range labels {
			of := &m.counts[label]
			of.rows = max(0, of.rows-1)
			of.weight = max(0, of.weight-weightOf(weights, i))
		}
	}
	return nil
}

// Remove unlearns samples with the targets Y (q×c), as Classifier.Remove does. The means y0 stay.
func (r *Regressor) Remove(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	if r.model == nil {
		return ErrNotFitted
	}
	if err := checkTargets(x, r.inputs(), y, r.targets(), weights); err != nil {
		return err
	}
	return r.remove(ctx, x, y, weights)
}

// remove unlearns x (q×d) and y (q×c), which are as in add.
func (m *model) remove(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	a, y, err := m.rows(ctx, x, y, weights)
	if err != nil {
		return err
	}
	if err := m.updater.RemoveInputs(a, y); err != nil {
		return err
	}
	m.weights = nil
	return nil
}

// Forget multiplies the weight of all samples so far, and the ridge, by factor, 0 < factor <= 1. The
// weights W stay. Before each PartialFit it gives exponential forgetting. SetLambda restores the ridge.
//
//	errors: ErrNotFitted; those of blsupdate.Updater.Forget.
func (m *model) Forget(factor float64) error {
	if m == nil {
		return ErrNotFitted
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

// SetLambda changes the ridge, as if it had been lambda from the start; 0 is none.
//
//	errors: ErrNotFitted; *blsupdate.UnsupportedError for methods other than Gram and QR, which it
//	names; those of blsupdate.Updater.SetLambda.
func (m *model) SetLambda(lambda float64) error {
	if m == nil {
		return ErrNotFitted
	}
	if err := m.updater.SetLambda(lambda); err != nil {
		return err
	}
	m.weights = nil
	m.settings.update.Lambda = orNone(lambda)
	return nil
}

// Merge learns all that other has learned, and does not change it. Both have the same feature maps,
// such as copies of one model that learned different rows, or models that Refit started from copies.
// The ridge, the slope of the probabilities and the settings of c stay. Relabel first brings models of
// different classes to the same ones.
//
//	errors: ErrNotFitted; *OptionError for other feature maps; *ShapeError for another number of
//	classes; those of blsupdate.Updater.Merge: an *UnsupportedError for methods other than Gram and
//	QR, which it names; blsupdate.ErrOverflow. On an error c stays as it was.
func (c *Classifier) Merge(other *Classifier) error {
	if other == nil {
		return ErrNotFitted
	}
	return c.merge(other.model)
}

// Merge learns all that other has learned, as Classifier.Merge does. Both have the same means y0.
func (r *Regressor) Merge(other *Regressor) error {
	if other == nil {
		return ErrNotFitted
	}
	return r.merge(other.model)
}

// merge learns what other has learned.
func (m *model) merge(other *model) error {
	if m == nil || other == nil {
		return ErrNotFitted
	}
	if !m.features.equal(other.features) || !slices.Equal(m.center, other.center) {
		return &OptionError{Op: "bls", Option: "the other model", Value: "one of other feature maps",
			Want: "a model with the same: a copy, or what Refit makes of a copy"}
	}
	if m.targets() != other.targets() {
		return &ShapeError{Op: "bls", Matrix: "W of the other model", Rows: other.updater.Nodes(), Cols: other.targets(),
			Want: fmt.Sprintf("%d columns, as many as this model has: call Relabel first", m.targets())}
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
	if err := m.updater.Merge(other.updater); err != nil {
		return err
	}
	m.weights, m.counts = nil, counts
	return nil
}

// Refit forgets all samples and learns these alone, with the scaling, the feature maps, the settings
// that Fit chose, the classes and the slope of the model as it is. Models that Refit has made of copies
// of one model merge: parts of the data can be learned anywhere. For that leave out the ridge of QR by
// SetLambda(0) before, and give it to the sum.
//
//	shapes, errors: those of FitWeighted. On an error the model stays as it was, and a copy of c
//	keeps the old one.
func (c *Classifier) Refit(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	if c.model == nil {
		return ErrNotFitted
	}
	y, counts, weights, err := firstTargets(x, c.inputs(), labels, c.classesWith(labels), weights, c.settings.classWeight)
	if err != nil {
		return err
	}
	m, err := c.refit(ctx, x, y, weights)
	if err != nil {
		return err
	}
	m.counts = counts
	c.model = m
	return nil
}

// Refit forgets all samples and learns these alone, as Classifier.Refit does. The means y0 stay.
func (r *Regressor) Refit(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	if r.model == nil {
		return ErrNotFitted
	}
	if err := checkTargets(x, r.inputs(), y, r.targets(), weights); err != nil {
		return err
	}
	m, err := r.refit(ctx, x, y, weights)
	if err != nil {
		return err
	}
	r.model = m
	return nil
}

// refit returns a model with the maps and settings of m that has learned x (l×d) and y (l×c), which
// are as in add.
func (m *model) refit(ctx context.Context, x, y *mat.Dense, weights []float64) (*model, error) {
	a, y, err := m.rows(ctx, x, y, weights)
	if err != nil {
		return nil, err
	}
	opt := m.updater.Options()
	switch lambda := m.settings.update.Lambda; lambda {
	case 0:
	case None:
		opt.Lambda = 0
	default:
		opt.Lambda = lambda
	}
	u, err := blsupdate.NewContext(ctx, m.updater.Method(), a, y, opt)
	if err != nil {
		return nil, err
	}
	return m.with(u), nil
}

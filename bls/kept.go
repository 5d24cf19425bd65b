package bls

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// PartialFit keeps the samples of a model that it started until there are fewSamples, or fewOfClass for
// each class if that is more.
const (
	fewSamples = 200
	fewOfClass = 10
)

type sampleSet struct {
	x       *mat.Dense // nil for none
	labels  []int      // of a Classifier
	classes int        // of a Classifier, otherwise 0
	y       *mat.Dense // of a Regressor
	weights []float64  // nil for ones
}

func (s sampleSet) rows() int {
	if s.x == nil {
		return 0
	}
	return s.x.RawMatrix().Rows
}

func (s sampleSet) relabeled(to []int, classes int) *sampleSet {
	labels := make([]int, len(s.labels))
	for i, label := range s.labels {
		labels[i] = to[label]
	}
	s.labels, s.classes = labels, classes
	return &s
}

// few reports whether the samples are too few to make the feature maps final.
func (s sampleSet) few() bool { return s.rows() < max(fewSamples, fewOfClass*s.classes) }

// with returns the samples of s followed by more, in new storage.
func (s sampleSet) with(more sampleSet) *sampleSet {
	stack := func(a, b *mat.Dense) *mat.Dense {
		if s.rows() == 0 || b == nil {
			return copyOf(b)
		}
		var out mat.Dense
		out.Stack(a, b)
		return &out
	}
	out := &sampleSet{x: stack(s.x, more.x), labels: slices.Concat(s.labels, more.labels), classes: max(s.classes, more.classes),
		y: stack(s.y, more.y)}
	if s.weights != nil || more.weights != nil {
		out.weights = slices.Concat(s.ownWeights(1), more.ownWeights(1))
	}
	return out
}

// ownWeights returns the weights of all samples multiplied by factor, in new storage.
func (s sampleSet) ownWeights(factor float64) []float64 {
	out := make([]float64, s.rows())
	for i := range out {
		out[i] = floats.Weight(s.weights, i) * factor
	}
	return out
}

// only returns the samples with the given indices, at least one, in new storage.
func (s sampleSet) only(numbers []int) *sampleSet {
	return &sampleSet{
		x: block.PickRows(s.x, numbers), y: block.PickRows(s.y, numbers), classes: s.classes,
		labels: block.Pick(s.labels, 1, numbers), weights: block.Pick(s.weights, 1, numbers),
	}
}

// isSample reports whether sample i of s equals sample j of t, with weights equal up to rounding.
func (s sampleSet) isSample(i int, t sampleSet, j int) bool {
	w, v := floats.Weight(s.weights, i), floats.Weight(t.weights, j)
	if math.Abs(w-v) > 1e-9*v || !slices.Equal(s.x.RawRowView(i), t.x.RawRowView(j)) {
		return false
	}
	if s.y != nil {
		return slices.Equal(s.y.RawRowView(i), t.y.RawRowView(j))
	}
	return s.labels[i] == t.labels[j]
}

// targets checks the samples and their weights, and returns the targets. x must have the given number
// of inputs, and y the given number of columns; 0 allows any number.
func (s sampleSet) targets(inputs, columns int) (*mat.Dense, error) {
	if s.classes == 0 {
		return s.y, checkTargets(s.x, inputs, s.y, columns, s.weights)
	}
	if err := checkRows(s.x, inputs, labelColumn, len(s.labels), 1); err != nil {
		return nil, err
	}
	y, err := targets(s.labels, s.classes, true)
	return y, cmp.Or(err, checkWeights(s.weights, len(s.labels)))
}

// first is like targets, for samples that a model learns from scratch. It also returns the class
// counts, nil for a Regressor, and the weights of the rows, adjusted to the given ClassWeight.
func (s sampleSet) first(inputs, columns int, by ClassWeight) (y *mat.Dense, counts []count, weights []float64, err error) {
	y, err = s.targets(inputs, columns)
	if err != nil || s.classes == 0 {
		return y, nil, s.weights, err
	}
	counts, weights, err = counted(make([]count, s.classes), s.labels, s.weights, by)
	return y, counts, weights, err
}

// keepMore adds the checked samples more, with the targets y, to the kept samples. If there are now
// enough, it fits the model to them and keeps none. If a new sample is so large or heavy that a fit may
// fail, it also fits the model now. Otherwise keep decides whether to leave the fit to the next use.
func (m *model) keepMore(ctx context.Context, more sampleSet, y *mat.Dense) error {
	check := m.with(m.updater)
	if m.settings.log == 0 {
		check.smearing = nil // the new fit may learn the targets themselves
	}
	_, _, far, err := check.rows(ctx, more.x, y, more.weights)
	if err != nil {
		return err
	}
	all := m.kept.with(more)
	now := !all.few() || far > outlying*m.reach || all.outweighed(m.kept.rows()) || large(more.x) || large(y)
	if err := m.keep(ctx, all, now); err != nil {
		return err
	}
	if !all.few() {
		m.kept = nil
	}
	return nil
}

// mayFail reports whether a fit to the samples of s with the given ridge may fail: if the ridge is
// within rounding errors of AᵀA; if it is 0 and there are at least as many samples as nodes; if there
// are so few enhancement nodes that a *ScaleError is possible; or if there is only one sample, which
// leaves the nodes unscaled.
func (m *model) mayFail(s *sampleSet, lambda float64) bool {
	const few = 10
	rows, nodes, n3 := s.rows(), m.updater.Nodes(), m.features.EnhancementNodes()
	sum, largest := 0.0, 1.0 // the sum of the weights, and a bound on the magnitude of a node
	for i := range rows {
		sum += floats.Weight(s.weights, i)
	}
	if opt := m.features.opt; opt.Direct > 0 && opt.Scaling == ScaleNone {
		largest = max(largest, maxMagnitude(s.x))
	}
	least := float64(0x1p-48 * sum * largest * largest * math.Sqrt(float64(nodes)))
	return rows == 1 || n3 > 0 && n3 < few || lambda > 0 && lambda < least || lambda == 0 && rows >= nodes
}

// keep replaces the kept samples with all. If now is true, or if a fit to all may fail, keep fits the
// model to all, and changes nothing on an error. Otherwise the next use of the model fits it.
func (m *model) keep(ctx context.Context, all *sampleSet, now bool) error {
	lambda := m.updater.Lambda()
	if m.settings.update.Lambda == 0 && lambda > 0 { // the fit chooses a ridge that is large enough
		lambda = math.Inf(1)
	}
	now = now || m.mayFail(all, lambda)
	if now {
		if err := m.refresh(ctx, all); err != nil {
			return err
		}
	}
	m.kept, m.stale = all, !now
	return nil
}

// outweighed reports whether the heaviest sample comes after the first n and the weights are uneven, or
// whether sums of the weights could overflow. Lighter new samples cost the earlier ones no accuracy.
func (s sampleSet) outweighed(n int) bool {
	if s.weights == nil {
		return false
	}
	most := slices.Max(s.weights)
	return most > 1e100 || slices.Index(s.weights, most) >= n && uneven(s.weights, most)
}

// large reports whether m has a number so large that sums of its squares could overflow.
func large(m *mat.Dense) bool { return maxMagnitude(m) > 1e100 }

// maxMagnitude returns the largest magnitude of an element of m, which is finite.
func maxMagnitude(m *mat.Dense) (largest float64) {
	for i := range m.RawMatrix().Rows {
		row := m.RawRowView(i)
		largest = max(largest, slices.Max(row), -slices.Min(row))
	}
	return largest
}

// ready fits the model to the samples that it keeps if it is stale, or returns ErrNotFitted if m is
// nil. Methods that use the maps, the output layer or chosen settings call ready first.
func (m *model) ready(ctx context.Context) error {
	if m == nil {
		return ErrNotFitted
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.readyLocked(ctx)
}

func (m *model) readyLocked(ctx context.Context) error {
	if !m.stale {
		return nil
	}
	return m.refresh(ctx, m.kept)
}

// refresh fits the model anew to the samples of in: the kept samples, or some of them, and any new
// ones. In place of a given ridge it uses the current ridge, which Forget may have scaled. In an
// *OverflowError, row 0 is the first sample after the kept ones.
func (m *model) refresh(ctx context.Context, in *sampleSet) error {
	s := m.settings
	if s.update.Lambda > 0 {
		s.update.Lambda = m.updater.Lambda()
	}
	fresh, err := startModel(ctx, s, *in)
	if err != nil {
		if rank := (*blsupdate.RankError)(nil); errors.As(err, &rank) {
			rank.Running = true
		}
		return moved(err, func(row int) int { return row - m.kept.rows() })
	}
	m.become(fresh)
	return nil
}

// become copies the fitted state of other into m: all but the settings and the kept samples.
func (m *model) become(other *model) {
	m.features, m.updater, m.center, m.weights = other.features, other.updater, other.center, other.weights
	m.counts, m.slope, m.smearing, m.choice = other.counts, other.slope, other.smearing, other.choice
	m.reach, m.sizes, m.calibration, m.stale = other.reach, other.sizes, other.calibration, false
}

// removeKept removes the samples of out from the kept samples. It returns false if there are no kept
// samples or none would be left: the output layer must then unlearn out.
func (m *model) removeKept(ctx context.Context, out sampleSet) (bool, error) {
	if m.kept == nil {
		return false, nil
	}
	left := factor.Indices(m.kept.rows())
	for j := range out.rows() {
		at := slices.IndexFunc(left, func(i int) bool { return m.kept.isSample(i, out, j) })
		if at < 0 {
			return false, &blsupdate.UnknownRowError{Row: j, Action: blsupdate.ActionRemove}
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) == 0 {
		return false, m.ready(ctx)
	}
	// Methods that keep an inverse may need more rows than are left.
	return true, m.keep(ctx, m.kept.only(left), !blsupdate.Supports(m.updater.Method(), blsupdate.ActionRidge))
}

// takes reports whether merge makes m a copy of other that also learns the kept samples of m.
func (m *model) takes(other *model) bool {
	return m != nil && other != nil && m.kept != nil && other.kept == nil
}

// mergeKept is merge for models of which at least one keeps samples. If both do, the next fit of m
// calibrates it.
func (m *model) mergeKept(ctx context.Context, other *model) error {
	if !m.takes(other) {
		fixed := m.kept == nil
		if other.kept.rows() > 0 {
			if err := m.learn(ctx, *other.kept, false); err != nil {
				return err
			}
		}
		if fixed {
			m.calibration = calibration{}
		}
		return nil
	}
	joined, err := other.clone()
	if err == nil && m.kept.rows() > 0 {
		err = joined.learn(ctx, *m.kept, false)
	}
	if err != nil {
		return err
	}
	m.become(joined)
	m.settings, m.backend, m.kept, m.calibration = joined.settings, joined.backend, nil, calibration{}
	return nil
}

// KeptRows returns the number of samples that the model keeps. A model that PartialFit started keeps
// its samples until there are 200, or 10 per class if that is more. Until then, at its next use after
// PartialFit, Remove, Forget, SetLambda, Merge or Relabel, it equals the result of Fit on all samples,
// including its calibration. After that its feature maps are fixed, and it keeps no samples. Samples of
// weight 0 are included, since the maps are fitted to them too.
func (m *model) KeptRows() int {
	if m == nil || m.kept == nil {
		return 0
	}
	return m.kept.rows()
}

// KeptInputs returns a copy of the inputs X of the samples that the model keeps, or nil for none.
func (m *model) KeptInputs() *mat.Dense {
	if m.KeptRows() == 0 {
		return nil
	}
	return copyOf(m.kept.x)
}

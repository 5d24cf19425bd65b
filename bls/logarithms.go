package bls

import (
	"context"
	"math"
	"slices"

	"blskernel/bls/internal/choice"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

const (
	// Fit chooses logarithms if the loss with them is below logAdvantage times the loss without
	// them. The factor is below 1 because a model of logarithms can learn only positive targets.
	logAdvantage = 0.9

	minSkewness = 1 // the smallest skewness of targets whose logarithms are tried
)

// checkPositive returns a *TargetError for the first target <= 0 in a row of positive weight.
func checkPositive(y *mat.Dense, weights []float64) error {
	rows, _ := y.Dims()
	for i := range rows {
		for j, v := range y.RawRowView(i) {
			if !(v > 0) && floats.Weight(weights, i) > 0 {
				return &TargetError{Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// logarithms returns the logarithms of y, and zeros in rows of weight 0.
func logarithms(y *mat.Dense, weights []float64) *mat.Dense {
	var out mat.Dense
	out.Apply(func(i, _ int, v float64) float64 {
		if floats.Weight(weights, i) == 0 {
			return 0
		}
		return detmath.Log(v)
	}, y)
	return &out
}

// skewed reports whether the skewness of each column of y is at least minSkewness and greater than the
// magnitude of the skewness of its logarithms. The elements of y must be positive and at most 1.
func skewed(y *mat.Dense) bool {
	logs := logarithms(y, nil)
	_, c := y.Dims()
	for j := range c {
		if s := skewness(y, j); !(s >= minSkewness && s > math.Abs(skewness(logs, j))) {
			return false
		}
	}
	return true
}

// skewness returns the third standardized moment of column j of y, or NaN if all elements are equal.
func skewness(y *mat.Dense, j int) float64 {
	l, _ := y.Dims()
	mean := columnMeans(y, nil)[j]
	var squares, cubes float64
	for i := range l {
		e := y.At(i, j) - mean
		squares += float64(e*e) / float64(l)
		cubes += float64(float64(e*e)*e) / float64(l)
	}
	return cubes / float64(squares*math.Sqrt(squares))
}

// learned returns y or, for a model of logarithms, the logarithms of y: the targets before centering.
func (m *model) learned(y *mat.Dense, weights []float64) (*mat.Dense, error) {
	if m.smearing == nil {
		return y, nil
	}
	if err := checkPositive(y, weights); err != nil {
		return nil, err
	}
	return logarithms(y, weights), nil
}

// plain returns m or, for a model of logarithms, a copy that predicts the logarithms. m must be ready.
// The copy has a lock of its own, so it gets the weights here, and never calls the shared updater.
func (m *model) plain(ctx context.Context) (*model, error) {
	if m.smearing == nil {
		return m, nil
	}
	w, err := m.currentWeights(ctx)
	if err != nil {
		return nil, err
	}
	p := m.with(m.updater)
	p.smearing, p.weights = nil, w
	return p, nil
}

// boundBy raises the largest targets of the model to at least the given ones, in a new Smearing, since
// clones share the old one. It takes ownership of largest. It does nothing without a Smearing.
func (m *model) boundBy(largest []float64) {
	if m.smearing == nil {
		return
	}
	for j, v := range m.smearing.Largest {
		largest[j] = max(largest[j], v)
	}
	m.smearing = &choice.Smearing{Factors: m.smearing.Factors, Largest: largest}
}

// renewSmearing computes the factors of a model of logarithms from the rows of its calibration, which
// hold the residuals. It does nothing for other models, and without a calibration.
func (m *model) renewSmearing() {
	rows := m.calibration.rows
	if m.smearing == nil || len(rows) == 0 {
		return
	}
	c := len(m.smearing.Factors)
	residuals := mat.NewDense(len(rows), c, nil)
	for i, row := range rows {
		residuals.SetRow(i, row[m.first():])
	}
	factors := choice.Smear(mat.NewDense(len(rows), c, nil), residuals, m.calibration.weights())
	m.smearing = &choice.Smearing{Factors: factors, Largest: m.smearing.Largest}
}

// Smearing returns, for a model of logarithms, two slices of c numbers: the factors of exp([A, 1] W +
// 1·y0ᵀ), and the upper bounds of the predictions. It returns nil for other models.
func (r *Regressor) Smearing() (factors, largest []float64) {
	s := r.orEmpty().smearing
	if s == nil {
		return nil, nil
	}
	return slices.Clone(s.Factors), s.Limits()
}

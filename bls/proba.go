package bls

import (
	"cmp"
	"context"
	"math"
	"slices"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// DefaultSlope is the slope of the probabilities of a Classifier that was never calibrated.
const DefaultSlope = 3

// PredictProba returns, for the samples X (l×d), the probabilities of the classes (l×c), which sum to 1
// in each row:
//
//	softmax(slope · scores),  p[i][j] = exp(slope s[i][j]) / Σ_m exp(slope s[i][m])
//
// where s are the scores of DecisionFunction. A calibration determines the slope (see Calibrate).
// Before the first one it is DefaultSlope, and only the order of the probabilities is meaningful. Calls
// that discard a calibration keep its slope. For samples outside the range of the learned ones, the
// probabilities shrink towards the shares of the classes (see Temper).
//
//	cost, errors: as DecisionFunction and Outside.
func (c *Classifier) PredictProba(x *mat.Dense) (*mat.Dense, error) {
	return c.PredictProbaContext(background, x)
}

// PredictProbaContext is like PredictProba but stops when ctx is done, as DecisionFunctionContext does.
func (c *Classifier) PredictProbaContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	scores, err := c.eachScores(ctx, x, nil)
	if err != nil {
		return nil, err
	}
	c.probabilities(scores, scores)
	outside, err := c.OutsideContext(ctx, x)
	if err != nil {
		return nil, err
	}
	c.Temper(scores, outside)
	return scores, nil
}

// Probabilities returns, in new storage, the result of PredictProba for scores, but without Temper.
func (c *Classifier) Probabilities(scores *mat.Dense) *mat.Dense {
	out := mat.NewDense(scores.RawMatrix().Rows, scores.RawMatrix().Cols, nil)
	c.probabilities(out, scores)
	return out
}

func (c *Classifier) probabilities(p, scores *mat.Dense) {
	slope := cmp.Or(c.orEmpty().slope, DefaultSlope)
	for i := range scores.RawMatrix().Rows {
		softmax(p.RawRowView(i), scores.RawRowView(i), slope)
	}
}

// softmax sets p[j] = exp(slope·scores[j]) / Σ_m exp(slope·scores[m]). p may be scores itself.
func softmax(p, scores []float64, slope float64) {
	largest, sum := slices.Max(scores), 0.0
	for j, v := range scores {
		p[j] = detmath.Exp(float64(slope * (v - largest)))
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
}

// fittedSlope returns the slope fitted to the calibration, or 0 if its rows are of fewer than two
// classes. It divides the weight of each row by its s² (see Calibrate): rows far outside the learned
// ones have large scores, which mean little.
func (m *model) fittedSlope() float64 {
	if !m.constant || len(m.calibration.rows) == 0 {
		return 0
	}
	scores, labels, weights := m.calibration.scores()
	known := scores.RawMatrix().Cols
	if known < 2 {
		return 0
	}
	_, weights, _ = counted(make([]count, known), labels, weights, m.settings.classWeight) // cannot overflow
	for i, row := range m.calibration.rows {
		weights[i] = weights[i] / row[1] / row[1]
	}
	return fitSlope(scores, labels, weights)
}

// fitSlope returns the slope s, from 2⁻¹⁰ to 2¹⁰, with the smallest log loss of softmax(s f) on the
// scores f (l×c), which are finite. weights multiply the losses of the rows; nil stands for ones. As in
// Platt scaling, a label from 0 to c-1 counts as a distribution that spreads 1/(l+2) evenly over all
// classes. The loss thus has a minimum even if no score is wrong.
//
// The loss is convex, so fitSlope uses Newton's method, with steps confined to a shrinking interval.
//
//	source: J. Platt, Probabilistic outputs for support vector machines, in Advances in Large Margin
//	Classifiers, 1999; C. Guo et al., On calibration of modern neural networks, ICML 2017, where 1/s
//	is the temperature.
func fitSlope(scores *mat.Dense, labels []int, weights []float64) float64 {
	l, c := scores.Dims()
	p, d := make([]float64, c), make([]float64, c)
	share := 1 / float64(l+2)
	lo, hi, s := 0x1p-10, 0x1p10, float64(DefaultSlope)
	for range 64 {
		// The first two derivatives: E_p[d] - E_label[d], and the variance of d under p.
		var gradient, curvature float64
		for i := range l {
			f := scores.RawRowView(i)
			softmax(p, f, s)
			own := f[labels[i]]
			var mean, square, all float64
			for j, v := range f {
				d[j] = max(-1e9, min(1e9, v-own)) // finite squares
				mean += float64(p[j] * d[j])
				all += d[j] / float64(c)
			}
			for j, v := range d {
				square += float64(p[j] * float64((v-mean)*(v-mean)))
			}
			w := floats.Weight(weights, i)
			gradient += float64(w * (mean - float64(share*all)))
			curvature += float64(w * square)
		}
		if gradient == 0 {
			break // the minimum, or the loss does not depend on the slope
		}
		if gradient > 0 {
			hi = s
		} else {
			lo = s
		}
		next := s - gradient/curvature
		if !(next > lo && next < hi) {
			next = math.Sqrt(lo * hi)
		}
		if math.Abs(next-s) <= 0x1p-40*s {
			break
		}
		s = next
	}
	return s
}

func checkLabels(labels []int, classes int) error {
	for i, label := range labels {
		if label < 0 || label >= classes {
			return &LabelError{Index: i, Label: label, Classes: classes}
		}
	}
	return nil
}

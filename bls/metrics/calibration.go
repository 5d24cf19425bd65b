package metrics

import (
	"math"
	"slices"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// Bins is the number of bins of the calibration error.
const Bins = 10

// epsilon keeps the probabilities in LogLoss away from 0 and 1.
const epsilon = 0x1p-52

// LogLoss returns the mean over the samples of -log p, where p is the predicted probability of the
// sample's class, clamped to [2⁻⁵², 1-2⁻⁵²]. In symbols,
//
//	-(sum of w_i log p[i][labels_i]) / sum of w_i.
//
//	shapes: labels l, each from 0 to c-1; p l×c; weights l or nil.
//	errors: NaN if the weights sum to 0; panics if the lengths differ, a label is out of range, or a
//	weight is negative or not finite.
//	source: sklearn.metrics.log_loss.
func LogLoss(labels []int, p *mat.Dense, weights []float64) float64 {
	return calibrate(labels, p, weights).LogLoss()
}

// CalibrationError returns the expected calibration error. The confidence of a prediction is the
// largest probability of its sample. Bin b, from 0 to 9, holds the samples with a confidence above b/10
// and at most (b+1)/10. The result is
//
//	sum over b of w_b/w |accuracy_b - mean confidence_b|,
//
// where w_b is the weight of bin b, accuracy_b is the share of this weight that is predicted correctly,
// and w is the total weight.
//
//	shapes, errors: as LogLoss. A tie for the largest probability goes to the first class.
//	source: C. Guo et al., On calibration of modern neural networks, ICML 2017, equation 3.
func CalibrationError(labels []int, p *mat.Dense, weights []float64) float64 {
	return calibrate(labels, p, weights).Error()
}

func calibrate(labels []int, p *mat.Dense, weights []float64) *Calibration {
	l, _ := p.Dims()
	checkLengths(l, len(labels), weights)
	weights = scaled(weights)
	var c Calibration
	for i, label := range labels {
		c.Add(label, p.RawRowView(i), floats.Weight(weights, i))
	}
	return &c
}

// A Calibration accumulates the sums for LogLoss and CalibrationError. The zero value has no samples.
type Calibration struct {
	weight, loss float64
	bins         [Bins]bin
}

// A bin holds sums over the samples whose confidence is in its range.
type bin struct{ weight, correct, confidence float64 }

// Add adds a sample of class label, where p has the predicted probability of each class. It does not
// check the sum of p. It panics if label is outside 0 to len(p)-1 or weight is negative or not finite.
// Any NaN in p makes the calibration error NaN; a NaN in p[label] also makes the log loss NaN.
func (c *Calibration) Add(label int, p []float64, weight float64) {
	checkClass(label, len(p))
	checkWeight(weight)
	if weight == 0 {
		return
	}
	confidence := slices.Max(p) // NaN if p has a NaN
	of := min(max(p[label], epsilon), 1-epsilon)
	c.weight += weight
	c.loss -= float64(weight * detmath.Log(of))
	// A bin includes its upper bound. NaN goes to the first bin, and from there to the result.
	b := 0
	for b < Bins-1 && confidence > float64(b+1)/Bins {
		b++
	}
	at := &c.bins[b]
	at.weight += weight
	at.confidence += float64(weight * confidence)
	if slices.Index(p, confidence) == label {
		at.correct += weight
	}
}

// LogLoss returns the log loss of the samples, or NaN if their weights sum to 0.
func (c *Calibration) LogLoss() float64 { return c.loss / c.weight }

// Error returns the calibration error of the samples, or NaN if their weights sum to 0.
func (c *Calibration) Error() float64 {
	var sum float64
	for _, b := range c.bins {
		sum += math.Abs(b.correct - b.confidence)
	}
	return sum / c.weight
}

package bls

import (
	"math"
	"slices"

	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// FeatureMaps are the numbers that Features compute with, for programs that are not in Go. Written for
// NumPy, a sample x, a row of X, becomes a row of A by
//
//	ScaleSamples:  s = (x - x.mean()) / x.std(ddof=1), or zeros where all of x is equal
//	ScaleColumns:  s = (x - Means) / Deviations
//	ScaleNone:     s = x
//	h1 = append(s, Bias)
//	z  = (h1 @ FeatureWeights - FeatureMinimum) / FeatureRange
//	h  = tanh(EnhancementScale * (append(z, Bias) @ EnhancementWeights))
//	a  = concatenate([z, h]), or z where EnhancementWeights is nil
//
// which differs from Transform by rounding only. With the weights of the output layer the scores of a
// Classifier are a @ W, and the predictions of a Regressor append(a, 1) @ W + Center, or a @ W without an
// intercept.
type FeatureMaps struct {
	Scaling           Scaling
	Means, Deviations []float64 // d each, nil unless Scaling is ScaleColumns

	Bias float64 // 0.1, the last column of H1 and beside Z

	FeatureWeights               *mat.Dense // (d+1)×N; the last row is that of the bias
	FeatureMinimum, FeatureRange []float64  // N each, of the nodes over the first training set; 0 and 1 where they were not scaled

	EnhancementWeights *mat.Dense // (N+1)×n3, nil for n3 = 0; the last row is that of the bias
	EnhancementScale   float64    // s/m, or 1 with Unscaled
}

// Maps returns copies of all numbers that the maps compute with.
func (f *Features) Maps() FeatureMaps {
	f.check()
	m := FeatureMaps{
		Scaling:          f.opt.Scaling,
		Means:            slices.Clone(f.means),
		Deviations:       slices.Clone(f.deviations),
		Bias:             biasInput,
		FeatureWeights:   gonum.DenseCopyOf(f.weights),
		FeatureMinimum:   slices.Clone(f.offset),
		FeatureRange:     make([]float64, len(f.gain)),
		EnhancementScale: f.scale,
	}
	for j, g := range f.gain {
		// The reciprocal of the smallest gain, for a range near the largest number, may round to infinity.
		m.FeatureRange[j] = min(1/g, math.MaxFloat64)
	}
	if f.enhancement != nil {
		m.EnhancementWeights = gonum.DenseCopyOf(f.enhancement)
	}
	return m
}

package bls

import (
	"math"
	"slices"

	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// Features are fitted feature maps from samples X (l×d) to the expanded input matrix A = [Z, H] (l×k).
// Of the samples of the fit they keep the settings in the package comment, which Maps returns. They do
// not change after FitFeatures, so their methods may run on several goroutines.
type Features struct {
	// opt are the options of the fit, resolved.
	opt FeatureOptions

	// means and deviations are those of the d columns of the first training set, with ScaleColumns
	// only.
	means, deviations []float64
	// weights are beta_1, ..., beta_n2 side by side, (d+1)×N; the last row is that of the bias.
	weights *mat.Dense
	// offset and gain, N numbers each, map node j to Z = (T - offset[j]) * gain[j].
	offset, gain []float64
	// enhancement is Wh, (N+1)×n3; the last row is that of the bias. It is nil for n3 = 0.
	enhancement *mat.Dense
	// scale is s/m, or 1.
	scale float64
}

// Options returns the options of the fit, with each default in place of its zero, and the backend in
// use. With them and the same samples FitFeatures returns the same maps.
func (f *Features) Options() FeatureOptions {
	f.check()
	return f.opt
}

// Inputs returns d, the number of features of a sample.
func (f *Features) Inputs() int {
	f.check()
	r, _ := f.weights.Dims()
	return r - 1
}

// Nodes returns k = N + n3, the number of columns of A.
func (f *Features) Nodes() int { return f.FeatureNodes() + f.EnhancementNodes() }

// FeatureNodes returns N = n2·n1, the number of columns of Z, the first of A.
func (f *Features) FeatureNodes() int {
	f.check()
	return f.opt.Groups * f.opt.GroupNodes
}

// EnhancementNodes returns n3, the number of columns of H, the last of A.
func (f *Features) EnhancementNodes() int {
	f.check()
	return f.opt.EnhancementNodes
}

func (f *Features) check() {
	if f.weights == nil {
		panic("bls: Features were not made by FitFeatures")
	}
}

// FeatureMaps are the numbers of Features, for programs that are not in Go. In NumPy a sample x becomes
// a row of A by
//
//	ScaleSamples:  s = (x - x.mean()) / x.std(ddof=1), or zeros where all of x is equal
//	ScaleColumns:  s = (x - Means) / Deviations
//	ScaleNone:     s = x
//	h1 = append(s, Bias)
//	z  = (h1 @ FeatureWeights - FeatureMinimum) / FeatureRange
//	h  = tanh(EnhancementScale * (append(z, Bias) @ EnhancementWeights))
//	a  = concatenate([z, h]), or z where EnhancementWeights is nil
//
// which differs from Transform by rounding only. With the weights W of the output layer the scores of a
// Classifier are a @ W, and the predictions of a Regressor append(a, 1) @ W + Center, or a @ W without
// an intercept.
type FeatureMaps struct {
	Scaling           Scaling
	Means, Deviations []float64 // d each, nil unless Scaling is ScaleColumns

	Bias float64 // 0.1, the last column of H1 and beside Z

	FeatureWeights               *mat.Dense // (d+1)×N; the last row is that of the bias
	FeatureMinimum, FeatureRange []float64  // N each, over the first training set; 0 and 1 if not scaled

	EnhancementWeights *mat.Dense // (N+1)×n3, nil for n3 = 0; the last row is that of the bias
	EnhancementScale   float64    // s/m, or 1 with Unscaled
}

// Maps returns copies of all numbers of the maps.
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
		// The reciprocal of the smallest gain, for a range near the largest number, may round
		// to infinity.
		m.FeatureRange[j] = min(1/g, math.MaxFloat64)
	}
	if f.enhancement != nil {
		m.EnhancementWeights = gonum.DenseCopyOf(f.enhancement)
	}
	return m
}

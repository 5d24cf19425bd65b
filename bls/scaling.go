package bls

import (
	"context"
	"math"
	"slices"

	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// A Scaling is a way to standardize samples to H1 = [S, 0.1], the input of the feature nodes.
type Scaling int

const (
	// ScaleAuto leaves the choice to Fit: ScaleColumns, or ScaleRanks if it predicts held-out rows
	// better. FitFeatures treats it as ScaleSamples, the scaling of the paper.
	ScaleAuto Scaling = iota
	// ScaleSamples standardizes each sample by its own mean and standard deviation over its d
	// inputs: s = (x - mean(x)) / std(x), or 0 if x is constant. It suits inputs of one kind, such
	// as the pixels of an image or the points of a curve. x, 2x and x+1 become the same.
	ScaleSamples
	// ScaleColumns standardizes each input by its mean and standard deviation over the first
	// training set, s[j] = (x[j] - mean[j]) / std[j]. It suits tables. A column that is constant in
	// the first training set becomes 0, with std[j] = 1, and its weights are exactly 0. When
	// PartialFit or Refit finds another value, it draws the weights of the column. std[j] becomes
	// the root mean square distance from the constant in that batch, or the distance itself if
	// only one other value occurs. Earlier samples keep their 0, so the model equals a fit of the
	// new maps to all samples. To be merged, clones in which column j varied need equal std[j].
	ScaleColumns
	// ScaleNone takes the samples unchanged, S = X. It suits inputs of magnitude about 1.
	ScaleNone
	// ScaleRanks maps each input to normal scores: the normal quantile of its rank among at most
	// 4096 rows of the first training set, s[j] = Φ⁻¹((rank-½)/n). Equal inputs share their mean
	// rank. s[j] is linear between at most 126 quantiles; beyond the ends it continues with the
	// slope of the outer tenth, up to ±4. It suits skewed columns and columns with outliers. A
	// column of two values becomes their standard scores. A constant column becomes 0; if it varies
	// later, or in other rows of that set, s[j] is as with ScaleColumns, up to ±4.
	ScaleRanks
)

func (s Scaling) ofColumns() bool { return s == ScaleColumns || s == ScaleRanks }

var scalingNames = []string{"auto", "samples", "columns", "none", "ranks"}

// String returns "auto", "samples", "columns", "none" or "ranks", which ParseScaling reads.
func (s Scaling) String() string { return names.String(scalingNames, s) }

// ParseScaling returns the scaling with the given name, ignoring case.
func ParseScaling(name string) (Scaling, error) {
	return names.Parse[Scaling]("bls", scalingNames, name)
}

// meanSquare returns the weighted mean of the squared norms of the rows of S, for rows x (l×d), but at
// most 2⁹⁰⁰. It is d unless S is X itself: otherwise the columns of S have mean squares of 1.
func (s Scaling) meanSquare(x *mat.Dense, weights []float64) float64 {
	l, d := x.Dims()
	if s != ScaleNone {
		return float64(d)
	}
	sum, mean := 0.0, 0.0
	for i := range l {
		sum += floats.Weight(weights, i)
	}
	for i := range l {
		if w := floats.Weight(weights, i); w > 0 {
			for _, v := range x.RawRowView(i) {
				mean += float64(w / sum * v * v)
			}
		}
	}
	return min(mean, 0x1p900)
}

const smallestNormal = 0x1p-1022

// columnScales returns the mean and the standard deviation (divisor l-1) of each column of x (l×d,
// finite). For a column of equal elements, the mean is exactly their value and the deviation is 1.
// A deviation below 2⁻¹⁰²², which is not accurate enough to divide by, also becomes 1.
//
// A power of two scales the largest element of each column to about 1, so that nothing overflows. The
// first mean m' is computed from the differences from the first element x₀. The mean e of the
// differences from m' then corrects the rounding of m' and of the sum of squares:
//
//	m' = x₀ + Σ(x - x₀)/l,  m = m' + e,  e = Σ(x - m')/l,  std² = (Σ(x - m')² - l e²) / (l-1)
//
//	cost: three passes over x, in row order for any number of threads.
//	errors: *OverflowError for a deviation beyond float64; the cause of ctx, checked for each panel.
//	source: Chan, Golub and LeVeque, Amer. Statist. 37 (1983) 242-247, the corrected two-pass
//	algorithm.
func columnScales(ctx context.Context, x *mat.Dense) (means, deviations []float64, err error) {
	l, d := x.Dims()
	first := x.RawRowView(0)
	lo, hi := make([]float64, d), make([]float64, d)
	copy(lo, first)
	copy(hi, first)
	pass := func(f func(row []float64)) {
		if err == nil {
			err = interrupt.EachPanel(ctx, l, panelRows(d), func(from, to int) error {
				for i := from; i < to; i++ {
					f(x.RawRowView(i))
				}
				return nil
			})
		}
	}
	pass(func(row []float64) {
		for j, v := range row {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	})
	factor := make([]float64, d)
	for j := range factor {
		// 2¹⁰⁰⁰ times the smallest number can be squared, and so can 2⁻¹⁰⁰⁰ times the largest.
		_, exp := math.Frexp(max(-lo[j], hi[j]))
		factor[j] = math.Ldexp(1, max(-1000, min(1000, -exp)))
	}
	means, deviations = make([]float64, d), make([]float64, d)
	pass(func(row []float64) {
		for j, v := range row {
			means[j] += (float64(factor[j]*v) - float64(factor[j]*first[j])) / float64(l)
		}
	})
	for j, f := range factor {
		means[j] += float64(f * first[j])
	}
	left := make([]float64, d)
	pass(func(row []float64) {
		for j, v := range row {
			e := float64(factor[j]*v) - means[j]
			left[j] += e / float64(l)
			deviations[j] += float64(e * e)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for j, f := range factor {
		if lo[j] == hi[j] {
			means[j], deviations[j] = lo[j], constantDeviation
			continue
		}
		means[j] = min(hi[j], max(lo[j], (means[j]+left[j])/f))
		deviations[j] = math.Sqrt(max(0, deviations[j]-float64(float64(l)*left[j]*left[j]))/float64(l-1)) / f
		if math.IsInf(deviations[j], 1) {
			return nil, nil, &OverflowError{Row: -1, Col: j, What: "the standard deviation"}
		}
		if deviations[j] = varies(deviations[j]); deviations[j] < smallestNormal {
			deviations[j] = constantDeviation
		}
	}
	return means, deviations, nil
}

// maxGain is the largest gain of minMax: a range below 1e-14·width counts as rounding noise.
const maxGain = 1e14

// minMax returns the offset and gain that map [lo, hi] to [0, width] by (v-offset)*gain. If hi-lo is 0
// or not finite, or if the gain exceeds maxGain, it returns 0 and 1, which change nothing, and false.
func minMax(lo, hi, width float64) (offset, gain float64, ok bool) {
	gain = width / (hi - lo)
	if !(gain <= maxGain) || math.IsInf(hi-lo, 0) {
		return 0, 1, false
	}
	return lo, gain, true
}

// scaleRow maps a row from its [min, max] to [-1,1], as for A1, unless minMax rejects this range.
func scaleRow(row []float64) {
	offset, gain, ok := minMax(slices.Min(row), slices.Max(row), 2)
	if !ok {
		return
	}
	for j, v := range row {
		row[j] = float64((v-offset)*gain) - 1
	}
}

// minMaxColumns returns the offset and gain that map each column of t from its [min, max] to [0,1].
// They are 0 and 1 for a column that minMax rejects.
func minMaxColumns(t *mat.Dense) (offset, gain []float64) {
	l, n := t.Dims()
	raw := t.RawMatrix()
	lo, hi := make([]float64, n), make([]float64, n)
	copy(lo, raw.Data[:n])
	copy(hi, raw.Data[:n])
	for i := 1; i < l; i++ {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+n] {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	for j := range n {
		lo[j], hi[j], _ = minMax(lo[j], hi[j], 1)
	}
	return lo, hi
}

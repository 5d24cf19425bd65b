package bls

import (
	"context"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// smallestNormal is the smallest float64 with all its digits.
const smallestNormal = 0x1p-1022

// columnScales returns the mean and the standard deviation (N-1) of each column of x (l×d, finite), as
// ScaleColumns uses them. A column whose elements are all equal has exactly its element for a mean, and
// the deviation 1; so has one whose deviation is below 2⁻¹⁰²², which has no digits to divide by.
//
// Each column is multiplied by a power of two that brings its largest element near 1, so that nothing
// overflows on the way. The mean is that of the differences from the first element, and what its
// rounding has left, the mean of the differences from it, corrects it and the sum of squares:
//
//	m' = x₀ + Σ(x - x₀)/l,  m = m' + e,  e = Σ(x - m')/l,  std² = (Σ(x - m')² - l e²) / (l-1)
//
//	cost: three passes over x, one after the other, in the order of the rows whatever the number of threads.
//	errors: *OverflowError for a deviation beyond float64; that of ctx, which is looked at before each panel of rows.
//	source: Chan, Golub and LeVeque, Amer. Statist. 37 (1983) 242-247, the corrected two-pass algorithm.
func columnScales(ctx context.Context, x *mat.Dense) (means, deviations []float64, err error) {
	l, d := x.Dims()
	first := x.RawRowView(0)
	lo, hi := make([]float64, d), make([]float64, d)
	copy(lo, first)
	copy(hi, first)
	err = eachRow(ctx, x, func(row []float64) {
		for j, v := range row {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	factor := make([]float64, d)
	for j := range factor {
		// 2¹⁰⁰⁰ times the smallest number has a square, and so has the largest times 2⁻¹⁰⁰⁰.
		_, exp := math.Frexp(max(-lo[j], hi[j]))
		factor[j] = math.Ldexp(1, max(-1000, min(1000, -exp)))
	}
	means, deviations = make([]float64, d), make([]float64, d)
	err = eachRow(ctx, x, func(row []float64) {
		for j, v := range row {
			means[j] += (factor[j]*v - factor[j]*first[j]) / float64(l)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for j, f := range factor {
		means[j] += f * first[j]
	}
	left := make([]float64, d)
	err = eachRow(ctx, x, func(row []float64) {
		for j, v := range row {
			e := factor[j]*v - means[j]
			left[j] += e / float64(l)
			deviations[j] += e * e
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for j, f := range factor {
		if lo[j] == hi[j] {
			means[j], deviations[j] = lo[j], 1
			continue
		}
		means[j] = min(hi[j], max(lo[j], (means[j]+left[j])/f))
		deviations[j] = math.Sqrt(max(0, deviations[j]-float64(l)*left[j]*left[j])/float64(l-1)) / f
		if math.IsInf(deviations[j], 1) {
			return nil, nil, &OverflowError{Row: -1, Col: j, What: "the standard deviation"}
		}
		if deviations[j] < smallestNormal {
			deviations[j] = 1
		}
	}
	return means, deviations, nil
}

// eachRow calls f for each row of x, and looks at ctx before each panel of them.
func eachRow(ctx context.Context, x *mat.Dense, f func(row []float64)) error {
	l, d := x.Dims()
	return interrupt.EachPanel(ctx, l, panelRows(d), func(from, to int) error {
		for i := from; i < to; i++ {
			f(x.RawRowView(i))
		}
		return nil
	})
}

// scaleByColumns computes dst[j] = (x[j] - means[j]) / deviations[j], and returns the index of the
// first result that is beyond float64, or -1.
func scaleByColumns(dst, x, means, deviations []float64) int {
	bad := -1
	for j, v := range x {
		dst[j] = (v - means[j]) / deviations[j]
		if bad < 0 && math.IsInf(dst[j], 0) {
			bad = j
		}
	}
	return bad
}

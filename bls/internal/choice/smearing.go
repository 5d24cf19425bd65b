package choice

import (
	"math"
	"slices"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

const (
	maxSmearing = 0x1p60 // the largest factor; the smallest is its reciprocal
	maxBeyond   = 10     // the largest prediction, as a multiple of the largest target
)

// A Smearing predicts targets from scores, which predict their logarithms:
//
//	prediction = min(Factors[j]·exp(score), 10·Largest[j])
//
// where exp(score) alone would estimate the median. Factors are the means of exp(r) over held-out rows,
// for the residuals r = log target - score. They leave out the rows with the smallest and the largest
// r, 1% of the weight at each end. Largest holds the largest value of each target.
//
//	source: Duan, Smearing estimate: a nonparametric retransformation method, J. Amer. Statist.
//	Assoc. 78 (1983) 605-610.
type Smearing struct{ Factors, Largest []float64 }

// Limits returns the upper bound of the predictions for each target.
func (s *Smearing) Limits() []float64 {
	limits := make([]float64, len(s.Largest))
	for j, v := range s.Largest {
		limits[j] = min(float64(maxBeyond*v), math.MaxFloat64)
	}
	return limits
}

// Predict replaces scores with predictions.
func (s *Smearing) Predict(scores *mat.Dense) {
	limits := s.Limits()
	for i := range scores.RawMatrix().Rows {
		row := scores.RawRowView(i)
		for j, v := range row {
			row[j] = min(float64(s.Factors[j]*detmath.Exp(v)), limits[j])
		}
	}
}

// Smear returns the factors of a Smearing from scores and logarithms y, both l×c; nil weights are ones.
func Smear(scores, y *mat.Dense, weights []float64) []float64 {
	l, c := y.Dims()
	var total float64
	for i := range l {
		total += floats.Weight(weights, i)
	}
	factors := make([]float64, c)
	residuals := make([]float64, l)
	for j := range factors {
		for i := range residuals {
			residuals[i] = y.At(i, j) - scores.At(i, j)
		}
		var below, sum, kept float64
		for _, i := range factor.Ascending(residuals) {
			w := floats.Weight(weights, i)
			if middle := below + float64(w/2); middle >= total/100 && middle <= total-total/100 {
				sum += float64(w * detmath.Exp(residuals[i]))
				kept += w
			}
			below += w
		}
		if factors[j] = 1; kept > 0 {
			factors[j] = max(1/maxSmearing, min(maxSmearing, sum/kept))
		}
	}
	return factors
}

// Factors returns the factors of a Smearing, computed from the held-out rows of r.
func (r *Result) Factors() []float64 {
	f := r.folds
	from, m := f.ends[f.firstHeld], len(f.rows)
	weights := f.weights
	if weights != nil {
		weights = weights[from:]
	}
	return Smear(rowsOf(r.scores, from, m), rowsOf(r.equations.y, from, m), weights)
}

// Maxima returns the largest element of each column of y over the rows of positive weight, or the
// smallest positive number if there is no such row. The elements of y must be positive.
func Maxima(y *mat.Dense, weights []float64) []float64 {
	rows, c := y.Dims()
	out := slices.Repeat([]float64{math.SmallestNonzeroFloat64}, c)
	for i := range rows {
		if floats.Weight(weights, i) == 0 {
			continue
		}
		for j, v := range y.RawRowView(i) {
			out[j] = max(out[j], v)
		}
	}
	return out
}

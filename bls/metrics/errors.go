package metrics

import (
	"math"

	"blskernel/internal/linalg/floats"
)

// RMSE returns the root mean squared error,
//
//	sqrt(sum of w_i (predicted_i - known_i)² / sum of w_i).
//
//	shapes: known, predicted l; weights l or nil.
//	errors: NaN if the weights sum to 0, +Inf beyond the largest number; panics if the lengths
//	differ, or a weight is negative or not finite.
//	source: the square root of sklearn.metrics.mean_squared_error.
func RMSE(known, predicted, weights []float64) float64 {
	return compare(known, predicted, weights).RMSE()
}

// MAE returns the mean absolute error, sum of w_i |predicted_i - known_i| / sum of w_i.
//
//	shapes, errors: as RMSE.
//	source: sklearn.metrics.mean_absolute_error.
func MAE(known, predicted, weights []float64) float64 {
	return compare(known, predicted, weights).MAE()
}

// R2 returns the share of the variance of the known values that the predictions explain,
//
//	1 - sum of w_i (predicted_i - known_i)² / sum of w_i (known_i - mean)²,
//
// where mean is the weighted mean of the known values. It is 1 for perfect predictions, 0 for
// predicting the mean, and negative for worse predictions.
//
//	shapes, errors: as RMSE, but NaN for equal known values, and -Inf beyond the largest number.
//	source: sklearn.metrics.r2_score.
func R2(known, predicted, weights []float64) float64 {
	return compare(known, predicted, weights).R2()
}

func compare(known, predicted, weights []float64) *Errors {
	checkLengths(len(known), len(predicted), weights)
	weights = scaled(weights)
	var e Errors
	for i, v := range known {
		e.Add(v, predicted[i], floats.Weight(weights, i))
	}
	return &e
}

// Errors accumulates the errors of predicted numbers, sample by sample. The zero value has no samples.
// The sum of squares about the mean comes from Welford's recurrence, which avoids cancellation if the
// mean is large compared with the deviations. If squares would overflow or vanish, sums are of numbers
// divided by a power of two.
type Errors struct {
	weight            float64
	squares, absolute float64 // sums of the squared and the absolute errors
	unit              unit    // of squares and absolute
	mean, about       float64 // mean of the known values, and sum of squares about it
	known             unit    // of mean and about, whatever is predicted
}

// Add adds a sample. It panics if weight is negative or not finite.
func (e *Errors) Add(known, predicted, weight float64) {
	checkWeight(weight)
	if weight == 0 {
		return
	}
	e.unit.grow(max(math.Abs(known), math.Abs(predicted)), &e.absolute, &e.squares)
	e.known.grow(math.Abs(known), &e.mean, &e.about)
	d := e.unit.divide(predicted) - e.unit.divide(known)
	e.weight += weight
	e.squares += float64(weight * float64(d*d))
	e.absolute += float64(weight * math.Abs(d))
	known = e.known.divide(known)
	before := known - e.mean
	e.mean += float64(before * (weight / e.weight))
	e.about += float64(weight * float64(before*(known-e.mean)))
}

// A unit is the power of two that divides the numbers of a sum, 1 unless their squares leave the range.
type unit struct {
	largest float64 // finite magnitude so far
	power   int
}

// grow adapts the unit to a number of the given magnitude, and to the unit a sum, or mean, and a sum of
// squares.
func (u *unit) grow(magnitude float64, sum, squares *float64) {
	if !(magnitude > u.largest && magnitude <= math.MaxFloat64) {
		return
	}
	_, power := math.Frexp(magnitude)
	if power >= -400 && power <= 400 {
		power = 0 // squares, times weights, are far from both ends of the range
	}
	by := u.power - power
	u.largest, u.power = magnitude, power
	*sum, *squares = math.Ldexp(*sum, by), math.Ldexp(*squares, 2*by)
}

func (u *unit) divide(v float64) float64 { return math.Ldexp(v, -u.power) }

func (u *unit) times(v float64) float64 { return math.Ldexp(v, u.power) }

// RMSE returns the root mean squared error, or NaN if the weights sum to 0.
func (e *Errors) RMSE() float64 { return e.unit.times(math.Sqrt(e.squares / e.weight)) }

// MAE returns the mean absolute error, or NaN if the weights sum to 0.
func (e *Errors) MAE() float64 { return e.unit.times(e.absolute / e.weight) }

// Deviation returns the population standard deviation of the known values; NaN if the weights sum to 0.
func (e *Errors) Deviation() float64 { return e.known.times(math.Sqrt(e.about / e.weight)) }

// R2 returns the share of variance that the predictions explain, or NaN if all known values are equal.
func (e *Errors) R2() float64 {
	if e.about == 0 {
		return math.NaN()
	}
	return 1 - math.Ldexp(e.squares/e.about, 2*(e.unit.power-e.known.power))
}

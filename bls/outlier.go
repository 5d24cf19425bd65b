package bls

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// A sample may be an outlier if its reach exceeds outlying times the largest reach learned.
const outlying = 1e3

// An OutlierError reports a sample that would leave W without correct digits, since its nodes are too
// large or its weight is too far from the weights of the others.
type OutlierError struct {
	Row    int     // of X, from 0
	Size   float64 // the largest magnitude of its nodes, times the square root of its weight
	Weight float64 // its weight, if that is the cause; otherwise 0
	Err    error   // a *blsupdate.ConditionError
}

func (e *OutlierError) Error() string {
	if e.Weight != 0 {
		return fmt.Sprintf("bls: sample %d has the weight %.1g: give it a weight closer to the weights of the others, or leave it out: %v", e.Row, e.Weight, e.Err)
	}
	return fmt.Sprintf("bls: the nodes of sample %d, times the square root of its weight, are as large as %.1g: remove the sample if it is an outlier: %v", e.Row, e.Size, e.Err)
}

// Unwrap returns Err.
func (e *OutlierError) Unwrap() error { return e.Err }

// checkOutlier returns an *OutlierError if u cannot solve for W after learning the rows of a and y, to
// which weights have already been applied. It tries this on a copy of u, but only if a row lies much
// farther out than the learned ones or weighs much more than another. far is as returned by rows.
func (m *model) checkOutlier(ctx context.Context, u blsupdate.Updater, a, y *mat.Dense, weights []float64, far float64) error {
	outlies := m.reach > noReach && far > outlying*m.reach
	if !outlies && !uneven(weights, 1) {
		return nil
	}
	fails := func(learn bool) (condition *blsupdate.ConditionError) {
		trial, err := u.Clone()
		if err == nil && learn {
			err = trial.AddInputsContext(ctx, a, y, nil)
		}
		if err == nil {
			_, err = trial.WeightsContext(ctx)
		}
		errors.As(err, &condition) // the caller gets any other error itself
		return condition
	}
	err := fails(true)
	if err == nil || !outlies && fails(false) != nil { // the rows are not the cause
		return nil
	}
	e := &OutlierError{Err: err}
	size := func(i int) float64 {
		row := a.RawRowView(i)
		return max(slices.Max(row), -slices.Min(row))
	}
	if !outlies {
		e.Row = extreme(weights, u.Samples() < u.Nodes())
		e.Size, e.Weight = size(e.Row), weights[e.Row]
		return e
	}
	for i := range a.RawMatrix().Rows {
		if of := size(i); of > e.Size {
			e.Row, e.Size = i, of
		}
	}
	return e
}

// extreme returns the index of the largest weight or, if light is true, of the one farthest from 1.
func extreme(weights []float64, light bool) (at int) {
	most := 0.0
	for i, w := range weights {
		if light && w > 0 {
			w = max(w, 1/w)
		}
		if w > most {
			at, most = i, w
		}
	}
	return at
}

// uneven reports whether a weight exceeds another positive weight, or least, by more than the factor
// outlying². The factor is squared since the nodes are multiplied by the square root of the weight.
func uneven(weights []float64, least float64) bool {
	most := 0.0
	for _, w := range weights {
		if w > 0 {
			least, most = min(least, w), max(most, w)
		}
	}
	return most/outlying/outlying > least
}

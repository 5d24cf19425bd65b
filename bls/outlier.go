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

// An OutlierError reports a sample so large that learning it would leave W without correct digits.
type OutlierError struct {
	Row  int     // of X, from 0
	Size float64 // the largest magnitude of its nodes, times the square root of its weight
	Err  error   // a *blsupdate.ConditionError
}

func (e *OutlierError) Error() string {
	return fmt.Sprintf("bls: the nodes of sample %d, times the square root of its weight, are as large as %.1g: remove the sample if it is an outlier: %v", e.Row, e.Size, e.Err)
}

// Unwrap returns Err.
func (e *OutlierError) Unwrap() error { return e.Err }

// checkOutlier returns an *OutlierError if u cannot solve for W after learning the rows of a and y, to
// which weights have already been applied. It tries this on a copy of u, but only if a row lies much
// farther out than the learned ones or weighs much more than another. far is as returned by rows.
func (m *model) checkOutlier(ctx context.Context, u blsupdate.Updater, a, y *mat.Dense, weights []float64, far float64) error {
	if !(m.reach > noReach && far > outlying*m.reach) && !uneven(weights, 1) {
		return nil
	}
	trial, err := u.Clone()
	if err == nil {
		err = trial.AddInputsContext(ctx, a, y, nil)
	}
	if err == nil {
		_, err = trial.WeightsContext(ctx)
	}
	var condition *blsupdate.ConditionError
	if !errors.As(err, &condition) {
		return nil // the caller gets any other error itself
	}
	e := &OutlierError{Err: err}
	for i := range a.RawMatrix().Rows {
		row := a.RawRowView(i)
		if size := max(slices.Max(row), -slices.Min(row)); size > e.Size {
			e.Row, e.Size = i, size
		}
	}
	return e
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

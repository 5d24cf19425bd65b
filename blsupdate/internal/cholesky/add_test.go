package cholesky

import (
	"errors"
	"testing"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/types"
	"blskernel/mat"
)

func TestGainSolve(t *testing.T) {
	s := new(State)
	s.Counter = cost.NewCounter(nil)
	err := s.gainSolve(-1, mat.NewDense(1, 1, []float64{2}), mat.NewDense(1, 1, []float64{1}))
	var e *types.ConditionError
	if !errors.As(err, &e) || e.What != "I - Ax F F'Ax'" {
		t.Error(err)
	}
}

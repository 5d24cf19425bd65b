package session

import (
	"errors"
	"strings"
	"testing"

	"blskernel/blsupdate"
)

// TestTrainAnew checks that flags of train are named as such, and that other errors are unchanged.
func TestTrainAnew(t *testing.T) {
	err := TrainAnew(&blsupdate.ConditionError{What: "x"})
	if !strings.HasSuffix(err.Error(), "depend on others; these are flags of 'blskernel train': train a new model with them") {
		t.Error(err)
	}
	if other := errors.New("y"); TrainAnew(other) != other {
		t.Error(TrainAnew(other))
	}
}

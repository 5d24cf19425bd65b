package api

import (
	"errors"
	"testing"
)

// TestErrors has the errors say where they come from, should one reach a user as it is, and what they
// wrap.
func TestErrors(t *testing.T) {
	for _, err := range []error{&ConditionError{Err: ErrOverflow}, &LeverageError{}, &UnknownRowError{}} {
		if err.Error() != "blsupdate: an error that has not been converted" {
			t.Errorf("%T: %q", err, err)
		}
		if _, wraps := err.(*ConditionError); wraps != errors.Is(err, ErrOverflow) {
			t.Errorf("%T wraps an error: %v", err, !wraps)
		}
	}
}

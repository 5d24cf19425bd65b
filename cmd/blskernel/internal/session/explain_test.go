package session

import (
	"errors"
	"strings"
	"testing"

	"blskernel/blsupdate"
)

// TestExplain checks that flags of train are named as such, and that other errors are unchanged.
func TestExplain(t *testing.T) {
	explain := Advice{}.Explain
	err := explain(&blsupdate.ConditionError{What: "x"})
	if !strings.Contains(err.Error(), "with update --lambda") || !strings.HasSuffix(err.Error(), "depend on others; these are flags of 'blskernel train': train a new model with them") {
		t.Error(err)
	}
	if other := errors.New("y"); explain(other) != other {
		t.Error(explain(other))
	}
	for want, err := range map[string]error{
		"--method gram or qr":                     &blsupdate.RankError{Samples: 5, Nodes: 27, Lambda: 1, Running: true},
		"train a new model with --lambda above 0": &blsupdate.RankError{Samples: 5, Nodes: 27, Running: true},
		"on the other rows with --lambda above 0": &blsupdate.LeverageError{Action: blsupdate.ActionRemove, TooFew: true},
		"with 'blskernel train --like'":           &blsupdate.ForgottenRowsError{Method: blsupdate.Improved},
	} {
		if told := explain(err); !strings.HasSuffix(told.Error(), want) {
			t.Errorf("%v; want %q at the end", told, want)
		}
	}
}

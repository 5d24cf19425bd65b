package update

import (
	"errors"
	"fmt"
	"strconv"

	"blskernel/bls/model"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
)

// parseForget reads a factor of Forget.
func parseForget(text string) (float64, error) {
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor > 0 && factor <= 1) {
		return 0, errors.New("want a number above 0 and at most 1, such as 0.99")
	}
	return factor, nil
}

// parseRidge reads a ridge.
func parseRidge(text string) (ui.Ridge, error) {
	lambda, err := flagvalue.ParseRidge(text)
	return ui.Ridge(lambda), err
}

// chosen reports whether the ridge of a model is left to its fits.
func chosen(m *model.Model) bool {
	if m.Classifier != nil {
		return m.Classifier.Update.Lambda == 0
	}
	return m.Regressor.Update.Lambda == 0
}

// reweigh multiplies the weight of all rows so far by forget, and changes the ridge where it is given.
// The ridge stays where the method can restore it. After an error the model is of no use.
func reweigh(m *model.Model, forget float64, lambda ui.Ridge, given bool) error {
	u := m.Updater()
	was := u.Lambda()
	if forget < 1 {
		if err := m.Forget(forget); err != nil {
			return session.Explain(err, "")
		}
	}
	switch {
	case given:
		was = float64(lambda)
	case forget == 1 || !blsupdate.Supports(u.Method(), blsupdate.ActionRidge) || m.KeptRows() > 0 && chosen(m):
		return nil // the next fit of the rows that the model keeps chooses the ridge
	}
	err := m.SetLambda(was)
	if err != nil && given {
		return fmt.Errorf("--lambda: %w", session.Explain(err, ""))
	}
	return session.Explain(err, "")
}

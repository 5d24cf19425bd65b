package update

import (
	"errors"
	"strconv"

	"blskernel/cmd/blskernel/flagvalue"
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

func parseRidge(text string) (ui.Ridge, error) {
	lambda, err := flagvalue.ParseRidge(text)
	return ui.Ridge(lambda), err
}

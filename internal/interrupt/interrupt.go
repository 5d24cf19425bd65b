// Package interrupt lets long work be canceled between its parts.
package interrupt

import (
	"context"
	"fmt"
)

// Check returns nil as long as ctx is not done, and then an error that wraps context.Cause(ctx).
func Check(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("blskernel: canceled before the end: %w", context.Cause(ctx))
}

// EachPanel calls f(from, to) for consecutive panels of most rows, the last of them with what is left of the given
// number, until f returns an error or ctx is done, which Check looks at before each. The panels do not depend on ctx.
func EachPanel(ctx context.Context, rows, most int, f func(from, to int) error) error {
	for from := 0; from < rows; from += most {
		if err := Check(ctx); err != nil {
			return err
		}
		if err := f(from, min(from+most, rows)); err != nil {
			return err
		}
	}
	return nil
}

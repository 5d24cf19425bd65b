// Package interrupt stops long work between its parts when a context is done, as after a signal.
package interrupt

import (
	"context"
	"fmt"
)

// NoContext is the value with which Check panics if the context is nil.
const NoContext = "blskernel: the context is nil; pass context.Background()"

// Check returns nil until ctx is done, and then an error that wraps context.Cause(ctx). Its text
// names no package, since the caller's context is the cause. Check panics if ctx is nil.
func Check(ctx context.Context) error {
	if ctx == nil {
		panic(NoContext)
	}
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("stopped before the end: %w", context.Cause(ctx))
}

// EachPanel splits the rows [0, rows) into panels [from, to) of length size >= 1, the last perhaps
// shorter. It calls f for each panel in order until f or Check fails, and returns that error.
func EachPanel(ctx context.Context, rows, size int, f func(from, to int) error) error {
	for from := 0; from < rows; from += size {
		if err := Check(ctx); err != nil {
			return err
		}
		if err := f(from, min(from+size, rows)); err != nil {
			return err
		}
	}
	return nil
}

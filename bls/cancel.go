package bls

import (
	"context"
	"fmt"
)

// stopped returns nil as long as ctx is not done, and then an error that wraps context.Cause(ctx).
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("bls: stopped before the end: %w", context.Cause(ctx))
}

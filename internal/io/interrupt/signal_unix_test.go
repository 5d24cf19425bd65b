//go:build unix

package interrupt

import (
	"context"
	"errors"
	"syscall"
	"testing"
)

// TestOnSignal sends this process a signal: the context ends with it as its cause.
func TestOnSignal(t *testing.T) {
	ctx := OnSignal()
	if err := ctx.Err(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	var stopped SignalError
	if !errors.As(context.Cause(ctx), &stopped) || stopped.Signal != syscall.SIGTERM {
		t.Errorf("cause %v", context.Cause(ctx))
	}
}

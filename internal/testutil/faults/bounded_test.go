package faults

import (
	"context"
	"errors"
	"testing"
)

func TestStoppedAfter(t *testing.T) {
	why := errors.New("why")
	ctx, release := StoppedAfter(1, why)
	defer release()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if ctx.Err() != nil || inner.Err() != nil {
		t.Fatal("canceled too early")
	}
	if !errors.Is(ctx.Err(), context.Canceled) || inner.Err() == nil || context.Cause(ctx) != why || context.Cause(inner) != why {
		t.Error(ctx.Err(), inner.Err(), context.Cause(ctx), context.Cause(inner))
	}
	<-ctx.Done()
	<-inner.Done()
	if ctx.Looks() != 3 {
		t.Errorf("Err was called %d times, want 3", ctx.Looks())
	}
	other, release := StoppedAfter(1, why)
	release()
	if other.Err() == nil {
		t.Error("release does not cancel the context")
	}
}

// A failure records whether a test fails.
type failure struct {
	testing.TB
	failed bool
}

func (f *failure) Helper()               {}
func (f *failure) Name() string          { return "failure" }
func (f *failure) Errorf(string, ...any) { f.failed = true }

var kept []byte

func TestBounded(t *testing.T) {
	for bytes, want := range map[int]bool{1 << 10: false, 1 << 20: true} {
		f := &failure{}
		Bounded(f, 10, 12, 1<<10, func() { kept = make([]byte, bytes) })
		if f.failed != want {
			t.Errorf("%d bytes allocated: failed %v, want %v", bytes, f.failed, want)
		}
	}
}

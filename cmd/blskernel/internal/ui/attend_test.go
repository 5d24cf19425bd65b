package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"blskernel/internal/interrupt"
	"blskernel/internal/testutil"
)

// TestAttendKeepsErrors ends work with an error at the moment at which it is interrupted: one that says
// no more than that gives way to the signal, and one of the disk does not.
func TestAttendKeepsErrors(t *testing.T) {
	full := errors.New("no space left on device; what r.jsonl has is kept")
	signal := interrupt.SignalError{Signal: os.Interrupt}
	for _, tc := range []struct{ of, want error }{
		{full, full}, {context.Canceled, signal}, {fmt.Errorf("canceled before the end: %w", signal), signal}, {nil, nil},
	} {
		if got := CauseOf(context.Background(), tc.of); got != tc.of {
			t.Errorf("%v without an interruption: %v", tc.of, got)
		}
		kept := 0
		for range 20 {
			ctx, cancel := context.WithCancelCause(context.Background())
			ended := make(chan struct{})
			err := Attend(ctx, NewProgress(&bytes.Buffer{}, true), func(_ context.Context, p *Printer) error {
				defer close(ended)
				// As long as this goes on nobody looks at the context or at the end of
				// the work.
				_ = p.Do(func() error {
					cancel(signal)
					<-ended
					time.Sleep(time.Millisecond)
					return nil
				})
				return tc.of
			})
			cancel(nil)
			if err == tc.want {
				kept++
			} else if err != signal { // where the end was not seen yet
				t.Errorf("%v: %v", tc.of, err)
			}
		}
		if kept == 0 {
			t.Errorf("%v is never returned", tc.want)
		}
	}
}

// TestPanicInWork has work that panics on a goroutine of its own: who waits for it does, and no
// goroutine is left.
func TestPanicInWork(t *testing.T) {
	before := runtime.NumGoroutine()
	broken := func() error { panic("broken") }
	for name, f := range map[string]func(){
		"interruptible": func() { _ = Interruptible(context.Background(), broken) },
		"attend": func() {
			_ = Attend(context.Background(), NewProgress(&bytes.Buffer{}, true), func(context.Context, *Printer) error { return broken() })
		},
	} {
		if err, ok := testutil.PanicValue(f).(error); !ok || !strings.HasPrefix(err.Error(), "broken\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	testutil.WaitGoroutines(t, before)
}

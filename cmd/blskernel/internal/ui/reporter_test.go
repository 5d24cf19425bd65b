package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"blskernel/internal/io/interrupt"
)

// TestAttendKeepsErrors ends the work with an error at the moment of an interruption. An error that
// only reports the interruption gives way to the signal; an error of the disk does not.
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
			r := &Reporter{Progress: NewProgress(&bytes.Buffer{}, true)}
			err := r.Attend(ctx, func(context.Context) error {
				_ = r.Do(func() error {
					cancel(signal)
					// Attend waits for the end of the line.
					time.Sleep(time.Millisecond)
					return nil
				})
				return tc.of
			})
			cancel(nil)
			if err == tc.want {
				kept++
			} else if err != signal { // the end was not seen yet
				t.Errorf("%v: %v", tc.of, err)
			}
		}
		if kept == 0 {
			t.Errorf("%v is never returned", tc.want)
		}
	}
}

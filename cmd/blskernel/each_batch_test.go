package main

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"blskernel/dataset/stream"
)

// TestErrorBesideInterruption has work fail while it is interrupted: what is told is that it failed, and an interruption only
// where the error says nothing else.
func TestErrorBesideInterruption(t *testing.T) {
	data := writeText(t, t.TempDir(), "x.csv", "1,2\n3,4\n")
	disk, why := errors.New("disk"), errors.New("interrupted")
	for _, tc := range []struct{ err, want error }{{disk, disk}, {context.Canceled, why}, {why, why}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		r, err := stream.Open(ctx, []string{data}, stream.Options{})
		if err != nil {
			t.Fatal(err)
		}
		talk := (&talkSettings{quiet: true}).begin(streams{out: new(bytes.Buffer), err: new(bytes.Buffer)})
		_, err = eachBatch(ctx, talk, r, batchRows(0), func(fetched) error {
			cancel(why)
			return tc.err
		})
		if !errors.Is(err, tc.want) || errors.Is(err, disk) != (tc.want == disk) {
			t.Errorf("each batch: %v ended as %v; want %v", tc.err, err, tc.want)
		}

		c := &course{talk: talk, last: time.Now(), explain: explainTraining}
		if err := c.stopped(ctx, tc.err); !errors.Is(err, tc.want) || errors.Is(err, why) != (tc.want == why) {
			t.Errorf("a course: %v ended as %v; want %v", tc.err, err, tc.want)
		}
	}
}

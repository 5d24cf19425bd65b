//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// TestWorkerCommand has commands that are no workers: one that ends, one that never asks for work, and
// one that is waited for when somebody interrupts.
func TestWorkerCommand(t *testing.T) {
	script := filepath.Join(t.TempDir(), "command")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n[ $LASTS = 0 ] && exit 3\nexec sleep $LASTS\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	defer func(before time.Duration) { workerTimeout = before }(workerTimeout)
	workerTimeout = 200 * time.Millisecond
	var usage usageError
	err := isWorker(t.Context(), &pipepb.ProcessPayload{Command: script, Env: map[string]string{"LASTS": "0"}})
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "has ended (exit status 3)") {
		t.Errorf("a command that ends: %v", err)
	}
	patient := &pipepb.ProcessPayload{Command: script, Env: map[string]string{"LASTS": "60"}}
	begun := time.Now()
	if err := isWorker(t.Context(), patient); errors.As(err, &usage) || err == nil || !strings.Contains(err.Error(), "has not asked for work within 200ms") {
		t.Errorf("a command that does not ask: %v", err)
	}
	workerTimeout = time.Minute
	why := errors.New("somebody interrupts")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	if err := isWorker(ctx, patient); !errors.Is(err, why) {
		t.Errorf("interrupted: %v", err)
	}
	if waited := time.Since(begun); waited > 30*time.Second {
		t.Errorf("the commands were waited for %v", waited)
	}
}

//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// asCommand is the variable that makes the test program, started by a test, act as the command.
const asCommand = "BLSKERNEL_BEAM_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the log of Prism
	os.Exit(m.Run())
}

// limit bounds the time of a command, which takes a second or two on an idle machine.
const limit = 3 * time.Minute

// command returns the command with its arguments. The command and all processes that it starts create
// their temporary files in a folder that must be empty when the test is over.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+folder)
	cmd.WaitDelay = 5 * time.Second
	t.Cleanup(func() {
		cancel()
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("temporary files are left: %v (%v)", left, err)
		}
		for begun := time.Now(); len(processesWith(cmd.Env[len(cmd.Env)-1])) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > limit {
				t.Fatalf("processes are still running: %v", processesWith(cmd.Env[len(cmd.Env)-1]))
			}
		}
	})
	return cmd
}

// processesWith returns the ids of processes with a setting in their environment, or nil without /proc.
func processesWith(setting string) (ids []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && slices.Contains(strings.Split(string(text), "\x00"), setting) {
			ids = append(ids, filepath.Base(filepath.Dir(path)))
		}
	}
	return ids
}

type result struct {
	out, err string
	status   int
}

func runCommand(t testing.TB, args ...string) result {
	t.Helper()
	return ended(t, started(t, args...))
}

type running struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

func started(t testing.TB, args ...string) *running {
	t.Helper()
	r := &running{cmd: command(t, args...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	testutil.NoError(t, r.cmd.Start())
	return r
}

func ended(t testing.TB, r *running) result {
	t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, r.err.String())
	}
	return result{r.out.String(), r.err.String(), r.cmd.ProcessState.ExitCode()}
}

// reported returns the report of a command that must have succeeded.
func reported(t testing.TB, r result) report {
	t.Helper()
	if r.status != 0 {
		t.Fatalf("status %d:\n%s%s", r.status, r.out, r.err)
	}
	var out report
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		t.Fatalf("%v:\n%s", err, r.out)
	}
	return out
}

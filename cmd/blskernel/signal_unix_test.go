//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
)

// TestSignals sends a signal once the row of the start is there, when the update has begun: one by 4000
// samples, of some 10¹¹ flops.
func TestSignals(t *testing.T) {
	for _, tc := range []struct {
		signal os.Signal
		status int
		stderr string
	}{
		{os.Interrupt, 130, "blskernel demo: interrupted\n"},
		{syscall.SIGTERM, 143, "blskernel demo: terminated\n"},
	} {
		t.Run(tc.signal.String(), func(t *testing.T) {
			cmd := command(nil, quick("--json", "--batch", "4000", "--updates", "1", "--backend", "pure")...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			stdout, err := cmd.StdoutPipe()
			testutil.NoError(t, err)
			testutil.NoError(t, cmd.Start())
			defer func() { _ = cmd.Process.Kill() }()
			r := bufio.NewReader(stdout)
			var out strings.Builder
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %q, stderr %q", err, line, errs.String())
			}
			out.WriteString(line)
			testutil.NoError(t, cmd.Process.Signal(tc.signal))
			if _, err := io.Copy(&out, r); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the status is looked at below
			if status := cmd.ProcessState.ExitCode(); status != tc.status || errs.String() != tc.stderr {
				t.Errorf("status %d, stderr %q; want %d and %q", status, errs.String(), tc.status, tc.stderr)
			}
			if rows := parseRows(t, out.String()); len(rows) != 1 {
				t.Errorf("%d rows; want that of the start", len(rows))
			}
		})
	}
}

// TestClosedPipe has a reader of standard output that goes away, where Go by default lets SIGPIPE end
// the process: no message, and the status of a process that SIGPIPE ended.
func TestClosedPipe(t *testing.T) {
	cmd := command(nil, quick()...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	r, w, err := os.Pipe()
	testutil.NoError(t, err)
	cmd.Stdout = w
	testutil.NoError(t, r.Close())
	_ = cmd.Run() // the status is looked at below
	testutil.NoError(t, w.Close())
	if status := cmd.ProcessState.ExitCode(); status != 141 || errs.Len() != 0 {
		t.Errorf("process: status %d, stderr %q; want 141 and no message", status, errs.String())
	}
}

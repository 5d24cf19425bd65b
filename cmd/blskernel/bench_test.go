package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// quickBench returns the arguments of a bench of tiny operations that takes a moment.
func quickBench(args ...string) []string {
	return append([]string{"bench", "--rounds", "1", "--min-time", "1us", "--threads", "1"}, args...)
}

// TestBenchInterrupt interrupts bench after the head and two cells: it has printed both cells, and
// prints a table of them.
func TestBenchInterrupt(t *testing.T) {
	for json, lines := range map[string]int{"--json": 3, "--json=false": 11} {
		status, stdout, stderr := interruptedAfter(lines, os.Interrupt, quickBench(json, "--op", "ddot", "--n", "1000,1001,1002,1003,1004,1005,1006,1007,1008", "--rounds", "20", "--backend", "pure,pure/generic")...)
		if status != 130 || stderr != "blskernel bench: interrupted\n" {
			t.Errorf("status %d, stderr %q", status, stderr)
		}
		if strings.Contains(stdout, "\nSpeed of the operations\n") == (json == "--json") || strings.Contains(stdout, "-    1008 ") || strings.Contains(stdout, `"n":1008`) {
			t.Errorf("%s: %s", json, stdout)
		}
	}
}

// TestBenchBeside kills the command while its load processes run. They end too: afterwards standard
// error, which they share, has no writer. The processes of a command that finishes end with it.
func TestBenchBeside(t *testing.T) {
	if testutil.Emulated() {
		t.Skip("the command cannot start itself on an emulator")
	}
	for _, rounds := range []string{"1", "1000000"} {
		cmd := command(nil, quickBench("--op", "ddot", "--n", "5", "--backend", "pure", "--json", "--beside", "2", "--rounds", rounds)...)
		stdout, err := cmd.StdoutPipe()
		testutil.NoError(t, err)
		stderr, err := cmd.StderrPipe()
		testutil.NoError(t, err)
		testutil.NoError(t, cmd.Start())
		out := bufio.NewReader(stdout)
		machine, err := out.ReadString('\n')
		testutil.NoError(t, err)
		if !strings.HasPrefix(machine, `{"kind":"machine",`) || !strings.Contains(machine, `"beside":2`) {
			t.Error(machine)
		}
		if rounds != "1" {
			testutil.NoError(t, cmd.Process.Kill())
		}
		rest, err := io.ReadAll(out)
		testutil.NoError(t, err)
		said, err := io.ReadAll(stderr)
		if err != nil || len(said) != 0 {
			t.Errorf("standard error %q, %v", said, err)
		}
		if err := cmd.Wait(); (err == nil) != (rounds == "1") || (len(rest) > 0) != (rounds == "1") {
			t.Errorf("%s rounds: %v, %q", rounds, err, rest)
		}
	}
}

// TestBenchBesideEnds kills the load process. The command then ends with an error, since the rest was
// measured without it.
func TestBenchBesideEnds(t *testing.T) {
	if testutil.Emulated() {
		t.Skip("the command cannot start itself on an emulator")
	}
	cmd := command(nil, quickBench("--op", "ddot", "--n", "5", "--backend", "pure", "--json", "--beside", "1", "--rounds", "100")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	testutil.NoError(t, cmd.Start())
	children := fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid)
	if lists, err := filepath.Glob(children); err != nil || len(lists) == 0 {
		testutil.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // was killed
		t.Skip("this system does not list the children of a process")
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case <-ended:
			const want = "blskernel bench: --beside: a load process ended early: signal: killed\n"
			if status := cmd.ProcessState.ExitCode(); status != ui.ExitFailure || stderr.String() != want {
				t.Errorf("status %d, %q; want %d and %q", status, stderr.String(), ui.ExitFailure, want)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
		// Some end by themselves: Go's exec starts one to find out what the kernel can do.
		lists, _ := filepath.Glob(children) // the pattern is right
		for _, list := range lists {
			text, _ := os.ReadFile(list) // empty for a thread that has ended
			for _, child := range strings.Fields(string(text)) {
				pid, err := strconv.Atoi(child)
				testutil.NoError(t, err)
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill() // it may have ended
				}
			}
		}
	}
}

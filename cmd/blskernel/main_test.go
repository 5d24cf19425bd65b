package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"
	"blskernel/internal/testutil"
)

// asCommand makes the test binary be the command, for tests that need a process of its own.
const asCommand = "BLSKERNEL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	ui.Pause = time.Hour
	switch os.Getenv(asCommand) {
	case "1":
		main()
	case "lines": // runs the lines of standard input one after the other; copy copies a file
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			args := strings.Fields(lines.Text())
			if args[0] == "copy" {
				text, err := os.ReadFile(args[1])
				if err = errors.Join(err, os.WriteFile(args[2], text, 0o666)); err != nil {
					panic(err)
				}
				continue
			}
			if status := run(context.Background(), args, ui.Streams{Out: io.Discard, Err: os.Stderr}); status != 0 {
				os.Exit(status)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command returns the command as a process, with env in addition to its environment.
func command(env []string, args ...string) *exec.Cmd {
	return testutil.Self(append([]string{asCommand + "=1"}, env...), args...)
}

// process runs the command as a process, and returns its exit status and what it wrote.
func process(env []string, args ...string) (status int, stdout, stderr string) {
	cmd := command(env, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		panic(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func inProcess(args ...string) (status int, stdout, stderr string) { return inProcessOn(nil, args...) }

// inProcessOn is inProcess with the file system that the command writes to.
func inProcessOn(fsys vfs.FS, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(context.Background(), args, ui.Streams{Out: &out, Err: &errs, FS: fsys})
	return status, out.String(), errs.String()
}

// quick returns the arguments of a run with k = 60 nodes that takes some milliseconds.
func quick(args ...string) []string {
	return append([]string{"demo", "--initial", "90", "--batch", "20", "--updates", "2",
		"--groups", "4", "--group-nodes", "5", "--enhancement", "40"}, args...)
}

var discarded = ui.Streams{Out: io.Discard, Err: io.Discard}

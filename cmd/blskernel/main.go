// Command blskernel trains broad learning systems on files of any size, lets them learn while samples keep arriving,
// and predicts; it compares the methods of doing so and the speeds of linear algebra backends, and says what it
// runs on.
//
//	blskernel train --out MODEL ... a model from CSV, NumPy or idx files
//	blskernel update MODEL FILE    let a model learn from more rows
//	blskernel predict MODEL FILE   labels or targets of samples
//	blskernel evaluate MODEL FILE  how well a model predicts
//	blskernel export MODEL         weights and feature maps for NumPy
//	blskernel inspect MODEL        what a model file has
//	blskernel demo                 the methods of updating side by side
//	blskernel paper --table N      the paper's tables
//	blskernel report               a page of results, with plots
//	blskernel bench                the speeds of the backends side by side
//	blskernel flops                the flops and times of an update, by the model and as measured
//	blskernel plan                 which method is the cheapest here, and why
//	blskernel crossover            from how many rows on starting over is faster than an update
//	blskernel info                 backend, CPU, kernel, block sizes
//
// Flags may be written with one dash or with two.
//
// Results go to standard output, progress and errors to standard error.
//
// Exit status: 0 on success, 1 if the work failed, 2 if the command line is wrong, 130 after Ctrl-C
// (in general 128 + the number of the signal), 141 if the reader of standard output went away.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"blskernel/internal/interrupt"
)

const (
	exitFailure = 1
	exitUsage   = 2

	brokenPipe = syscall.Signal(13) // SIGPIPE, which not every system's package syscall names
)

func main() {
	// A write to a closed pipe is to be an error, so that the progress bar can be taken away.
	signal.Ignore(brokenPipe)
	os.Exit(run(interrupt.OnSignal(), os.Args[1:], streams{out: os.Stdout, err: os.Stderr}))
}

// usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// longFlag matches a flag with one dash that is neither -h nor -v, which are short forms.
var longFlag = regexp.MustCompile(`^-([a-gi-uw-z]|[a-z][a-z-]+)(=|$)`)

// twoDashes lets flags be written with one dash, as Go's own commands have them.
func twoDashes(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if longFlag.MatchString(a) {
			out[i] = "-" + a
		}
	}
	return out
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, s streams) int {
	working := false
	root := newRoot(s, &working)
	root.SetArgs(twoDashes(args))
	root.SetOut(s.out)
	root.SetErr(s.err)
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	var stopped interrupt.SignalError
	switch {
	case err == nil:
		return 0
	case !working || errors.As(err, &usage):
		fmt.Fprintf(s.err, "%s: %v\nRun '%s -h' for help.\n", cmd.CommandPath(), err, cmd.CommandPath())
		return exitUsage
	case errors.As(err, &stopped):
		fmt.Fprintf(s.err, "%s: %v\n", cmd.CommandPath(), stopped)
		return stopped.Status()
	case errors.Is(err, syscall.EPIPE):
		// Who reads has seen enough, as in 'blskernel demo | head -1': nothing to complain of.
		return interrupt.Status(brokenPipe)
	default:
		fmt.Fprintf(s.err, "%s: %v\n", cmd.CommandPath(), err)
		return exitFailure
	}
}

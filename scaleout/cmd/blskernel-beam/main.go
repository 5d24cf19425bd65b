// Command blskernel-beam trains a broad learning system on files that are spread over any number of
// machines, as a pipeline of Apache Beam.
//
//	blskernel-beam --model BASE --out MODEL [flags] PATTERN...
//	blskernel-beam prism [--port N]
//	blskernel-beam worker --listen ADDRESS
//
// The first form reads all files that the patterns name, of any file system that Beam knows, fits the
// output layer of the model BASE to all their rows, and writes the model MODEL, which `blskernel
// predict` and all other commands of blskernel read. BASE has the feature maps: it is what `blskernel
// train` has made of a sample of the data. Nothing else of BASE goes into the fit, unless --lambda is
// left out, for the ridge.
//
// The pipeline runs on Prism, which is part of Beam and of this program, unless Beam's flag --runner,
// and what that runner wants besides, says otherwise:
//
//	blskernel-beam --model base.bls --out big.bls --target label 'part-*.csv.gz'
//	blskernel-beam --model base.bls --out big.bls --targets 'labels-*.npy' 'rows-*.npy'
//	blskernel-beam --model base.bls --out big.bls --workers 4 --target label 'part-*.csv'
//	blskernel-beam --model gs://b/base.bls --out gs://b/big.bls --target label \
//	    --runner=universal --endpoint=flink:8099 --environment_type=DOCKER --environment_config=IMAGE 'gs://b/part-*.csv.gz'
//
// Flags may be written with one dash or with two, before the patterns and after them.
//
// --workers N cuts the pipeline into N branches with environments of their own. Runners such as Prism,
// which have one worker process for each environment, then have N of them. With Prism those are
// processes that this program starts on this machine, unless --environment_type says otherwise; other
// runners have workers as they see fit, and need no branches.
//
// A runner is expected to run a bundle again whose worker was lost. Prism does not, and there the whole
// job is submitted again, --attempts times in all. What an attempt has done that failed leaves no trace
// in the model.
//
// The second form is a job server of Prism in a process of its own, to which jobs are submitted by
// --endpoint=localhost:8073. It listens on all addresses of the machine, and does what it is told by
// whoever reaches it: that is how Beam has made it, so let a firewall keep others out. The Prism of the
// first form does the same, at a port that is free, as long as the job runs.
//
// The third form is a pool of worker processes for --environment_type=EXTERNAL
// --environment_config=ADDRESS: it starts a process for each worker that a runner asks for. With
// several pools, ADDRESS,ADDRESS..., the branches of --workers take turns. Where a runner starts its
// workers itself this program is what it should start: as the command of a PROCESS environment,
// --environment_type=PROCESS --environment_config='{"command": "/path/to/blskernel-beam"}', and as the
// entrypoint of a container.
//
// Exit status: 0 on success, 1 if the work failed, 2 if the command line is wrong, 130 after Ctrl-C (in
// general 128 + the number of the signal), which for prism and worker is the way to end them, with 0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"blskernel/internal/interrupt"
)

const (
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	os.Exit(run(interrupt.OnSignal(), os.Args[1:], streams{out: os.Stdout, err: os.Stderr}))
}

// streams are where a command writes: results to out, what goes on and errors to err.
type streams struct{ out, err io.Writer }

// usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// A subcommand does what args say.
type subcommand func(ctx context.Context, args []string, s streams) error

// choose returns what the first arguments ask for, with its name and its arguments.
func choose(args []string) (name string, work subcommand, rest []string) {
	const program = "blskernel-beam"
	switch {
	case len(args) > 0 && args[0] == "prism":
		return program + " prism", runPrism, args[1:]
	case len(args) > 0 && args[0] == "worker":
		return program + " worker", runWorker, args[1:]
	case startedByRunner(args):
		return program + " worker", runWorker, args
	default:
		return program, runTrain, args
	}
}

// startedByRunner tells whether the arguments are those that a runner gives the command of a PROCESS
// environment or the entrypoint of a container: it knows of no subcommands.
func startedByRunner(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(strings.TrimLeft(a, "-"), "provision_endpoint=") && strings.HasPrefix(a, "-") {
			return true
		}
	}
	return false
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, s streams) int {
	name, work, args := choose(args)
	err := work(ctx, args, s)
	var usage usageError
	var stopped interrupt.SignalError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(s.err, "%s: %v\nRun '%s --help' for help.\n", name, err, name)
		return exitUsage
	case errors.As(err, &stopped):
		fmt.Fprintf(s.err, "%s: %v\n", name, stopped)
		return stopped.Status()
	default:
		fmt.Fprintf(s.err, "%s: %s\n", name, plain(err))
		return exitFailure
	}
}

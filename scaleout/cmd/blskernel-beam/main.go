// Command blskernel-beam fits a broad learning system to files of any number of rows, on any number of
// machines, as a pipeline of Apache Beam.
//
//	blskernel-beam --model BASE --out MODEL [flags] PATTERN...
//	blskernel-beam prism [--port N]
//	blskernel-beam worker --listen ADDRESS
//
// The first form reads all files that the patterns name, on any file system of Beam, and fits the
// output layer of the model BASE to all their rows. It writes the model MODEL for `blskernel predict`
// and the other commands of blskernel. BASE provides the feature maps: `blskernel train` makes it
// from a sample of the data. The fit takes nothing else from BASE, except the ridge if --lambda is
// not given.
//
// By default the pipeline runs on Prism, a runner that is part of Beam and of this program. Beam's flag
// --runner names another:
//
//	blskernel-beam --model base.bls --out big.bls --target label 'part-*.csv.gz'
//	blskernel-beam --model base.bls --out big.bls --targets 'labels-*.npy' 'rows-*.npy'
//	blskernel-beam --model base.bls --out big.bls --workers 4 --target label 'part-*.csv'
//	blskernel-beam --model gs://b/base.bls --out gs://b/big.bls --target label \
//	    --runner=universal --endpoint=flink:8099 --environment_type=DOCKER --environment_config=IMAGE 'gs://b/part-*.csv.gz'
//
// Flags may have one dash or two, and stand before or after the patterns.
//
// --workers N splits the pipeline into N branches, each with an environment of its own. Runners such as
// Prism start one worker process for each environment. Without --environment_type this program starts
// them on this machine. Other runners choose their workers themselves and need no branches.
//
// Most runners repeat the work of a lost worker. Prism does not, so this program submits the whole job
// again, up to --attempts times in all. Failed attempts leave no trace in the model.
//
// The second form runs a Prism job server in a process of its own, for --endpoint=localhost:8073. Beam
// makes it listen on all addresses of the machine and run what anyone who reaches it submits: use a
// firewall. The Prism of the first form does the same at a free port while the job runs.
//
// The third form runs a pool of workers for --environment_type=EXTERNAL --environment_config=ADDRESS.
// It starts a process for each worker that a runner asks for. With several pools, ADDRESS,ADDRESS...,
// the branches of --workers take turns. This program is also the worker that a runner starts itself:
// as the command of a PROCESS environment, --environment_config='{"command":
// "/path/to/blskernel-beam"}', and as the entrypoint of a container.
//
// Exit status: 0 on success, 1 if the work failed, 2 if the command line is wrong, 130 after Ctrl-C (in
// general 128 + the number of the signal). A signal ends prism and worker with 0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
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

// streams are the outputs of a command: results go to out, progress and errors to err.
type streams struct{ out, err io.Writer }

// usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, s streams) int {
	name, work := "blskernel-beam", runFit
	switch {
	case startedByRunner(args):
		name, work = "blskernel-beam worker", runWorker
	case len(args) > 0 && args[0] == "prism":
		name, work, args = "blskernel-beam prism", runPrism, args[1:]
	case len(args) > 0 && args[0] == "worker":
		name, work, args = "blskernel-beam worker", runWorker, args[1:]
	}
	err := work(ctx, args, s)
	var usage usageError
	var stopped interrupt.SignalError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(s.err, "%s: %s\nRun '%s --help' for help.\n", name, oneLine(err), name)
		return exitUsage
	case errors.As(err, &stopped):
		fmt.Fprintf(s.err, "%s: %v\n", name, stopped)
		return stopped.Status()
	default:
		fmt.Fprintf(s.err, "%s: %s\n", name, oneLine(err))
		return exitFailure
	}
}

// startedByRunner reports whether a runner started this program as the command of a PROCESS environment
// or as the entrypoint of a container: a runner gives flags and no subcommand.
func startedByRunner(args []string) bool {
	return len(args) > 0 && args[0] != "worker" && slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "-provision_endpoint" || name == "--provision_endpoint"
	})
}

// parse parses flags, which may stand between the other arguments, and returns those. For --help it
// prints the text and the flags.
func parse(f *flag.FlagSet, args []string, w io.Writer, text string) (others []string, err error) {
	f.SetOutput(io.Discard)
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(w, text)
			f.SetOutput(w)
			f.PrintDefaults()
			return nil, err
		}
		if err != nil {
			return nil, usageError{err}
		}
		if f.NArg() == 0 {
			return others, nil
		}
		others, args = append(others, f.Arg(0)), f.Args()[1:]
	}
}

// parseFlags is parse for a command that takes flags only.
func parseFlags(f *flag.FlagSet, args []string, w io.Writer, text string) error {
	others, err := parse(f, args, w, text)
	if err == nil && len(others) > 0 {
		return usagef("%q: this command takes only flags", others[0])
	}
	return err
}

// quiet drops Beam's log, unless verbose: the error of a job has what matters.
func quiet(verbose bool) {
	if !verbose {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
}

// oneLine returns the text of an error without Beam's line breaks, and without the name of a package
// before it.
func oneLine(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n\tcaused by:\n", ": ")
	for _, name := range []string{"blskernel-beam: ", "scaleout: ", "stream: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// essence returns the error of the step that failed, in one line, from a text in which Beam has wrapped
// it in names of steps and stacks.
func essence(text string) string {
	for _, own := range []string{"scaleout: ", "blskernel-beam: "} {
		if i := strings.LastIndex(text, own); i >= 0 {
			line := text[strings.LastIndex(text[:i], "\n")+1:]
			line, _, _ = strings.Cut(line[strings.Index(line, own):], "\n")
			return strings.TrimSpace(line)
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

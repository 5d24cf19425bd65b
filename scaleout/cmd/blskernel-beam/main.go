// Command blskernel-beam fits a broad learning system to files of any number of rows, on any number of
// machines, as an Apache Beam pipeline. Run it with --help; docs/scaleout.md has more.
//
// Beam's runners start the same program as their worker, with the flag --worker.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"blskernel/internal/io/interrupt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

const help = `Fit a broad learning system to files of any number of rows, on any number of machines,
as an Apache Beam pipeline.

  blskernel-beam --model BASE --out MODEL [flags] PATTERN...

The patterns name CSV, npy and idx files, plain or gzipped, on this machine or under gs://
or s3://, and plain npz files on this machine. 'blskernel train' makes the model BASE from
a sample of the data. The fit takes the feature maps, words, means and number notations
from BASE, and the ridge unless --lambda is given. The result is a model for 'blskernel predict'. Up to
rounding, it equals a fit to all rows in one process. Every row has weight 1, so a BASE whose
file says that it was trained with --weight or --class-weight is rejected.

The pipeline runs in this process, on Beam's Prism runner, unless Beam's flags --runner,
--endpoint, --environment_type and --environment_config select another runner. While the job
runs, Prism listens on a free port on all addresses of the machine, and runs jobs for
anyone who can reach the port: use a firewall.

  blskernel-beam --model base.bls --out big.bls --target label 'part-*.csv.gz'
  blskernel-beam --model base.bls --out big.bls --targets 'y-*.npy' 'x-*.npy'
  blskernel-beam --model gs://b/base.bls --out gs://b/big.bls --target label \
      --runner=universal --endpoint=flink:8099 --environment_type=DOCKER \
      --environment_config=IMAGE --worker_binary=./blskernel-beam 'gs://b/part-*.csv.gz'

Flags take one dash or two, and may come before or after the patterns. The exit status is
0 on success, 1 on failure, 2 if the command line is wrong, 130 after Ctrl-C.

`

const (
	exitFailure = 1
	exitUsage   = 2
)

type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	set, err := parse(args)
	if err == nil {
		beam.Init() // does not return in a worker that a runner has started
		if !set.verbose {
			// The error of the job says enough.
			slog.SetDefault(slog.New(slog.DiscardHandler))
		}
		err = set.fit(interrupt.OnSignal())
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(os.Stderr, "blskernel-beam: %s\n", essence(err.Error()))
	var usage usageError
	var stopped interrupt.SignalError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "Run 'blskernel-beam --help' for help.")
		return exitUsage
	case errors.As(err, &stopped):
		return stopped.Status()
	}
	return exitFailure
}

// parse parses the patterns and the flags, including Beam's, in any order. For --help it prints the
// help and the flags.
func parse(args []string) (*settings, error) {
	var set settings
	f := flag.CommandLine // already has Beam's flags
	f.Init("blskernel-beam", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	set.register(f)
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Print(help)
			f.SetOutput(os.Stdout)
			f.PrintDefaults()
			return nil, err
		}
		if err != nil {
			return nil, usageError{err}
		}
		if f.NArg() == 0 {
			return &set, nil
		}
		set.patterns, args = append(set.patterns, f.Arg(0)), f.Args()[1:]
	}
}

// essence returns the line of a Beam error that says what failed, without leading package names.
func essence(text string) string {
	text = strings.TrimSpace(text)
	essence := strings.ReplaceAll(text, "\n\tcaused by:\n", ": ")
	for line := range strings.Lines(text) {
		if _, own, found := strings.Cut(line, "scaleout: "); found {
			essence = own
		}
	}
	lines := strings.Split(strings.TrimSpace(essence), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], "stream: ")
}

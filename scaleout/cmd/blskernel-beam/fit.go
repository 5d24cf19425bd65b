package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/internal/flagvalue"
	"blskernel/scaleout"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

const fitHelp = `Fit a broad learning system to files of any number of rows, on any number of machines,
as a pipeline of Apache Beam.

  blskernel-beam --model BASE --out MODEL [flags] PATTERN...
  blskernel-beam prism [--port N]               a job server of Beam's runner Prism
  blskernel-beam worker --listen ADDRESS        a pool of worker processes

The patterns name CSV, npy, npz and idx files, plain or gzip, on this machine, gs:// or
s3://. The fit takes the feature maps of the model BASE, which 'blskernel train' makes
from a sample of the data, and its ridge if --lambda is not given. The result is a model
for 'blskernel predict'. It equals, up to rounding, that of one process for all rows.

The pipeline runs on Prism in this process unless Beam's flags name another runner.
--workers N adds N worker processes, on this machine unless --environment_type says
otherwise. If a worker is lost, Prism ends the job, and this program submits it again.
While the job runs, Prism listens on a free port of all addresses of the machine and
runs what anyone who reaches it submits: use a firewall.

  blskernel-beam --model base.bls --out big.bls --target label 'part-*.csv.gz'
  blskernel-beam --model base.bls --out big.bls --targets 'y-*.npy' 'x-*.npy'
  blskernel-beam --model base.bls --out big.bls --workers 4 --target label 'part-*.csv'
  blskernel-beam --model gs://b/base.bls --out gs://b/big.bls --target label \
      --runner=universal --endpoint=flink:8099 --environment_type=DOCKER \
      --environment_config=IMAGE 'gs://b/part-*.csv.gz'

Beam's flags --runner, --endpoint, --environment_type and --environment_config say where
the pipeline runs.

`

// settings are the flags of a fit.
type settings struct {
	patterns, targets          []string
	files                      int // that the patterns name; 0 if this process cannot know
	model, out, badOut         string
	method                     blsupdate.Method
	lambda                     float64
	fanIn                      int
	read                       scaleout.ReadOptions
	threads, workers, attempts int
	json, verbose              bool
}

// register adds the flags to f and sets the defaults.
func (set *settings) register(f *flag.FlagSet) {
	set.method, set.lambda, set.workers = blsupdate.Gram, -1, 1
	f.StringVar(&set.model, "model", "", "model `file` with the feature maps: 'blskernel train' makes it from a sample")
	f.StringVar(&set.out, "out", "", "model `file` to write; the complete model replaces an existing one")
	f.Func("method", "`gram` (default) or qr, which is several times slower, for nearly dependent nodes", func(s string) (err error) {
		set.method, err = blsupdate.ParseMethod(s)
		if err != nil || set.method != blsupdate.Gram && set.method != blsupdate.QR {
			return errors.New("want gram or qr")
		}
		return nil
	})
	f.Func("lambda", "ridge, a `number` such as 1e-6 or 2^-30 (default that of --model)", func(s string) (err error) {
		set.lambda, err = flagvalue.ParseRidge(s)
		return err
	})
	list(f, &set.targets, "targets", "`patterns` of files with the labels or targets of npy and idx files, one for each, by name")
	list(f, &set.read.Targets, "target", "`columns` of the labels or targets, by name or number, or the name of an npz array (default the names in the model)")
	list(f, &set.read.Inputs, "inputs", "input `columns`: names, numbers from 1, ranges such as 3-7 (default the names in the model, else all but the targets)")
	f.Func("format", "`csv`, npy, npz, idx, or auto (default): by the content of each file", func(s string) (err error) {
		set.read.Format, err = stream.ParseFormat(s)
		return err
	})
	f.Func("header", "whether CSV files begin with names of columns: `present`, absent, or auto (default)", func(s string) (err error) {
		set.read.Header, err = stream.ParseHeader(s)
		return err
	})
	f.Func("comma", "`character` between the cells of CSV files, or tab (default found in the first line)", func(s string) (err error) {
		set.read.Comma, err = flagvalue.ParseComma(s)
		return err
	})
	f.StringVar(&set.read.InputArray, "array", "", "`name` of the npz array with the inputs (default X or x, else the only matrix)")
	number(f, &set.read.Batch, "batch", 0, "`rows` of a batch (default 4096, or fewer if their inputs exceed 32 MB)")
	number(f, &set.fanIn, "fan-in", 2, "`number` of states that each level of the tree merges into one (default 8)")
	number(f, &set.read.SkipBad, "skip-bad", 0, "set aside up to this `number` of bad rows and files (default 0: the first one ends the job)")
	f.StringVar(&set.badOut, "bad-out", "", "new `file` to list what --skip-bad sets aside")
	number(f, &set.threads, "threads", 0, "most `threads` of a worker (default the processors; worker processes on this machine share them)")
	number(f, &set.workers, "workers", 1, "`number` of worker processes, for runners such as Prism with one for each environment (default 1)")
	number(f, &set.attempts, "attempts", 0, "most `times` to submit the job if workers are lost (default 3 on Prism, else 1)")
	f.BoolVar(&set.json, "json", false, "print one JSON object instead of text")
	f.BoolVar(&set.verbose, "verbose", false, "print Beam's log on standard error")
}

// list adds a flag whose values commas separate, or repetitions of the flag.
func list(f *flag.FlagSet, v *[]string, name, usage string) {
	f.Func(name, usage, func(s string) error {
		values := strings.Split(s, ",")
		for _, value := range values {
			if value == "" {
				return errors.New("has an empty value")
			}
		}
		*v = append(*v, values...)
		return nil
	})
}

// number adds a flag for an integer from least to 2³¹-1.
func number[T int | int64](f *flag.FlagSet, v *T, name string, least T, usage string) {
	f.Func(name, usage, func(s string) error {
		n, err := strconv.ParseInt(s, 10, 32)
		if *v = T(n); err != nil || *v < least {
			return fmt.Errorf("want an integer from %d to %d", least, math.MaxInt32)
		}
		return nil
	})
}

// check returns an error for flags that contradict each other or are missing.
func (set *settings) check() error {
	switch {
	case len(set.patterns) == 0:
		return errors.New("no data: name files, or patterns such as 'part-*.csv'")
	case set.model == "":
		return errors.New("--model is missing: 'blskernel train' makes one from a sample of the data")
	case set.out == "":
		return errors.New("--out is missing: name the model file to write")
	case set.model == "-" || set.out == "-" || set.badOut == "-":
		return errors.New("workers cannot use the standard input and output of this process: name files")
	case set.badOut != "" && set.read.SkipBad == 0:
		return errors.New("--bad-out lists what --skip-bad sets aside: give both")
	}
	return nil
}

// runFit is `blskernel-beam` without a subcommand.
func runFit(ctx context.Context, args []string, s streams) error {
	var set settings
	f := flag.CommandLine // which has Beam's flags
	f.Init("blskernel-beam", flag.ContinueOnError)
	set.register(f)
	var err error
	if set.patterns, err = parse(f, args, s.out, fitHelp); err != nil {
		return err
	}
	if !set.verbose {
		log.LogLevel = "error"
	}
	beam.Init() // does not return if a container has started this process as a worker
	quiet(set.verbose)
	if err := set.check(); err != nil {
		return usageError{err}
	}
	on, err := newPlace(&set)
	if err != nil {
		return usageError{err}
	}
	if err := set.checkFiles(ctx, on); err != nil {
		return err
	}
	begun := time.Now()
	p := set.build(on.prism())
	if err := setThreads(on.threads); err != nil {
		return err
	}
	done := report{Model: set.out, Method: set.method.String(), Runner: on.runner, Workers: set.workers, running: *jobopts.Async}
	var found *metrics.Results
	if on.portable() {
		found, err = set.submit(ctx, p, on, &done, s.err)
	} else {
		done.Attempts = 1
		found, err = runElsewhere(ctx, p, on.runner)
	}
	if err != nil {
		return err
	}
	done.Seconds = time.Since(begun).Seconds()
	done.count(found)
	return done.print(set.json, s.out)
}

// submit runs the pipeline on a job service, and again while workers are lost, up to --attempts times.
func (set *settings) submit(ctx context.Context, p *beam.Pipeline, on *place, done *report, notes io.Writer) (*metrics.Results, error) {
	j, end, err := on.prepare(ctx, p, notes)
	if err != nil {
		return nil, err
	}
	defer end()
	for done.Attempts = 1; ; done.Attempts++ {
		if err := on.checkPools(ctx); err != nil {
			return nil, err
		}
		found, err := j.run(ctx)
		done.Job = j.id
		if !errors.Is(err, errLost) && !(on.prism() && errors.Is(err, errCancelled)) {
			return found, err
		}
		if beamfile.Local(set.out) {
			_ = atomicfile.RemoveLeftovers(nil, set.out) // of a worker that was lost while it wrote
		}
		if done.Attempts == on.attempts {
			return nil, fmt.Errorf("%w, in attempt %d of --attempts %d", err, on.attempts, on.attempts)
		}
		fmt.Fprintf(notes, "note: %v; submitting the job again, attempt %d of %d\n", err, done.Attempts+1, on.attempts)
	}
}

// runElsewhere runs the pipeline on a runner that is not a job service.
func runElsewhere(ctx context.Context, p *beam.Pipeline, runner string) (*metrics.Results, error) {
	result, err := beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.New(essence(err.Error()))
	}
	if result == nil {
		return nil, nil
	}
	found := result.Metrics()
	return &found, nil
}

// version returns the version that this program was built from, or "unknown".
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unknown"
}

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"blskernel/internal/atomicfile"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// runTrain is `blskernel-beam` without a subcommand.
func runTrain(ctx context.Context, args []string, s streams) error {
	var set settings
	// Beam's flags are there.
	f := flag.CommandLine
	f.Init("blskernel-beam", flag.ContinueOnError)
	set.register(f)
	var err error
	if set.patterns, err = parse(f, args, func() { printTrainHelp(s.out, f) }); err != nil {
		return err
	}
	if !set.verbose {
		log.LogLevel = "error"
	}
	beam.Init() // which does not return where a container has started this process as a worker
	quiet(set.verbose)
	if err := set.check(); err != nil {
		return usageError{err}
	}
	on, err := newPlace(&set)
	if err != nil {
		return usageError{err}
	}
	if on.apart() {
		if err := set.checkShared(); err != nil {
			return usageError{err}
		}
	}
	if !on.here() {
		if err := set.makeAbsolute(); err != nil {
			return err
		}
	}
	if err := set.checkFiles(ctx, on.prism()); err != nil {
		return err
	}
	return set.run(ctx, on, s)
}

// run does the work and prints what came of it.
func (set *settings) run(ctx context.Context, on *place, s streams) error {
	begun := time.Now()
	p, err := set.build(on.prism())
	if err != nil {
		return err
	}
	if err := setThreads(on.threads); err != nil {
		return err
	}
	done := report{Model: set.out, Method: set.method, Runner: on.runner, Workers: set.workers}
	var found *metrics.Results
	if on.portable() {
		found, err = set.submit(ctx, p, on, &done, s)
	} else {
		done.Attempts = 1
		done.running = *jobopts.Async
		found, err = runElsewhere(ctx, p, on.runner)
	}
	if err != nil {
		return err
	}
	done.Seconds = time.Since(begun).Seconds()
	done.count(found)
	return done.print(set.json, s.out)
}

// submit runs the pipeline on a job service, again and again while workers are lost, but not more often
// than --attempts.
func (set *settings) submit(ctx context.Context, p *beam.Pipeline, on *place, done *report, s streams) (*metrics.Results, error) {
	j, leave, err := on.arrange(ctx, p, s)
	if err != nil {
		return nil, err
	}
	defer leave()
	for done.Attempts = 1; ; done.Attempts++ {
		if err := on.checkWorkers(ctx); err != nil {
			return nil, err
		}
		found, err := j.run(ctx)
		done.Job, done.running = j.id, j.async
		var lost *lostError
		if !errors.As(err, &lost) && !(on.prism() && errors.Is(err, errCancelled)) {
			return found, err
		}
		if beamfile.Local(set.out) {
			// Of a worker that was lost while it wrote.
			_ = atomicfile.RemoveLeftovers(nil, set.out)
		}
		if done.Attempts == on.attempts {
			return nil, fmt.Errorf("%w, in the last of --attempts %d", err, on.attempts)
		}
		fmt.Fprintf(s.err, "note: %v; the job is submitted again, attempt %d of %d\n", err, done.Attempts+1, on.attempts)
	}
}

// runElsewhere runs the pipeline on a runner of Beam that is no job service.
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

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"blskernel"
	"blskernel/internal/io/atomicfile"
	"blskernel/scaleout"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // all runners of Beam
)

func (set *settings) fit(ctx context.Context) error {
	if err := set.check(); err != nil {
		return usageError{err}
	}
	if err := set.checkFiles(ctx); err != nil {
		return err
	}
	if err := set.checkPool(); err != nil {
		return err
	}
	begun := time.Now()
	set.Created = begun.UTC()
	p, s := beam.NewPipelineWithRoot()
	scaleout.Fit(s, set.patterns, set.targets, set.Options)
	blskernel.SetThreads(set.threads) // for the direct runner, which runs no hooks
	if err := hooks.EnableHook(threadsHook, strconv.Itoa(set.threads)); err != nil {
		return err
	}
	// Beam leaves a temporary file behind, and an interrupted run leaves the files of its workers.
	folder, err := os.MkdirTemp("", "blskernel-beam-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return err
	}
	*jobopts.JobName = jobopts.GetJobName() // a job that Beam does not wait for has no other name
	elsewhere := *jobopts.Endpoint != "" || set.runner == "dataflow"
	result, err := beam.Run(ctx, set.runner, p)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		if elsewhere {
			return fmt.Errorf("%w; the job %s may still be running: cancel it with the runner", err, *jobopts.JobName)
		}
		if beamfile.Local(set.Out) {
			_ = atomicfile.RemoveLeftovers(nil, set.Out)
		}
		return err
	}
	if err != nil {
		return err
	}
	done := report{Model: set.Out, Method: set.Method.String(), Runner: set.runner, Seconds: time.Since(begun).Seconds()}
	if *jobopts.Async || result == nil { // a dry run of Dataflow has no result
		done.Job, done.running = *jobopts.JobName, true
		return done.print(set.json, os.Stdout)
	}
	info, err := inspect(ctx, set.Out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the job has ended, but %s cannot be read: %w", set.Out, err)
	}
	// Beam 2.77 reports a canceled job as a success.
	if err != nil || !info.Metadata.Created.Equal(set.Created) {
		return fmt.Errorf("the job has ended without writing %s: it was probably canceled", set.Out)
	}
	done.Job = result.JobID()
	done.count(result.Metrics())
	return done.print(set.json, os.Stdout)
}

// environment returns Beam's environment type for the workers, such as loopback for this process: the
// value of --environment_type, or the default of the runner. direct and dataflow ignore the flag.
func (set *settings) environment() string {
	switch named := strings.ToLower(*jobopts.EnvironmentType); {
	case set.runner == "direct":
		return "loopback"
	case set.runner == "dataflow":
		return "docker"
	case named == "" && set.runner == "prism" && *jobopts.Endpoint == "":
		return "loopback"
	default:
		return cmp.Or(named, "docker")
	}
}

// checkPool returns an error if Prism would run in this process with an external worker pool that does
// not answer. Prism would then panic (Beam 2.77).
func (set *settings) checkPool() error {
	if set.runner != "prism" || *jobopts.Endpoint != "" || set.environment() != "external" {
		return nil
	}
	conn, err := net.DialTimeout("tcp", *jobopts.EnvironmentConfig, 10*time.Second)
	if err != nil {
		return fmt.Errorf("no worker pool answers at --environment_config: %w", err)
	}
	return conn.Close()
}

// threadsHook names the hook that sets the threads of a worker process before its first bundle.
const threadsHook = "blskernel_threads"

func init() {
	hooks.RegisterHook(threadsHook, func(args []string) hooks.Hook {
		return hooks.Hook{Init: func(ctx context.Context) (context.Context, error) {
			n, err := strconv.Atoi(args[0])
			if err == nil {
				blskernel.SetThreads(n)
			}
			return ctx, err
		}}
	})
}

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"blskernel"
	"blskernel/scaleout/internal/worker"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

const workerHelp = `Run worker processes for Beam runners.

  blskernel-beam worker --listen ADDRESS

runs a pool of workers for jobs with --environment_type=EXTERNAL
--environment_config=ADDRESS. It starts a process for each worker that a runner asks for,
ends it when the runner is done with it, and prints which process is which worker. Anyone
who reaches the address can start workers: use a loopback address such as
localhost:50000, or a firewall.

  blskernel-beam worker --id ID --provision_endpoint ADDRESS

runs one worker. Runners start it themselves, as the command of a PROCESS environment or
as the entrypoint of a container.

`

// runWorker is `blskernel-beam worker`, and what a runner starts.
func runWorker(ctx context.Context, args []string, s streams) error {
	var task worker.Task
	f := flag.NewFlagSet("worker", flag.ContinueOnError)
	listen := f.String("listen", "", "`address` of a pool of workers, such as localhost:50000; port 0 for a free one")
	child := f.Bool(worker.ChildFlag, false, "end with standard input; a pool starts its processes so")
	task.Register(f)
	if err := parseFlags(f, args, s.out, workerHelp); err != nil {
		return err
	}
	if *listen != "" {
		if task.ID != "" || task.Provision != "" {
			return usageError{errors.New("--listen runs a pool of workers, and --id one worker: give one of them")}
		}
		return runPool(ctx, *listen, s.out)
	}
	if err := task.Check(); err != nil {
		return usagef("%w; or give --listen, for a pool of workers", err)
	}
	log.LogLevel = "error" // of what the runner does not take
	if *child {
		worker.EndWithParent()
	}
	return task.Run(ctx)
}

// runPool runs a pool of workers until ctx is done.
func runPool(ctx context.Context, address string, w io.Writer) error {
	pool, err := newPool(address, w)
	if err != nil {
		return err
	}
	defer pool.Close()
	failed := make(chan error, 1)
	go func() { failed <- pool.Serve() }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// newPool returns a pool whose workers are processes of this program. It prints its address and then a
// line for each worker that starts or ends.
func newPool(address string, w io.Writer) (*worker.Pool, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, format+"\n", args...)
	}
	pool, err := worker.NewPool(address, worker.Command{Path: path, Args: []string{"worker"}, Out: os.Stderr}, say)
	if err == nil {
		say("the worker pool listens at %s", pool.Address())
	}
	return pool, err
}

// threadsHook is the name of a hook that each worker, of any kind, runs before its first bundle.
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

// setThreads bounds the threads of the workers of the jobs that this process submits from now on.
func setThreads(n int) error { return hooks.EnableHook(threadsHook, strconv.Itoa(n)) }

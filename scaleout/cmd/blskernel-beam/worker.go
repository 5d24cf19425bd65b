package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"

	"blskernel/scaleout/internal/worker"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

const workerHelp = `Worker processes for Beam runners.

  blskernel-beam worker --listen ADDRESS

is a pool of worker processes for runners that are told, by --environment_type=EXTERNAL
--environment_config=ADDRESS, where workers can be had: it starts a process for each
worker that a runner asks for, ends it when the runner has no more use for it, and says
on standard output which process is which. Whoever reaches the address can have workers
started: give one of the loopback, such as localhost:50000, or let a firewall keep
others out.

  blskernel-beam worker --id ID --provision_endpoint ADDRESS

is one worker. A runner starts it, where this program is the command of a PROCESS
environment or the entrypoint of a container.

Flags:
`

// runWorker is `blskernel-beam worker`, and what a runner starts.
func runWorker(ctx context.Context, args []string, s streams) error {
	var task worker.Task
	f := flag.NewFlagSet("worker", flag.ContinueOnError)
	listen := f.String("listen", "", "`address` of a pool of workers, such as localhost:50000; port 0 for one that is free")
	child := f.Bool(worker.ChildFlag, false, "given by a pool to the processes that it starts, which end when their standard input does")
	task.Register(f)
	if err := parseAlone(f, args, func() { printHelp(s.out, workerHelp, f) }); err != nil {
		return err
	}
	if *listen != "" {
		if task.ID != "" || task.Provision != "" {
			return usageError{errors.New("--listen is a pool of workers, and --id one worker: give one of the two")}
		}
		return runPool(ctx, *listen, s)
	}
	if err := task.Check(); err != nil {
		return usageError{fmt.Errorf("%w; or give --listen, for a pool of workers", err)}
	}
	if *child {
		log.LogLevel = "error" // of what the runner does not take
		worker.EndWithParent()
		return task.Run(ctx)
	}
	command, err := workerCommand(s)
	if err != nil {
		return err
	}
	return worker.Supervise(ctx, command, &task)
}

// workerCommand returns this program as the command of a worker.
func workerCommand(s streams) (*worker.Command, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &worker.Command{Path: path, Args: []string{"worker"}, Out: s.err}, nil
}

// runPool is a pool of workers until ctx is cancelled.
func runPool(ctx context.Context, address string, s streams) error {
	command, err := workerCommand(s)
	if err != nil {
		return err
	}
	say := sayTo(s.out)
	pool, err := worker.NewPool(address, *command, say)
	if err != nil {
		return err
	}
	defer pool.Close()
	say("workers can be had at %s", pool.Address())
	failed := make(chan error, 1)
	go func() { failed <- pool.Serve() }()
	select {
	case <-ctx.Done(): // by a signal, which is how it is meant to end
		return nil
	case err := <-failed:
		return err
	}
}

// sayTo returns what writes lines to w, from any goroutine.
func sayTo(w io.Writer) func(format string, args ...any) {
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, format+"\n", args...)
	}
}

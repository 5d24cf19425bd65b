package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// workerTimeout is how long a command may take to ask for its work.
var workerTimeout = 30 * time.Second

// isWorker returns an error unless the command of a PROCESS environment is a worker: it is started as a
// runner does it, and ended as soon as it has asked for what there is to do. What it says goes to
// standard error.
func isWorker(ctx context.Context, payload *pipepb.ProcessPayload) error {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return fmt.Errorf("asking for a worker: %w", err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, payload.GetCommand(), "--id=probe", "--provision_endpoint="+l.Addr().String())
	cmd.Env = os.Environ()
	for name, value := range payload.GetEnv() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		return usageError{fmt.Errorf("--environment_config: the command %q cannot be started: %w", payload.GetCommand(), err)}
	}
	asked, ended := make(chan bool, 1), make(chan struct{})
	go func() {
		conn, err := l.Accept()
		asked <- err == nil
		if err == nil {
			cancel()
			<-ended // since a worker complains of a runner that goes away
			_ = conn.Close()
		}
	}()
	_ = cmd.Wait() // cmd.ProcessState tells how it ended
	close(ended)
	_ = l.Close()
	switch {
	case <-asked:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("--environment_config: the command %q has not asked for work within %v, and has to be a worker, such as this program", payload.GetCommand(), workerTimeout)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return usageError{fmt.Errorf("--environment_config: the command %q has ended (%s) without asking for work, and has to be a worker, such as this program", payload.GetCommand(), cmd.ProcessState)}
}

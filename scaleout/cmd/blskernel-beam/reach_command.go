package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// workerTimeout is how long a command may take to ask for its work.
const workerTimeout = 30 * time.Second

// isWorker returns an error unless the command of a PROCESS environment is a worker: it is started as a runner does it, and ended
// as soon as it has asked for what there is to do. For a command that never asks Prism (of Beam 2.77) waits without end.
func isWorker(ctx context.Context, payload *pipepb.ProcessPayload) error {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, payload.GetCommand(), "--id=probe", "--provision_endpoint="+l.Addr().String())
	cmd.Env = os.Environ()
	for name, value := range payload.GetEnv() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
	if err := cmd.Start(); err != nil {
		return usageError{fmt.Errorf("--environment_config: the command %q cannot be started: %w", payload.GetCommand(), err)}
	}
	asked := make(chan bool, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_ = conn.Close()
			defer cancel()
		}
		asked <- err == nil
	}()
	_ = cmd.Wait()
	_ = l.Close()
	switch {
	case <-asked:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return usageError{fmt.Errorf("--environment_config: the command %q has not asked for work within %v: it has to be a worker, such as this program", payload.GetCommand(), workerTimeout)}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	text := strings.TrimSpace(said.String())
	text = text[strings.LastIndex(text, "\n")+1:]
	return usageError{fmt.Errorf("--environment_config: the command %q has ended without asking for work, and has to be a worker, such as this program; the last that it said was %q", payload.GetCommand(), text)}
}

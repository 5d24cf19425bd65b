package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// mostBeside bounds --beside.
const mostBeside = 1000

// NewSpin returns the hidden command spin, which bench runs beside itself.
func NewSpin() *cobra.Command {
	return &cobra.Command{
		Use:    "spin",
		Short:  "Keep a CPU busy until standard input ends",
		Args:   ui.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			var ended atomic.Bool
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end too
				ended.Store(true)
			}()
			for !ended.Load() {
			}
			return nil
		},
	}
}

// spinBeside starts n processes of the command spin. stop ends them; if one ends before, the context is
// canceled with an error, since nothing was beside the comparison then. They are processes, because
// goroutines would share this one's scheduler. Their standard input is a pipe of which this process
// alone has the other end, so that they end with it, however it ends. A signal on the death of the
// parent (prctl) would not do: it comes when the thread that started them ends, and workers of a pool
// do.
func spinBeside(ctx context.Context, n int, errs io.Writer) (_ context.Context, stop func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var inputs []io.Closer
	var running sync.WaitGroup
	stop = func() {
		cancel(context.Canceled)
		for _, in := range inputs {
			_ = in.Close() // the process may have ended
		}
		running.Wait()
	}
	for range n {
		exe, err := os.Executable()
		if err != nil {
			stop()
			return nil, nil, fmt.Errorf("--beside: %w", err)
		}
		spin := exec.Command(exe, "spin")
		spin.Stderr = errs
		in, err := spin.StdinPipe()
		if err == nil {
			err = spin.Start()
		}
		if err != nil {
			stop()
			return nil, nil, fmt.Errorf("--beside: %w", err)
		}
		inputs = append(inputs, in)
		running.Add(1)
		go func() {
			defer running.Done()
			_ = spin.Wait() // the state says more
			cancel(fmt.Errorf("--beside: a process beside the comparison ended early: %v", spin.ProcessState))
		}()
	}
	return ctx, stop, nil
}

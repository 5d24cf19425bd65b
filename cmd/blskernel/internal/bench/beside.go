package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"

	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

const maxBeside = 1000

// NewSpin returns the hidden command spin, which bench --beside runs.
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

// spinBeside starts n processes of the command spin. stop ends them, and returns an error if one ended
// before, since the comparison then had no load. They are processes, because goroutines would share
// this scheduler. Their standard input is a pipe whose other end only this process holds, so they end
// with it, however it ends. A signal on the death of the parent (prctl) comes too early: when the
// thread that started them ends.
func spinBeside(n int, errs io.Writer) (stop func() error, err error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("--beside: %w", err)
	}
	defer in.Close()
	var running []*exec.Cmd
	stop = func() (early error) {
		_ = out.Close() // a pipe
		for _, spin := range running {
			if err := spin.Wait(); err != nil {
				early = fmt.Errorf("--beside: a process beside the comparison ended early: %w", err)
			}
		}
		return early
	}
	exe, err := os.Executable()
	for range n {
		spin := exec.Command(exe, "spin")
		spin.Stdin, spin.Stderr = in, errs
		if err == nil {
			err = spin.Start()
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("--beside: %w", err), stop())
		}
		running = append(running, spin)
	}
	return stop, nil
}

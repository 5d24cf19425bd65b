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

// NewSpin returns the hidden spin command, which bench --beside runs.
func NewSpin() *cobra.Command {
	return &cobra.Command{
		Use:    "spin",
		Short:  "Keep a CPU busy until standard input ends",
		Args:   ui.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			var ended atomic.Bool
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin) // a read error also ends the loop
				ended.Store(true)
			}()
			for !ended.Load() {
			}
			return nil
		},
	}
}

// spinBeside starts n processes of the spin command, which write errors to errs. Goroutines would share
// this process's scheduler. stop ends the processes, and returns an error if one had failed earlier,
// because the comparison then lacked its load. The processes read from a pipe whose other end only this
// process holds, so they also end if this process dies. A parent-death signal (prctl) would come too
// early, when the thread that started them ends.
func spinBeside(n int, errs io.Writer) (stop func() error, err error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("--beside: %w", err)
	}
	defer in.Close()
	var running []*exec.Cmd
	stop = func() (early error) {
		_ = out.Close() // never fails for a pipe
		for _, spin := range running {
			if err := spin.Wait(); err != nil {
				early = fmt.Errorf("--beside: a load process ended early: %w", err)
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

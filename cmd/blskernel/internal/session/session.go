// Package session provides the code shared by the commands that use model files: flags, reports, the
// record of a run, and errors that name flags. It reads, locks and writes models.
package session

import (
	"context"

	"blskernel"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// StandardInput is the path that stands for standard input.
const StandardInput = "-"

// A Session holds the reporter and the backend of one run of a command on model files.
type Session struct {
	ui.Reporter
	compute ui.Compute
	Backend blskernel.Backend
}

// Command adds the flags of every session to cmd, after its own, and returns cmd. When cmd runs, it
// calls Begin with to, and then do. object names the value that --json prints.
func (s *Session) Command(cmd *cobra.Command, to ui.Streams, object string, do func(ctx context.Context, args []string) error) *cobra.Command {
	f := cmd.Flags()
	f.SortFlags = false
	s.compute.Register(cmd)
	s.Reporter.Register(cmd, object)
	f.BoolVar(&s.Verbose, "verbose", false, "explain each choice on standard error")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.Begin(to); err != nil {
			return err
		}
		defer s.Progress.Clear()
		return do(cmd.Context(), args)
	}
	return cmd
}

// Begin checks the flags, starts the reporter, and finds the backend.
func (s *Session) Begin(to ui.Streams) (err error) {
	if err = s.Reporter.Begin(to); err == nil {
		s.Backend, err = s.compute.Lookup()
	}
	return err
}

package ui

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// A Reporter prints what a command on models does, as its flags --json, --quiet and --verbose say.
type Reporter struct {
	JSON, Quiet, Verbose bool
	Streams
	Progress *Progress
}

// Register adds the flags. object names what --json prints.
func (r *Reporter) Register(cmd *cobra.Command, object string) {
	JSONFlag(cmd, &r.JSON, object)
	cmd.Flags().BoolVar(&r.Quiet, "quiet", false, "print the result and errors only")
	cmd.Flags().BoolVar(&r.Verbose, "verbose", false, "explain each choice on standard error")
}

// Begin checks the flags and starts the progress.
func (r *Reporter) Begin(to Streams) error {
	if r.Quiet && r.Verbose {
		return Usagef("--quiet and --verbose contradict each other: leave one out")
	}
	r.Streams, r.Progress = to, NewProgress(to.Err, r.JSON || r.Quiet)
	r.Progress.Pause, r.Progress.told = 2*time.Second, time.Now() // shorter runs print no lines
	if r.Quiet {
		r.Progress.WithoutBar()
	}
	return nil
}

// Say prints a line of the result as text.
func (r *Reporter) Say(format string, args ...any) error {
	if r.Quiet || r.JSON {
		return nil
	}
	r.Progress.Clear()
	_, err := fmt.Fprintf(r.Out, format+"\n", args...)
	return err
}

// Object prints an object of the result with --json.
func (r *Reporter) Object(v any) error {
	if !r.JSON {
		return nil
	}
	r.Progress.Clear()
	return json.NewEncoder(r.Out).Encode(v)
}

// Explain prints a choice on standard error with --verbose. The work goes on if it cannot be printed.
func (r *Reporter) Explain(format string, args ...any) {
	if r.Verbose {
		r.Progress.Clear()
		fmt.Fprintf(r.Err, format+"\n", args...)
	}
}

// Warn prints a note on standard error, except with --quiet.
func (r *Reporter) Warn(format string, args ...any) {
	if !r.Quiet {
		r.Progress.Clear()
		fmt.Fprintf(r.Err, "note: "+format+"\n", args...)
	}
}

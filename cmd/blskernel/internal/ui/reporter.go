package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"
)

// A Reporter prints the output of a command: results on standard output, all else on standard error.
// The work that Attend runs may also call its methods.
type Reporter struct {
	JSON, Quiet, Verbose bool // the flags
	Streams
	Progress *Progress

	printing sync.Mutex
	attended context.Context // of the work that Attend runs; nil for none
}

// Register adds --json and --quiet. object names what --json prints.
func (r *Reporter) Register(cmd *cobra.Command, object string) {
	JSONFlag(cmd, &r.JSON, object)
	QuietFlag(cmd, &r.Quiet)
}

// Begin checks the flags and starts the progress.
func (r *Reporter) Begin(to Streams) error {
	if r.Quiet && r.Verbose {
		return Usagef("--quiet and --verbose contradict each other: leave one out")
	}
	r.Streams, r.Progress = to, NewProgress(to.Err, r.JSON || r.Quiet)
	if r.Quiet {
		r.Progress.WithoutBar()
	}
	return nil
}

// Do clears the progress and calls f, which prints. If the context of Attend has been canceled, it
// returns the cause instead.
func (r *Reporter) Do(f func() error) error {
	r.printing.Lock()
	defer r.printing.Unlock()
	if r.attended != nil && r.attended.Err() != nil {
		return context.Cause(r.attended)
	}
	r.Progress.Clear()
	return f()
}

// Show calls Progress.Show, unless the context of Attend has been canceled.
func (r *Reporter) Show(share float64, doing string) {
	r.printing.Lock()
	defer r.printing.Unlock()
	if r.attended == nil || r.attended.Err() == nil {
		r.Progress.Show(share, doing)
	}
}

// Say prints a line about finished work, except with --quiet or --json.
func (r *Reporter) Say(format string, args ...any) error {
	if r.Quiet {
		return nil
	}
	return r.Print(fmt.Sprintf(format+"\n", args...))
}

// Print prints lines of the result as text, escaped, except with --json.
func (r *Reporter) Print(text string) error {
	if r.JSON {
		return nil
	}
	return r.Do(func() error {
		_, err := fmt.Fprint(r.Out, Escaped(text))
		return err
	})
}

// Object prints v, an object of the result, as JSON. Without --json it prints nothing.
func (r *Reporter) Object(v any) error {
	if !r.JSON {
		return nil
	}
	return r.Do(func() error { return json.NewEncoder(r.Out).Encode(v) })
}

// Explain prints the reason for a choice on standard error with --verbose. It ignores errors.
func (r *Reporter) Explain(format string, args ...any) {
	if r.Verbose {
		r.note(format, args)
	}
}

// Warn prints a note on standard error, except with --quiet.
func (r *Reporter) Warn(format string, args ...any) {
	if !r.Quiet {
		r.note("note: "+format, args)
	}
}

func (r *Reporter) note(format string, args []any) {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = Message(err)
		}
	}
	_ = r.Do(func() error {
		_, err := fmt.Fprint(r.Err, Escaped(fmt.Sprintf(format+"\n", args...)))
		return err
	})
}

// Interruptible calls f and returns its error, or the cause of ctx as soon as ctx is canceled. Then f
// keeps running, which does no harm because the process is about to end.
func Interruptible(ctx context.Context, f func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	finished := make(chan error, 1)
	go func() { finished <- f() }()
	select {
	case err := <-finished:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// CauseOf returns the cause of ctx for an error that only says that ctx was canceled. It returns any
// other error unchanged, including one from a disk that fails at the same moment.
func CauseOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return context.Cause(ctx)
	}
	return err
}

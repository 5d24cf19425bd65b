// Package ui provides the user interface that all commands of blskernel share: exit status, common
// flags, progress, reports, tables and messages.
package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit statuses, apart from 0 and from 128 + a signal number.
const (
	ExitFailure = 1
	ExitUsage   = 2
)

// BrokenPipe is SIGPIPE, which package syscall does not define on some systems.
const BrokenPipe = syscall.Signal(13)

// Streams has a command's destinations: Out for results, Err for progress and errors, FS for files.
type Streams struct {
	Out, Err io.Writer
	FS       vfs.FS // nil for the operating system's
}

// A UsageError is an error in the command line.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usagef returns a UsageError with the formatted message.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// longFlag matches a flag with one dash, except the short forms -h, -o and -v.
var longFlag = regexp.MustCompile(`^-([a-gi-np-uw-z]|[a-z][a-z-]+)(=|$)`)

// twoDashes returns args with a second dash for long flags that have one dash, as package flag accepts
// them. It leaves the values of flags, and arguments after --, unchanged.
func twoDashes(cmd *cobra.Command, args []string) []string {
	out, isValue := slices.Clone(args), false
	for i, a := range args {
		switch {
		case isValue:
			isValue = false
			continue
		case a == "--":
			return out
		case longFlag.MatchString(a):
			out[i] = "-" + a
		}
		name, _, given := strings.Cut(out[i], "=")
		var flag *pflag.Flag
		if long, ok := strings.CutPrefix(name, "--"); ok {
			flag = cmd.Flags().Lookup(long)
		} else if len(name) == 2 && name[0] == '-' {
			flag = cmd.Flags().ShorthandLookup(name[1:])
		}
		isValue = flag != nil && flag.NoOptDefVal == "" && !given
	}
	return out
}

// Run executes the command line, reports an error on s.Err, and returns the exit status.
func Run(ctx context.Context, root *cobra.Command, args []string, s Streams) int {
	working := false // an error before the command starts is an error in the command line
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		working = true
		return checkNotEmpty(cmd)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		registerCompletions(root)
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	selected, _, _ := root.Find(args)
	root.SetArgs(twoDashes(selected, args))
	out := &checkedWriter{Writer: s.Out}
	root.SetOut(out)
	root.SetErr(s.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil {
		working, err = true, out.err
	}
	complain := func(format string, args ...any) {
		fmt.Fprint(s.Err, Escaped(fmt.Sprintf(format, args...)))
	}
	var usage UsageError
	var stopped interrupt.SignalError
	switch {
	case err == nil:
		return 0
	case !working || errors.As(err, &usage):
		complain("%s: %s%s\nRun '%s -h' for help.\n", cmd.CommandPath(), Message(err), similarFlags(cmd, err), cmd.CommandPath())
		return ExitUsage
	case errors.As(err, &stopped):
		complain("%s: %v\n", cmd.CommandPath(), stopped)
		return stopped.Status()
	case errors.Is(err, syscall.EPIPE):
		return interrupt.Status(BrokenPipe) // the reader closed the pipe, as in 'blskernel demo | head -1'
	default:
		complain("%s: %s\n", cmd.CommandPath(), Message(err))
		return ExitFailure
	}
}

// A checkedWriter keeps the first error, since cobra ignores errors in printing help.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

// NoArgs returns an error if there are arguments other than flags.
func NoArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return fmt.Errorf("unexpected argument %q", args[0])
	default:
		return UnknownCommand(cmd, args[0])
	}
}

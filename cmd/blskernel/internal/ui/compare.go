package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blskernel"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// MaxSize bounds the numbers of rows in flags such as --q.
const MaxSize = 10_000_000

// LambdaFlag adds --lambda, whose default is *v. more is appended to the help text.
func LambdaFlag(cmd *cobra.Command, v *float64, more string) {
	cmd.Flags().Var(&value[float64]{v, names.Ridge(*v), "number", flagvalue.ParseRidge}, "lambda", "ridge, such as 1e-6 or 2^-30; 0 for least squares"+more)
}

// MethodFlag adds --method, a list of methods, each with optional form and /solve. *v is its default.
func MethodFlag(cmd *cobra.Command, v *[]string) {
	cmd.Flags().StringSliceVar(v, "method", *v, "methods, each optionally followed by a form (/paper, /small, /large or /compressed), /solve or both, such as improved/large/solve")
	Complete(cmd, "method", Methods()...)
}

// BackendsFlag adds --backend, a list of backends. more is appended to the help text.
func BackendsFlag(cmd *cobra.Command, v *[]string, more string) {
	cmd.Flags().StringSliceVar(v, "backend", nil, "pure, openblas or both"+more)
	Complete(cmd, "backend", "pure", "openblas")
}

// LookupBackends returns the backends with the given names, or the default backend if there are no
// names. It sets the number of threads.
//
//	errors: a UsageError for an empty, unknown or repeated name; another error for an unavailable
//	backend or an invalid environment variable.
func LookupBackends(names []string, threads int) ([]blskernel.Backend, error) {
	if slices.Contains(names, "") {
		return nil, Usagef("--backend has an empty name; want pure, openblas or both")
	}
	if len(names) == 0 {
		names = []string{""} // which stands for the default
	}
	var backends []blskernel.Backend
	var found []string
	for _, name := range names {
		b, err := lookup(name)
		if err != nil {
			return nil, err
		}
		backends, found = append(backends, b), append(found, b.Name())
	}
	if err := CheckUnique("backend", found); err != nil {
		return nil, err
	}
	blskernel.SetThreads(threads)
	return backends, nil
}

// Ints adds a flag, with the default *to, for distinct numbers from least to most. The words in zero
// stand for the number 0.
func Ints(cmd *cobra.Command, to *[]int, name string, least, most int, usage string, zero ...string) {
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(*to), "[]"), " ", ",")
	cmd.Flags().Var(&value[[]int]{to, text, "ints", func(text string) (list []int, err error) {
		for cell := range strings.SplitSeq(text, ",") {
			v, err := strconv.Atoi(cell)
			switch {
			case find(zero, cell) >= 0:
				v = 0
			case err != nil || v < least || v > most:
				return nil, fmt.Errorf("%q is not %s", cell, Join(append([]string{fmt.Sprintf("a number from %d to %d", least, most)}, zero...), "or"))
			}
			if slices.Contains(list, v) {
				return nil, fmt.Errorf("%s is given twice", cell)
			}
			list = append(list, v)
		}
		return list, nil
	}}, name, usage)
}

// CheckNames returns an error, which names the flag, if a name in list is repeated or not in known. It
// ignores case, and overwrites each name with its spelling in known.
func CheckNames(flag string, list, known []string) error {
	for i, name := range list {
		at := find(known, name)
		if at < 0 {
			return Usagef("--%s has %q; want %s", flag, name, Join(known, "or"))
		}
		list[i] = known[at]
	}
	return CheckUnique(flag, list)
}

// CommandLine returns a command line that repeats a measurement: the command and the flags given,
// except --out, --json, --quiet and hidden flags. If defaults is true, it also has the nonzero defaults
// of the other flags, so that a version with other defaults measures the same.
func CommandLine(cmd *cobra.Command, defaults bool) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"\\$`|&;<>()*?[]{}#~!", r) }) {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" // for a shell
		}
		says := f.Changed || defaults && !slices.Contains([]string{"", "0", "false"}, value)
		switch {
		case !says || f.Hidden || slices.Contains([]string{"out", "json", "quiet"}, f.Name):
		case f.Value.Type() != "bool":
			words = append(words, "--"+f.Name, value)
		case value == "true":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return strings.Join(words, " ")
}

// tick is the time between two redraws of the bar, which keep its clock running.
const tick = 250 * time.Millisecond

// Attend runs work on another goroutine and returns its error, or the cause of ctx as soon as ctx is
// canceled. In that case work continues on its own and prints nothing more. Attend clears the progress.
func (r *Reporter) Attend(ctx context.Context, work func(ctx context.Context) error) error {
	r.attended = ctx
	defer r.Progress.Clear()
	clock := time.NewTicker(tick)
	defer clock.Stop()
	finished := make(chan error, 1)
	go func() { finished <- work(ctx) }()
	for {
		select {
		case <-clock.C:
			r.printing.Lock()
			r.Progress.refresh()
			r.printing.Unlock()
		case err := <-finished:
			r.attended = nil
			return CauseOf(ctx, err)
		case <-ctx.Done():
			r.printing.Lock() // waits until a line that is being printed is complete
			defer r.printing.Unlock()
			select {
			case err := <-finished:
				return CauseOf(ctx, err)
			default:
				return context.Cause(ctx)
			}
		}
	}
}

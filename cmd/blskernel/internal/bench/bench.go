// Package bench implements the bench command, which compares the speeds of backends.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"blskernel"
	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
)

type benchFlags struct {
	ui.Reporter
	speed.Comparison
	ops, cases []string
	sizes      []int
	backends   []string
	beside     int
}

// maxOrder bounds --n: a square matrix of this order takes 3.2 GB.
const maxOrder = 20_000

// New returns the bench command.
func New(s ui.Streams) *cobra.Command {
	b := benchFlags{ops: []string{"dgemm"}, sizes: speed.Sizes()}
	b.Rounds = speed.DefaultRounds
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Compare the speeds of the backends",
		Long: `Measure the speed of linear algebra operations on several backends in one process. Each round times
every backend with every number of threads on the same operands. It also measures the CPU's peak, with a
loop of fused multiply-adds on registers. The command fails if the results of the backends differ by more
than rounding errors. The output shows medians over the rounds:

    GFLOP/s  the speed of a backend
    of peak  the speed as a fraction of the peak on the same number of threads
    ratio    the speed of the first backend divided by the speed of this one

A table by matrix order follows, as on the page of 'blskernel report'. Each row shows the geometric
means of the speeds, the ratios and the speed-ups over one thread, taken over the cases of an operation,
and the lowest ratio.

Operations: ` + strings.Join(operations(false), ", ") + `
or all, which stands for all of these. The operations of gonum's mat, with gonum's own routines as
opponents, must be given by name:
` + strings.Join(operations(true), ", ") + `.
A case lists a routine's arguments in order: side L or R, triangle U or L, transpose N or T.

For factorizations and decompositions the command also times opponents: LAPACK routines of OpenBLAS, in
their own storage. The ratio has the same meaning for them.

` + describeOpponents() + `
The times include neither restoring the matrices between calls nor the factorization before lu-solve. The
right-hand sides are the columns of the row-major B for lu-solve, and its rows for dgetrs. dsptrf+dsptri
takes about 20 s at order 5100.

The default orders, 8 to 4000, take a few minutes for each operation. Run nothing else meanwhile. To
measure under load, use --beside.`,
		Example: `  blskernel bench --op dgemm --case NN --n 64,256,1000
  blskernel bench --op cholesky-inverse,lu-inverse --n 100,300,1000
  blskernel bench --op ldlt-inverse --n 5100 --opponents=false --rounds 3
  blskernel bench --op dsyrk,dsymm,dtrmm,dtrsm --threads 1
  blskernel bench --op mat.SVD,mat.EigenSym --n 100,300 --backend pure
  blskernel bench --case NN --n 256,1000 --threads default,1,2 --beside 1
  blskernel bench --backend pure --n 1000 --json`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.prepare(cmd.Flags().Changed); err != nil {
				return err
			}
			return b.do(cmd.Context(), ui.CommandLine(cmd, false), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&b.ops, "op", b.ops, "operations to measure, or all")
	f.StringSliceVar(&b.cases, "case", nil, "cases to measure, such as NN,TN; by default all cases of each operation")
	ui.Ints(cmd, &b.sizes, "n", 1, maxOrder, "orders of the square matrices")
	f.BoolVar(&b.Opponents, "opponents", true, "also time the opponents, if they are available")
	ui.Int(cmd, &b.Rounds, "rounds", 1, ui.MaxSamples, "number of rounds, over which medians are taken")
	f.DurationVar(&b.MinTime, "min-time", speed.DefaultMinTime, "shortest duration of one timing")
	ui.Int(cmd, &b.beside, "beside", 0, maxBeside, "measure under load: run this many processes, each of which keeps a CPU busy")
	ui.BackendsFlag(cmd, &b.backends, "; the first is compared with the others; by default pure, then every other available backend")
	ui.Ints(cmd, &b.Threads, "threads", 0, runtime.GOMAXPROCS(0), "numbers of threads; the word default stands for the number that a program uses unless it sets one; by default 1,default", speed.ThreadsName(0))
	b.Reporter.Register(cmd, "JSON lines, whose key \"kind\" is machine or cell,")
	return cmd
}

func (b *benchFlags) prepare(changed func(flag string) bool) error {
	cases, err := b.findCases(changed("case"))
	if err != nil {
		return err
	}
	if b.MinTime <= 0 || b.MinTime > time.Minute {
		return ui.Usagef("--min-time is %v; want more than 0 and at most 1m0s", b.MinTime)
	}
	if !changed("backend") {
		b.backends = append([]string{"pure"}, slices.DeleteFunc(blskernel.Names(), func(name string) bool { return name == "pure" })...)
	}
	if b.Backends, err = ui.LookupBackends(b.backends, 0); err != nil {
		return err
	}
	if b.Threads == nil {
		b.Threads = []int{1, 0}
	}
	for _, of := range cases {
		for _, n := range b.sizes {
			b.Jobs = append(b.Jobs, speed.Job{Case: of, N: n})
		}
	}
	return nil
}

func (b *benchFlags) findCases(chosen bool) ([]speed.Case, error) {
	known := speed.Operations()
	if err := ui.CheckNames("op", b.ops, append(known, "all")); err != nil {
		return nil, err
	}
	if slices.Contains(b.ops, "all") {
		named := slices.DeleteFunc(slices.Clone(b.ops), func(op string) bool { return !strings.HasPrefix(op, "mat.") })
		b.ops = append(operations(false), named...)
	}
	var cases []speed.Case
	var names []string
	for _, op := range b.ops {
		for _, c := range speed.Cases(op) {
			if c.Args == "" || !chosen || slices.Contains(b.cases, c.Args) {
				cases = append(cases, c)
			}
			if c.Args != "" && !slices.Contains(names, c.Args) {
				names = append(names, c.Args)
			}
		}
	}
	switch {
	case !chosen:
		return cases, nil
	case len(names) == 0:
		return nil, ui.Usagef("--case is %q, but there are no cases of %s: leave out --case",
			strings.Join(b.cases, ","), strings.Join(b.ops, ", "))
	}
	return cases, ui.CheckNames("case", b.cases, names)
}

// do measures the cells, prints each at once, and then prints the summary, even when interrupted.
func (b *benchFlags) do(ctx context.Context, command string, s ui.Streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := b.Begin(s); err != nil {
		return err
	}
	m := result.Here(command, b.Backends...)
	m.Threads, m.Beside = b.Threads, b.beside
	if err := b.write("machine", m, benchHead(m, &b.Comparison)); err != nil {
		return err
	}
	b.Progress.Quiet = true // the cells show the progress
	var cells result.File
	stop, err := spinBeside(b.beside, s.Err)
	if err != nil {
		return err
	}
	err = b.Attend(ctx, func(ctx context.Context) error {
		return b.Run(ctx, func(r speed.Result) error {
			return b.Do(func() error {
				cells.Cells = append(cells.Cells, result.On[speed.Result]{Machine: &m, Value: r})
				return b.write("cell", r, benchLines(r))
			})
		}, b.Show)
	})
	err = errors.Join(err, stop())
	var stopped interrupt.SignalError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	if b.JSON || cells.Cells == nil {
		return err
	}
	return errors.Join(err, b.write("", nil, experiment.Tables(report.SpeedSection([]*result.File{&cells}))))
}

// operations returns the operations of BLAS and LAPACK or, if ofGonum is true, of gonum's mat, which
// take gonum hours at the default sizes.
func operations(ofGonum bool) []string {
	return slices.DeleteFunc(speed.Operations(), func(op string) bool { return strings.HasPrefix(op, "mat.") != ofGonum })
}

// describeOpponents returns a line for each operation with opponents: its name and the LAPACK routines.
func describeOpponents() (text string) {
	for _, op := range operations(false) {
		if all := speed.Cases(op)[0].Opponents; len(all) > 0 {
			text += fmt.Sprintf("    %-17s %s\n", op, strings.Join(all, ", "))
		}
	}
	return text
}

const benchFormat = "%-17s %-4s %-6v %-7s  %-24s %9s %8s %8s\n"

// benchHead returns the machine, the settings and the column headings as text.
func benchHead(m result.Machine, c *speed.Comparison) string {
	text := ""
	line := func(name, value string) {
		if value != "" {
			text += fmt.Sprintf("%-10s %s\n", name, ui.OneLine(value))
		}
	}
	line("cpu", strings.TrimSpace(m.CPU+" "+strings.Join(m.Features, " ")))
	line("kernel", m.Kernel)
	line("backends", strings.Join(m.Backends, ", "))
	line("openblas", m.OpenBLAS)
	if _, err := speed.Library(nil); err != nil {
		line("not usable", err.Error())
	}
	line("go", fmt.Sprintf("%s, GOMAXPROCS %d", m.Go, m.GOMAXPROCS))
	line("medians", fmt.Sprintf("over %s, each timing at least %v", ui.Count(c.Rounds, "round"), c.MinTime))
	if m.Beside > 0 {
		line("beside", ui.Count(m.Beside, "busy process", "busy processes"))
	}
	return text + "\n" + fmt.Sprintf(benchFormat, "operation", "case", "n", "threads", "backend", "GFLOP/s", "of peak", "ratio")
}

func benchLines(r speed.Result) (text string) {
	for i, t := range r.Backends {
		ratio := "-"
		if i > 0 {
			ratio = names.Fixed(t.Ratio, 3)
		}
		text += fmt.Sprintf(benchFormat, r.Op, cmp.Or(r.Args, "-"), r.N, speed.ThreadsName(r.Threads), t.Backend,
			names.Significant(t.GFLOPS, 4), names.Fixed(t.OfPeak, 3), ratio)
	}
	return text
}

// write prints text or, with --json, v as JSON of the given kind, even after an interruption.
func (b *benchFlags) write(kind string, v any, text string) error {
	if b.JSON {
		return result.Write(b.Out, kind, v)
	}
	_, err := fmt.Fprint(b.Out, text)
	return err
}

package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/interrupt"

	"github.com/spf13/cobra"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	ui.Reporter
	ops, cases          []string
	sizes               []int
	shapes              string
	threads             []int
	backends, opponents []string
	rounds              int
	minTime             time.Duration
	beside              int
	summary             bool
	changed             func(flag string) bool // whether a flag is on the command line
}

// mostOrder is the order of a square matrix of 3.2 GB.
const mostOrder = 20_000

// NewBench returns the command bench.
func NewBench(s ui.Streams) *cobra.Command {
	b := benchFlags{ops: []string{"dgemm"}, rounds: speed.DefaultRounds}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Compare the speeds of the backends",
		Long: `Measure the speed of linear algebra operations on several backends in one process. A round times
every backend with every number of threads, on the same operands, and the CPU's peak, a loop of fused
multiply-adds on registers. A wrong result is an error. The output has medians over the rounds:

    GFLOP/s  the speed of each backend
    ratio    the speed of the first backend as a multiple of another's
    of peak  the speed as a fraction of the peak on as many threads

A summary of each case follows: the geometric mean and the lowest of the ratios, those of the speed on
several threads to that on one thread, and the fractions of the peak.

Operations: ` + strings.Join(speed.Operations(), ", ") + `
or all.
Cases are the arguments in the routine's order: sides L and R, triangles U and L, transposes N and T.

Factorizations are timed with opponents, for which the ratio is the same: LAPACK routines of
OpenBLAS, in their own storage.

` + describeOpponents() + `
The times exclude restoring the matrices between calls and the factorization before lu-solve, whose
right-hand sides are columns for dgetrs and rows for the others. dsptrf+dsptri takes some 20 s at
order 5100. The memory of an inverse is at most that of its matrix and of all that a call allocates,
except inside OpenBLAS, as a multiple of the operation's matrix, which is packed but for LU.

The squares of order 8 to 4000 take some minutes for each operation. Run nothing else meanwhile; for
the speeds beside other work, --beside makes it.`,
		Example: `  blskernel bench --op dgemm --case NN --n 64,256,1000
  blskernel bench --op cholesky-inverse,lu-inverse --n 100,300,1000
  blskernel bench --op ldlt-inverse --n 5100 --opponents dsytrf+dsytri2 --rounds 3
  blskernel bench --op dsyrk,dsymm,dtrmm,dtrsm --threads 1 --summary
  blskernel bench --case NN --n 256,1000 --threads default,1,2 --beside 1
  blskernel bench --shapes all --json
  blskernel bench --backend pure --n 1000`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b.changed = cmd.Flags().Changed
			c, err := b.comparison()
			if err != nil {
				return err
			}
			return b.do(cmd.Context(), c, ui.CommandLine(cmd, false), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&b.ops, "op", b.ops, "operations, or all")
	f.StringSliceVar(&b.cases, "case", nil, "cases, such as NN,TN; by default all of each operation")
	ui.Ints(cmd, &b.sizes, "n", 1, mostOrder, "orders of the squares; by default 17 of 8 to 4000")
	ui.Choice(cmd, &b.shapes, "shapes", "squares, bls (those of broad learning updates) or all", "squares", "bls", "all")
	f.StringSliceVar(&b.opponents, "opponents", nil, "opponents of the operations, or none; by default all that are available")
	ui.RoundsFlag(cmd, &b.rounds)
	f.DurationVar(&b.minTime, "min-time", speed.DefaultMinTime, "least time of one timing")
	ui.Int(cmd, &b.beside, "beside", 0, mostBeside, "run so many processes meanwhile, each of which keeps a CPU busy")
	ui.BackendsFlag(cmd, &b.backends, ", the others compared with the first; by default pure and all others that are available")
	ui.Ints(cmd, &b.threads, "threads", 0, runtime.GOMAXPROCS(0), "numbers of threads; default is that of a program that sets none; by default 1,default", speed.ThreadsName(0))
	f.BoolVar(&b.summary, "summary", false, "print the summary only, not every cell")
	b.Reporter.Register(cmd, "JSON lines with a key \"kind\", machine, cell, ratio or share,")
	return cmd
}

// comparison turns the flags into a comparison.
func (b *benchFlags) comparison() (*speed.Comparison, error) {
	cases, err := b.findCases()
	if err != nil {
		return nil, err
	}
	jobs, err := b.jobs(cases)
	if err != nil {
		return nil, err
	}
	if b.threads == nil {
		b.threads = []int{1, 0}
	}
	if b.minTime <= 0 || b.minTime > time.Minute {
		return nil, ui.Usagef("--min-time is %v; want more than 0 and at most 1m0s", b.minTime)
	}
	if !b.changed("backend") {
		b.backends = append([]string{"pure"}, slices.DeleteFunc(blskernel.Names(), func(name string) bool { return name == "pure" })...)
	}
	if len(b.backends) == 0 || slices.Contains(b.backends, "") {
		return nil, ui.Usagef("--backend has an empty name; want pure or openblas, or both")
	}
	backends, err := ui.LookupBackends(b.backends, 0)
	if err != nil {
		return nil, err
	}
	opponents, err := b.findOpponents(cases, backends)
	if err != nil {
		return nil, err
	}
	return &speed.Comparison{
		Backends: backends, Jobs: jobs, Opponents: opponents, Threads: b.threads, Rounds: b.rounds, MinTime: b.minTime,
	}, nil
}

// findCases returns the cases of all operations.
func (b *benchFlags) findCases() ([]speed.Case, error) {
	known := speed.Operations()
	if err := ui.CheckNames("op", b.ops, append(known, "all")); err != nil {
		return nil, err
	}
	if slices.Contains(b.ops, "all") {
		b.ops = known
	}
	var cases []speed.Case
	var names []string
	for _, op := range b.ops {
		for _, c := range speed.Cases(op) {
			if c.Args == "" || !b.changed("case") || slices.Contains(b.cases, c.Args) {
				cases = append(cases, c)
			}
			if c.Args != "" && !slices.Contains(names, c.Args) {
				names = append(names, c.Args)
			}
		}
	}
	if b.changed("case") {
		if len(names) == 0 {
			return nil, ui.Usagef("--case has %q, and %s has no cases: leave it out",
				strings.Join(b.cases, ","), strings.Join(b.ops, ", "))
		}
		if err := ui.CheckNames("case", b.cases, names); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// jobs returns each case on all shapes: by operation, case and shape.
func (b *benchFlags) jobs(cases []speed.Case) ([]speed.Job, error) {
	switch {
	case b.sizes == nil:
		b.sizes = speed.Sizes()
	case b.shapes == "bls":
		return nil, ui.Usagef("--n is about squares, and --shapes is bls: leave one out, or set --shapes all")
	}
	var jobs []speed.Job
	for _, c := range cases {
		if b.shapes != "bls" {
			for _, n := range b.sizes {
				jobs = append(jobs, speed.Job{Case: c, Shape: speed.Square(n)})
			}
		}
		if b.shapes != "squares" {
			for _, shape := range speed.BLS(c.Op) {
				jobs = append(jobs, speed.Job{Case: c, Shape: shape})
			}
		}
	}
	if len(jobs) == 0 {
		return nil, ui.Usagef("--shapes is bls, and %s has none: set --shapes squares", strings.Join(b.ops, ", "))
	}
	return jobs, nil
}

// do measures and prints each cell as it comes, and then the summary, even if interrupted.
func (b *benchFlags) do(ctx context.Context, c *speed.Comparison, command string, s ui.Streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var cells cellPrinter = jsonCells{s.Out}
	if !b.JSON {
		table := &speedTable{w: s.Out, width: len("operation")}
		for _, j := range c.Jobs {
			table.width = max(table.width, len(j.Case.Op))
		}
		cells = table
	}
	m := newMachine(command, c)
	m.Beside = b.beside
	if err := cells.head(m); err != nil {
		return err
	}
	if err := b.Begin(s); err != nil {
		return err
	}
	b.Progress.Quiet = true // the cells show the progress
	defer b.Progress.Clear()
	var results []speed.Result
	ctx, stop, err := spinBeside(ctx, b.beside, s.Err)
	if err != nil {
		return err
	}
	defer stop()
	err = b.Attend(ctx, func(ctx context.Context) error {
		return c.Run(ctx, func(r speed.Result) error {
			return b.Do(func() error {
				results = append(results, r)
				if b.summary {
					return nil
				}
				return cells.print(r)
			})
		}, b.Show)
	})
	b.Progress.Clear()
	var stopped interrupt.SignalError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	return errors.Join(err, cells.foot(speed.Ratios(results), speed.Shares(results)))
}

// describeOpponents returns a line for each operation with opponents.
func describeOpponents() string {
	var b strings.Builder
	for _, op := range speed.Operations() {
		if all := opponentNames(speed.Cases(op)); len(all) > 0 {
			fmt.Fprintf(&b, "    %-17s %s\n", op, strings.Join(all, ", "))
		}
	}
	return b.String()
}

// opponentNames returns the names of the opponents of cases, each once.
func opponentNames(cases []speed.Case) []string {
	var names []string
	for _, c := range cases {
		for _, name := range c.Opponents {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// findOpponents returns the opponents: those of the flag, else all that the backends allow.
func (b *benchFlags) findOpponents(cases []speed.Case, backends []blskernel.Backend) ([]string, error) {
	known, chosen := opponentNames(cases), b.changed("opponents")
	if chosen {
		if slices.Contains(b.opponents, "none") {
			return nil, nil
		}
		if err := ui.CheckNames("opponents", b.opponents, append(known, "none")); err != nil {
			return nil, err
		}
		known = b.opponents
	}
	_, missing := speed.Library(backends)
	switch {
	case missing == nil:
		return known, nil
	case chosen:
		return nil, fmt.Errorf("opponent %s: %w", known[0], missing)
	}
	return nil, nil
}

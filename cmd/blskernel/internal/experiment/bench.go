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
	ops, args           []string
	sizes, nrhs         []int
	shapes              string
	threads             []int
	backends, opponents []string
	rounds              int
	minTime             time.Duration
	json, summary       bool
	changed             func(flag string) bool // whether a flag is on the command line
}

const (
	// mostOrder is the order of a square matrix of 3.2 GB.
	mostOrder = 20_000
	// solve is the operation of --nrhs.
	solve = "lu-solve"
)

// NewBench returns the command bench.
func NewBench(s ui.Streams) *cobra.Command {
	b := benchFlags{ops: []string{"dgemm"}, rounds: speed.DefaultRounds}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Compare the speeds of the backends",
		Long: `Measure the speed of linear algebra operations on several backends in one process. Each round times
every backend once, on the same operands, and the CPU's peak, a loop of fused multiply-adds on
registers. The output has medians over the rounds: GFLOP/s of each backend; the ratio, which is the
speed of the first backend as a multiple of another's; and the speeds as fractions of the peak. A
wrong result is an error.

Operations: ` + strings.Join(speed.Operations(), ", ") + `
or all.
Cases are the arguments in the routine's order: sides L and R, triangles U and L, transposes N and T.

Factorizations are timed with opponents, for which the ratio is the same: LAPACK routines of
OpenBLAS, in their own storage, and for ldlt-inverse also cholesky-inverse on the first backend.

` + describeOpponents() + `
The times exclude restoring the matrices between calls and the factorization before lu-solve, whose
right-hand sides are columns for dgetrs and rows for the others. dsptrf+dsptri takes some 20 s at
order 5100. The memory of an inverse is at most that of its matrix and of all that a call allocates,
except inside OpenBLAS, as a multiple of the operation's matrix, which is packed but for LU.

The squares of order 8 to 4000 take some minutes for each operation. Run nothing else meanwhile.`,
		Example: `  blskernel bench --op dgemm --case NN --n 64,256,1000
  blskernel bench --op cholesky-inverse,lu-inverse --n 100,300,1000
  blskernel bench --op ldlt-inverse --n 5100 --opponents dsytrf+dsytri2 --rounds 3
  blskernel bench --op lu-solve --n 1000 --nrhs 1,10,1000
  blskernel bench --op dsyrk,dsymm,dtrmm,dtrsm --threads 1 --summary
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
	f.StringSliceVar(&b.args, "case", nil, "cases, such as NN,TN; by default all of each operation")
	f.IntSliceVar(&b.sizes, "n", nil, "orders of the squares; by default 17 of 8 to 4000")
	f.IntSliceVar(&b.nrhs, "nrhs", nil, "numbers of right-hand sides in the squares of lu-solve; by default as many as the order")
	f.StringVar(&b.shapes, "shapes", "squares", "squares, bls (those of broad learning updates) or all")
	f.StringSliceVar(&b.opponents, "opponents", nil, "opponents of the operations, or none; by default all that are available")
	ui.RoundsFlag(cmd, &b.rounds)
	f.DurationVar(&b.minTime, "min-time", speed.DefaultMinTime, "least time of one timing")
	ui.BackendsFlag(cmd, &b.backends, ", the others compared with the first; by default pure and all others that are available")
	f.IntSliceVar(&b.threads, "threads", nil, "numbers of threads; by default 1 and all processors")
	f.BoolVar(&b.summary, "summary", false, "print the summary only, not every cell")
	ui.JSONFlag(cmd, &b.json, "JSON lines with a key \"kind\", machine, cell, ratio or large,")
	return cmd
}

// comparison turns the flags into a comparison.
func (b *benchFlags) comparison() (*speed.Comparison, error) {
	cases, err := b.cases()
	if err != nil {
		return nil, err
	}
	jobs, err := b.jobs(cases)
	if err != nil {
		return nil, err
	}
	most := runtime.GOMAXPROCS(0)
	if !b.changed("threads") {
		b.threads = slices.Compact([]int{1, most})
	}
	if err := ui.CheckList("threads", b.threads, 1, most); err != nil {
		return nil, err
	}
	if err := ui.CheckRanges(ui.Range{Flag: "rounds", Value: b.rounds, Least: 1, Most: ui.MostSamples}); err != nil {
		return nil, err
	}
	if b.minTime <= 0 || b.minTime > time.Minute {
		return nil, ui.Usagef("--min-time is %v; want more than 0 and at most 1m0s", b.minTime)
	}
	if !b.changed("backend") {
		b.backends = []string{"pure"}
		for _, name := range blskernel.Names() {
			if name != "pure" {
				b.backends = append(b.backends, name)
			}
		}
	}
	if len(b.backends) == 0 || slices.Contains(b.backends, "") {
		return nil, ui.Usagef("--backend has an empty name; want pure or openblas, or both")
	}
	backends, err := ui.LookupBackends(b.backends, 0)
	if err != nil {
		return nil, err
	}
	opponents, err := b.findOpponents(slices.Concat(cases...), backends)
	if err != nil {
		return nil, err
	}
	return &speed.Comparison{
		Backends: backends, Jobs: jobs, Opponents: opponents, Threads: b.threads, Rounds: b.rounds, MinTime: b.minTime,
	}, nil
}

// cases returns the cases of each operation.
func (b *benchFlags) cases() ([][]speed.Case, error) {
	known := speed.Operations()
	if len(b.ops) == 0 {
		return nil, ui.Usagef("--op is empty; want %s or all", strings.Join(known, ", "))
	}
	if b.changed("case") && len(b.args) == 0 {
		return nil, ui.Usagef("--case is empty; leave it out for all cases")
	}
	if err := errors.Join(ui.CheckUnique("op", b.ops), ui.CheckUnique("case", b.args)); err != nil {
		return nil, err
	}
	every := slices.Equal(b.ops, []string{"all"})
	if every {
		b.ops = known
	}
	found := map[string]bool{}
	var cases [][]speed.Case
	for _, op := range b.ops {
		all := speed.Cases(op)
		if all == nil {
			return nil, ui.Usagef("--op has %q; want %s or all", op, strings.Join(known, ", "))
		}
		of := slices.Clone(all)
		if b.args != nil && of[0].Args != "" { // an operation without arguments has one case
			of = slices.DeleteFunc(of, func(c speed.Case) bool { return !slices.Contains(b.args, c.Args) })
		}
		if len(of) == 0 && !every {
			names := ui.Each[speed.Case, []speed.Case](func(c speed.Case) string { return c.Args })(all)
			return nil, ui.Usagef("--case has none of %s; want %s", op, strings.Join(names, ", "))
		}
		for _, c := range of {
			found[c.Args] = true
		}
		cases = append(cases, of)
	}
	for _, a := range b.args {
		if a == "" || !found[a] {
			return nil, ui.Usagef("--case has %q, which is no case of %s", a, strings.Join(b.ops, ", "))
		}
	}
	return cases, nil
}

// jobs returns each case on all shapes: by operation, case and shape.
func (b *benchFlags) jobs(cases [][]speed.Case) ([]speed.Job, error) {
	if err := b.checkShapes(); err != nil {
		return nil, err
	}
	var jobs []speed.Job
	for _, c := range slices.Concat(cases...) {
		var shapes []speed.Shape
		if b.shapes != "bls" {
			for _, n := range b.sizes {
				if c.Op != solve || len(b.nrhs) == 0 {
					shapes = append(shapes, speed.Square(n))
					continue
				}
				for _, nrhs := range b.nrhs {
					shapes = append(shapes, speed.Shape{M: n, N: nrhs, K: n})
				}
			}
		}
		if b.shapes != "squares" {
			shapes = append(shapes, speed.BLS(c.Op)...)
		}
		for _, shape := range shapes {
			jobs = append(jobs, speed.Job{Case: c, Shape: shape})
		}
	}
	if len(jobs) == 0 {
		return nil, ui.Usagef("--shapes is bls, and %s has none: set --shapes squares", strings.Join(b.ops, ", "))
	}
	return jobs, nil
}

func (b *benchFlags) checkShapes() error {
	switch {
	case !slices.Contains([]string{"squares", "bls", "all"}, b.shapes):
		return ui.Usagef("--shapes is %q; want squares, bls or all", b.shapes)
	case b.changed("n") && b.shapes == "bls":
		return ui.Usagef("--n is about squares, and --shapes is bls: leave one out, or set --shapes all")
	case !b.changed("n"):
		b.sizes = speed.Sizes()
	}
	if err := ui.CheckList("n", b.sizes, 1, mostOrder); err != nil || !b.changed("nrhs") {
		return err
	}
	if !slices.Contains(b.ops, solve) || b.shapes == "bls" {
		return ui.Usagef("--nrhs is about the squares of %s: leave it out, or have both", solve)
	}
	return ui.CheckList("nrhs", b.nrhs, 1, mostOrder)
}

// do measures and prints each cell as it comes, and then the summary, also of a run that is
// interrupted.
func (b *benchFlags) do(ctx context.Context, c *speed.Comparison, command string, s ui.Streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var cells cellPrinter = jsonCells{s.Out}
	if !b.json {
		table := &speedTable{w: s.Out, width: len("operation")}
		for _, j := range c.Jobs {
			table.width = max(table.width, len(j.Case.Op))
		}
		cells = table
	}
	if err := cells.head(newMachine(command, c)); err != nil {
		return err
	}
	bar := ui.NewProgress(s.Err, true)
	defer bar.Clear()
	var results []speed.Result
	err := ui.Attend(ctx, bar, func(ctx context.Context, p *ui.Printer) error {
		return c.Run(ctx, func(r speed.Result) error {
			return p.Do(func() error {
				results = append(results, r)
				if b.summary {
					return nil
				}
				return cells.print(r)
			})
		}, p.Show)
	})
	bar.Clear()
	var stopped interrupt.SignalError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	return errors.Join(err, cells.foot(speed.Ratios(results), speed.Larges(results)))
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
		for _, o := range c.Opponents() {
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// findOpponents returns the names of the opponents: those of the flag, else all that are available with
// the backends.
func (b *benchFlags) findOpponents(cases []speed.Case, backends []blskernel.Backend) ([]string, error) {
	known, chosen := opponentNames(cases), b.changed("opponents")
	if chosen {
		if slices.Equal(b.opponents, []string{"none"}) {
			return nil, nil
		}
		if err := b.checkOpponents(known); err != nil {
			return nil, err
		}
		known = b.opponents
	}
	_, missing := speed.Library(backends)
	if missing == nil {
		return known, nil
	}
	// Without a LAPACK only the others are available, and asking for more is an error.
	var names []string
	for _, name := range known {
		ofLAPACK := slices.ContainsFunc(cases, func(c speed.Case) bool {
			return slices.Contains(c.Opponents(), speed.Opponent{Name: name, LAPACK: true})
		})
		if !ofLAPACK {
			names = append(names, name)
		} else if chosen {
			return nil, fmt.Errorf("opponent %s: %w", name, missing)
		}
	}
	return names, nil
}

func (b *benchFlags) checkOpponents(known []string) error {
	if len(known) == 0 {
		return ui.Usagef("--opponents is about factorizations, and %s has no opponents: leave it out", strings.Join(b.ops, ", "))
	}
	want := strings.Join(known, ", ") + " or none"
	if len(b.opponents) == 0 {
		return ui.Usagef("--opponents is empty; want %s", want)
	}
	for _, name := range b.opponents {
		if !slices.Contains(known, name) {
			return ui.Usagef("--opponents has %q; want %s", name, want)
		}
	}
	return ui.CheckUnique("opponents", b.opponents)
}

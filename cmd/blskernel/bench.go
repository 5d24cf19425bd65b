package main

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
	"blskernel/internal/interrupt"

	"github.com/spf13/cobra"
)

// benchSettings are the flags of bench.
type benchSettings struct {
	ops, args     []string
	sizes, nrhs   []int
	shapes        string
	threads       []int
	backends      []string
	opponents     []string
	rounds        int
	minTime       time.Duration
	json, summary bool
	command       string // line
}

const (
	// mostSize is where one square matrix takes 3.2 GB.
	mostSize = 20_000
	// mostTime is far longer than what makes a timing exact.
	mostTime = time.Minute
)

func newBench(s streams) *cobra.Command {
	set := benchSettings{ops: []string{"dgemm"}, shapes: "squares", rounds: speed.DefaultRounds, minTime: speed.DefaultMinTime}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Compare the speeds of the backends",
		Long: `Measure the speed of linear algebra operations on several backends, side by side in
one process: in each round every backend is timed once, on the same operands, and so
is the CPU's peak, a loop of fused multiply-adds on registers. What is printed are
medians over the rounds: GFLOP/s of each backend; the ratio, which is the speed of
the first backend as a multiple of the other's; and the speeds as fractions of the
peak. A backend that computes something wrong is an error.

Operations: ` + strings.Join(speed.Operations(), ", ") + `,
or all. Cases are the arguments in the routine's order: sides L and R, triangles U
and L, transposes N and T.

Factorizations have opponents, which are timed with the backends and of which the
ratio says the same: LAPACK routines of OpenBLAS, in their own storage, and for
ldlt-inverse also cholesky-inverse on the first backend.
` + describeOpponents() + `
The matrices are restored between two calls, and the right-hand sides of lu-solve,
which come as columns to dgetrs and as rows to all others; neither that nor the
factorization before lu-solve is in the times. An opponent may be slow:
dsptrf+dsptri takes some 20 s at order 5100. The memory of an inverse is at most that
of its matrix and of all that a call allocates, dropped or not, except inside of
OpenBLAS: as a multiple of the operation's matrix, which is packed but for LU.

The squares of order 8 to 4000 take some minutes for each operation. Nothing else
should run meanwhile.`,
		Example: `  blskernel bench --op dgemm --case NN --n 64,256,1000
  blskernel bench --op cholesky-inverse,lu-inverse --n 100,300,1000
  blskernel bench --op ldlt-inverse --n 5100 --opponents dsytrf+dsytri2 --rounds 3
  blskernel bench --op lu-solve --n 1000 --nrhs 1,10,1000
  blskernel bench --op dsyrk,dsymm,dtrmm,dtrsm --threads 1 --summary
  blskernel bench --shapes all --json
  blskernel bench --backends pure --n 1000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := set.comparison(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			set.command = commandLine(cmd)
			return runComparison(cmd.Context(), c, &set, s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&set.ops, "op", set.ops, "operations, or all")
	f.StringSliceVar(&set.args, "case", nil, "cases, such as NN,TN; by default all of each operation")
	f.IntSliceVar(&set.sizes, "n", nil, "orders of the squares; by default 17 of 8 to 4000")
	f.IntSliceVar(&set.nrhs, "nrhs", nil, "numbers of right-hand sides in the squares of lu-solve; by default as many as the order")
	f.StringVar(&set.shapes, "shapes", set.shapes, "shapes: squares, bls (those of broad learning updates) or all")
	f.IntSliceVar(&set.threads, "threads", nil, "numbers of threads; by default 1 and all processors")
	f.StringSliceVar(&set.backends, "backends", nil, "backends, the one that is compared with the others first; by default pure and all others that can be had")
	f.StringSliceVar(&set.opponents, "opponents", nil, "opponents of the operations, or none; by default all that can be had")
	f.IntVar(&set.rounds, "rounds", set.rounds, "rounds, of which the medians are taken")
	f.DurationVar(&set.minTime, "min-time", set.minTime, "least time of one timing")
	f.BoolVar(&set.json, "json", false, "print JSON objects, one a line, with a key \"kind\": machine, cell, ratio or large")
	f.BoolVar(&set.summary, "summary", false, "print the summary only, not every cell")
	return cmd
}

// comparison turns the flags into a comparison, or says which flag is wrong. changed tells which flags
// are on the command line.
func (s *benchSettings) comparison(changed func(flag string) bool) (*speed.Comparison, error) {
	cases, err := s.cases(changed)
	if err != nil {
		return nil, err
	}
	jobs, err := s.jobs(cases, changed)
	if err != nil {
		return nil, err
	}
	if err := s.parseThreads(changed); err != nil {
		return nil, err
	}
	if s.rounds < 1 || s.rounds > mostSamples {
		return nil, usageError{fmt.Errorf("--rounds is %d; want 1 to %d", s.rounds, mostSamples)}
	}
	if s.minTime <= 0 || s.minTime > mostTime {
		return nil, usageError{fmt.Errorf("--min-time is %v; want more than 0 and at most %v", s.minTime, mostTime)}
	}
	backends, err := s.lookup(changed)
	if err != nil {
		return nil, err
	}
	opponents, err := s.findOpponents(cases, backends, changed)
	if err != nil {
		return nil, err
	}
	return &speed.Comparison{Backends: backends, Jobs: jobs, Opponents: opponents, Threads: s.threads, Rounds: s.rounds, MinTime: s.minTime}, nil
}

// cases returns the cases of each operation.
func (s *benchSettings) cases(changed func(string) bool) ([][]speed.Case, error) {
	known := speed.Operations()
	if len(s.ops) == 0 {
		return nil, usageError{errors.New("--op is empty; want " + strings.Join(known, ", ") + " or all")}
	}
	if changed("case") && len(s.args) == 0 {
		return nil, usageError{errors.New("--case is empty; leave it out for all cases")}
	}
	if d, ok := duplicate(s.ops); ok {
		return nil, usageError{fmt.Errorf("--op has %s twice", d)}
	}
	if d, ok := duplicate(s.args); ok {
		return nil, usageError{fmt.Errorf("--case has %s twice", d)}
	}
	every := slices.Equal(s.ops, []string{"all"})
	if every {
		s.ops = known
	}
	found := map[string]bool{}
	var cases [][]speed.Case
	for _, op := range s.ops {
		of := speed.Cases(op)
		if of == nil {
			return nil, usageError{fmt.Errorf("--op has %q; want %s or all", op, strings.Join(known, ", "))}
		}
		// An operation without arguments has nothing to choose from.
		if s.args != nil && of[0].Args != "" {
			of = slices.DeleteFunc(of, func(c speed.Case) bool { return !slices.Contains(s.args, c.Args) })
		}
		if len(of) == 0 && !every {
			return nil, usageError{fmt.Errorf("--case has none of %s; want %s", op, strings.Join(args(speed.Cases(op)), ", "))}
		}
		for _, c := range of {
			found[c.Args] = true
		}
		cases = append(cases, of)
	}
	for _, a := range s.args {
		if a == "" || !found[a] {
			return nil, usageError{fmt.Errorf("--case has %q, which is no case of %s", a, strings.Join(s.ops, ", "))}
		}
	}
	return cases, nil
}

// args returns the arguments of the cases.
func args(cases []speed.Case) []string {
	var names []string
	for _, c := range cases {
		names = append(names, c.Args)
	}
	return names
}

// jobs returns each case on all shapes: by operation, case and shape.
func (s *benchSettings) jobs(cases [][]speed.Case, changed func(string) bool) ([]speed.Job, error) {
	if s.shapes != "squares" && s.shapes != "bls" && s.shapes != "all" {
		return nil, usageError{fmt.Errorf("--shapes is %q; want squares, bls or all", s.shapes)}
	}
	if changed("n") && s.shapes == "bls" {
		return nil, usageError{errors.New("--n is about squares, and --shapes is bls: leave one out, or set --shapes all")}
	}
	if !changed("n") {
		s.sizes = speed.Sizes()
	}
	if len(s.sizes) == 0 {
		return nil, usageError{errors.New("--n is empty; want at least one order")}
	}
	for _, n := range s.sizes {
		if n < 1 || n > mostSize {
			return nil, usageError{fmt.Errorf("--n has %d; want 1 to %d", n, mostSize)}
		}
	}
	if d, ok := duplicate(s.sizes); ok {
		return nil, usageError{fmt.Errorf("--n has %d twice", d)}
	}
	if changed("nrhs") {
		if err := s.checkRightSides(); err != nil {
			return nil, err
		}
	}
	var jobs []speed.Job
	for _, of := range cases {
		for _, c := range of {
			if s.shapes != "bls" {
				for _, n := range s.sizes {
					if c.Op != solve || len(s.nrhs) == 0 {
						jobs = append(jobs, speed.Job{Case: c, Shape: speed.Square(n)})
						continue
					}
					for _, nrhs := range s.nrhs {
						jobs = append(jobs, speed.Job{Case: c, Shape: speed.Shape{M: n, N: nrhs, K: n}})
					}
				}
			}
			if s.shapes != "squares" {
				for _, shape := range speed.BLS(c.Op) {
					jobs = append(jobs, speed.Job{Case: c, Shape: shape})
				}
			}
		}
	}
	if len(jobs) == 0 {
		return nil, usageError{fmt.Errorf("--shapes is bls, and there are none of %s: set --shapes squares", strings.Join(s.ops, ", "))}
	}
	return jobs, nil
}

// solve is the operation that --nrhs is about.
const solve = "lu-solve"

func (s *benchSettings) checkRightSides() error {
	if !slices.Contains(s.ops, solve) || s.shapes == "bls" {
		return usageError{errors.New("--nrhs is about the squares of " + solve + ": leave it out, or have both")}
	}
	for _, n := range s.nrhs {
		if n < 1 || n > mostSize {
			return usageError{fmt.Errorf("--nrhs has %d; want 1 to %d", n, mostSize)}
		}
	}
	if d, ok := duplicate(s.nrhs); ok {
		return usageError{fmt.Errorf("--nrhs has %d twice", d)}
	}
	return nil
}

func (s *benchSettings) parseThreads(changed func(string) bool) error {
	most := runtime.GOMAXPROCS(0)
	if !changed("threads") {
		s.threads = slices.Compact([]int{1, most})
	}
	if len(s.threads) == 0 {
		return usageError{errors.New("--threads is empty; want at least one number")}
	}
	for _, t := range s.threads {
		if t < 1 || t > most {
			return usageError{fmt.Errorf("--threads has %d; want 1 to %d, the number of processors", t, most)}
		}
	}
	if d, ok := duplicate(s.threads); ok {
		return usageError{fmt.Errorf("--threads has %d twice", d)}
	}
	return nil
}

// lookup finds the backends. As for the other commands, a name that means nothing is the fault of
// the command line, and one that cannot be had here is not.
func (s *benchSettings) lookup(changed func(string) bool) ([]blskernel.Backend, error) {
	if !changed("backends") {
		s.backends = []string{"pure"}
		for _, name := range blskernel.Names() {
			if name != "pure" {
				s.backends = append(s.backends, name)
			}
		}
	}
	if len(s.backends) == 0 {
		return nil, usageError{errors.New("--backends is empty; want at least one")}
	}
	if d, ok := duplicate(s.backends); ok {
		return nil, usageError{fmt.Errorf("--backends has %s twice", d)}
	}
	var backends []blskernel.Backend
	for _, name := range s.backends {
		b, err := blskernel.Lookup(name)
		var unavailable *blskernel.UnavailableError
		switch {
		case errors.As(err, &unavailable):
			return nil, err
		case err != nil || name == "": // which Lookup takes for the selected one
			return nil, usageError{fmt.Errorf("--backends has %q; want names such as pure and openblas", name)}
		}
		backends = append(backends, b)
	}
	return backends, nil
}

// duplicate returns an element that is there twice, if there is one.
func duplicate[E comparable](list []E) (E, bool) {
	for i, e := range list {
		if slices.Contains(list[:i], e) {
			return e, true
		}
	}
	var none E
	return none, false
}

// runComparison measures and prints each cell as it comes, and then the summary, also of what was
// measured before ctx was cancelled. It returns as soon as that happens, even in the middle of a call.
func runComparison(ctx context.Context, c *speed.Comparison, set *benchSettings, s streams) error {
	width := 0
	for _, j := range c.Jobs {
		width = max(width, len(j.Case.Op))
	}
	rows := cellPrinter(&speedTable{w: s.out, width: width})
	if set.json {
		rows = jsonCells{s.out}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := rows.head(newMachine(set.command, c)); err != nil {
		return err
	}
	shown := newProgress(s.err, true)
	defer shown.clear()
	var results []speed.Result
	err := attend(ctx, shown, func(ctx context.Context, here func(func() error) error) error {
		return c.Run(ctx, func(r speed.Result) error {
			return here(func() error {
				results = append(results, r)
				if set.summary {
					return nil
				}
				shown.clear()
				return rows.print(r)
			})
		}, func(share float64, doing string) {
			// Where it cannot be shown the run is over, and Run will see that.
			_ = here(func() error {
				shown.show(share, doing)
				return nil
			})
		})
	})
	shown.clear()
	var stopped interrupt.SignalError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	return errors.Join(err, rows.foot(speed.Ratios(results), speed.Larges(results)))
}

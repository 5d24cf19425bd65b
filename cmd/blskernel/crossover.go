package main

import (
	"context"
	"fmt"
	"math"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
)

// crossoverSettings are the flags of crossover.
type crossoverSettings struct {
	l, k, c int
	qs      []int
	lambda  ridge
	methods []string
	rounds  int
	seed    uint64
	backend string
	threads int
	predict bool
	json    bool
	out     string
	resume  bool
}

func newCrossover(s streams) *cobra.Command {
	set := crossoverSettings{
		l: 10000, k: 1000, c: 10, qs: []int{1, 10, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 2000, 4000, 8000},
		lambda: 0x1p-30, methods: []string{"original", "improved"}, seed: 1,
	}
	cmd := &cobra.Command{
		Use:   "crossover",
		Short: "Show from which batch size on starting over is faster than an update",
		Long: `Add q random rows to a model of l samples, by each of the methods and by the one that
the planner chooses for that q, and compare the time until the weights are there with
that of starting over from all l+q rows: for the pseudoinverse A+ and the weights, by the
ridge formula, and for the weights alone, by the normal equations. In each round all of
them are done in turn, every update from the same l samples; the times are medians over
the rounds. A round that takes long is the only one. With --out every line is on disk as
soon as it is finished, and after an interruption --resume goes on from the last one.

What follows the table is the q from which on starting over takes less, by the flops of
the model and as measured, interpolated between the values of q.

The rates that the planner goes by are measured once for each backend and number of
threads, which takes a minute or two, and kept in the user's cache folder, or in
$BLSKERNEL_CACHE. The default sizes take about two minutes on two cores that have nothing
else to do, and some 2 GB.`,
		Example: `  blskernel crossover
  blskernel crossover --k 500 --l 5000 --q 10,50,100,200,400
  blskernel crossover --methods original,improved,gram,qr --q 1,10,100,1000 --rounds 5
  blskernel crossover --backend pure --out crossover.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return set.run(cmd.Context(), fullCommandLine(cmd), s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&set.l, "l", set.l, "samples before the update")
	f.IntVar(&set.k, "k", set.k, "nodes")
	f.IntVar(&set.c, "c", set.c, "targets")
	f.IntSliceVar(&set.qs, "q", set.qs, "samples added")
	f.Var(&set.lambda, "lambda", "ridge")
	f.StringSliceVar(&set.methods, "methods", set.methods, "methods beside the planner's, with forms or without")
	f.IntVar(&set.rounds, "rounds", 0, "rounds, of which the medians are taken; 0 for as many as seem useful")
	f.Uint64Var(&set.seed, "seed", set.seed, "seed of the random rows")
	f.BoolVar(&set.predict, "predict", true, "let the planner go by the rates of this machine, which are measured once; otherwise by flops")
	f.StringVar(&set.backend, "backend", "", "pure or openblas; by default $BLSKERNEL_BACKEND, else openblas where it can be had, else pure")
	f.IntVar(&set.threads, "threads", 0, "most threads to use; 0 for all processors")
	f.BoolVar(&set.json, "json", false, "print JSON objects, one a line, with a key \"kind\": machine or crossover")
	f.StringVar(&set.out, "out", "", "file for the JSON lines, which must not exist yet")
	f.BoolVar(&set.resume, "resume", false, "go on with the lines that --out has")
	return cmd
}

// experiment turns the flags into an experiment, without rates where those of the machine are wanted,
// or says which flag is wrong.
func (set *crossoverSettings) experiment() (*bench.Crossover, error) {
	for _, check := range []struct {
		flag               string
		value, least, most int
	}{
		{"k", set.k, 1, mostNodes}, {"l", set.l, 1, mostFlopsSize}, {"c", set.c, 1, mostNodes},
		{"rounds", set.rounds, 0, mostNodes}, {"threads", set.threads, 0, mostSamples},
	} {
		if check.value < check.least || check.value > check.most {
			return nil, usageError{fmt.Errorf("--%s is %d; want %d to %d", check.flag, check.value, check.least, check.most)}
		}
	}
	if set.resume && set.out == "" {
		return nil, errResume
	}
	if set.l < set.k {
		return nil, usageError{fmt.Errorf("--l is %d, fewer samples than the %d nodes: not every method can start from them", set.l, set.k)}
	}
	for _, q := range set.qs {
		if q < 1 || q > mostFlopsSize {
			return nil, usageError{fmt.Errorf("--q has %d; want 1 to %d", q, mostFlopsSize)}
		}
	}
	if q, ok := duplicate(set.qs); ok {
		return nil, usageError{fmt.Errorf("--q has %d twice", q)}
	}
	variants, err := parseVariants("methods", set.methods)
	if err != nil {
		return nil, err
	}
	b, err := lookupBackend("backend", set.backend)
	if err != nil {
		return nil, err
	}
	blskernel.SetThreads(set.threads)
	c := &bench.Crossover{
		L: set.l, K: set.k, C: set.c, Q: set.qs, Variants: variants, Lambda: float64(set.lambda), Rounds: set.rounds, Seed: set.seed, Backend: b,
	}
	if !set.predict {
		c.Rates = blsupdate.ConstantRates(1, math.Inf(1))
	}
	return c, nil
}

func (set *crossoverSettings) run(ctx context.Context, command string, s streams) error {
	c, err := set.experiment()
	if err != nil {
		return err
	}
	return set.points(c, command).show(ctx, s)
}

// points is the experiment with what is shown of it. The rates are found first where it has none.
func (set *crossoverSettings) points(c *bench.Crossover, command string) points[bench.CrossoverPoint] {
	return points[bench.CrossoverPoint]{
		out: set.out, resume: set.resume, json: set.json, table: newCrossoverTable(c),
		machine: func() result.Machine { return result.Here(command, c.Backend) },
		keep:    func(out *results, p bench.CrossoverPoint) error { return out.line("crossover", p) },
		known: func(part *result.File) int {
			c.Done = append(c.Done, part.Crossovers...)
			return len(part.Crossovers)
		},
		done: c.Known,
		prepare: func(ctx context.Context, shown *progress, here func(func() error) error) (err error) {
			if c.Rates == nil {
				c.Rates, err = ratesFor(ctx, c.Backend, false, shown, here)
			}
			return err
		},
		run: c.Run,
	}
}

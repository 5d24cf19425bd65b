package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/bls"

	"github.com/spf13/cobra"
)

// paperSettings are the flags of paper.
type paperSettings struct {
	tables   []int
	dir      string
	embedded bool
	scale    float64
	methods  []string
	runs     int
	seed     uint64
	backend  string
	threads  int
	lambda   ridge
	shrink   float64
	heldOut  int
	zca      bool
	retrain  bool
	predict  bool
	out      string
	resume   bool
	json     bool
	command  string // line
}

const (
	// planner stands for the planner's choice among methods.
	planner = "planner"
	// leastScale keeps some samples, largestScale what memory may have.
	leastScale, largestScale = 1e-3, 10.0
	// mostRuns is beyond what anybody waits for.
	mostRuns = 1000
	// mostShrink is where tanh is a step for nearly all samples.
	mostShrink = 1e3
)

func newPaper(s streams) *cobra.Command {
	set := paperSettings{scale: 1, methods: []string{"original", "improved/paper", planner}, runs: 1, seed: 1, lambda: 0x1p-30, shrink: bls.DefaultShrink, predict: true}
	cmd := &cobra.Command{
		Use:   "paper --table N --data DIR",
		Short: "Run the paper's tables",
		Long: `Run one of the tables of "An Efficient Implementation to Compute the Pseudoinverse for
the Incremental Broad Learning System on Added Inputs", or several, with the paper's
settings. Table 1 has the flops of the steps that the paper speeds up, by its formulas
and as counted in an update. Tables 2 to 9 train on the first samples of MNIST (2 to 5)
or small NORB (6 to 9) and add the others in batches, by each of the methods: after
each step a row with the test accuracy, the time, and the speed-up of improved over
original as measured, by the flops, and in the paper. The times are those of the
features, the update and the weights.

improved/paper is the paper's method in the form that it prescribes, q x q for q <= k
and k x k for q > k; planner is what 'blskernel plan' chooses. Table 7 has q > k, but
the paper's figures for it are those of the q x q form, improved/small, which is
therefore run too unless --methods says otherwise.

DIR has the idx files of MNIST, the .mat files of small NORB, or folders mnist and norb
with them; see 'blskernel data'. Without the files of NORB its tables run on random
images of the same size: the times are real, the accuracies say "no data". --embedded
takes the embedded synthetic digits in place of MNIST.

At full size the tables take 3 to 25 minutes each on two cores and up to 20 GB;
--scale 0.1 takes seconds. --runs R repeats a table with R seeds for the mean and the
standard deviation of the accuracy, after the first by the planner's method alone, on
which the accuracy does not depend. With --out every row is on disk as soon as it is
finished, and after an interruption --resume goes on from the last one.`,
		Example: `  blskernel paper --table 1
  blskernel paper --table 2 --data mnist --out results/table2.jsonl
  blskernel paper --table 2 --data mnist --out results/table2.jsonl --resume
  blskernel paper --table 2 --data mnist --methods planner --runs 10
  blskernel paper --table 2 --data mnist --methods planner --held-out 10000 --lambda 2^-18 --shrink 1.6
  blskernel paper --table 2,3,4,5 --embedded --scale 0.05
  blskernel paper --table 7 --scale 0.1 --retrain --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set.command = commandLine(cmd)
			return set.run(cmd.Context(), cmd.Flags().Changed("methods"), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntSliceVar(&set.tables, "table", nil, "tables of the paper, 1 to 9")
	f.StringVar(&set.dir, "data", "", "folder of the data files")
	f.BoolVar(&set.embedded, "embedded", false, "take the embedded synthetic digits in place of MNIST")
	f.Float64Var(&set.scale, "scale", set.scale, "shrink l, q and k by this factor")
	f.StringSliceVar(&set.methods, "methods", set.methods, "methods, with forms as improved/small, or "+planner)
	f.IntVar(&set.runs, "runs", set.runs, "runs, each with a seed of its own, for the spread of the accuracy")
	f.Uint64Var(&set.seed, "seed", set.seed, "seed of the first run; the others follow it")
	f.StringVar(&set.backend, "backend", "", "pure or openblas; by default $BLSKERNEL_BACKEND, else openblas where it can be had, else pure")
	f.IntVar(&set.threads, "threads", 0, "most threads to use; 0 for all processors")
	f.Var(&set.lambda, "lambda", "ridge, as 1e-6 or 2^-18; the paper's is 2^-30")
	f.Float64Var(&set.shrink, "shrink", set.shrink, "largest input of an enhancement node; the paper's is 0.8")
	f.IntVar(&set.heldOut, "held-out", 0, "test on so many training samples, the last ones, and not on the test set; for choosing --lambda and --shrink")
	f.BoolVar(&set.zca, "zca", false, "whiten the images first, as the reference code does for NORB (minutes)")
	f.BoolVar(&set.retrain, "retrain", false, "measure solutions from scratch after each update, too")
	f.BoolVar(&set.predict, "predict", set.predict, "predict the times from the rates of this machine, which are measured once; otherwise the planner goes by flops")
	f.StringVar(&set.out, "out", "", "file for the results, as JSON lines")
	f.BoolVar(&set.resume, "resume", false, "go on with the run that --out has the rows of")
	f.BoolVar(&set.json, "json", false, "print the JSON lines instead of tables")
	return cmd
}

// check says which flag is wrong.
func (set *paperSettings) check() error {
	switch {
	case len(set.tables) == 0:
		return usageError{errors.New("--table is missing: name a table of the paper, 1 to 9")}
	case !(set.scale >= leastScale && set.scale <= largestScale):
		return usageError{fmt.Errorf("--scale is %v; want %v to %v", set.scale, leastScale, largestScale)}
	case set.runs < 1 || set.runs > mostRuns:
		return usageError{fmt.Errorf("--runs is %d; want 1 to %d", set.runs, mostRuns)}
	case set.threads < 0 || set.threads > mostSamples:
		return usageError{fmt.Errorf("--threads is %d; want 0 to %d", set.threads, mostSamples)}
	case !(set.lambda > 0) || math.IsInf(float64(set.lambda), 1):
		return usageError{fmt.Errorf("--lambda is %v; want a number above 0", &set.lambda)}
	case !(set.shrink > 0 && set.shrink <= mostShrink):
		return usageError{fmt.Errorf("--shrink is %v; want a number above 0, at most %v", set.shrink, mostShrink)}
	case set.heldOut < 0 || set.heldOut > mostSamples:
		return usageError{fmt.Errorf("--held-out is %d; want 0 to %d", set.heldOut, mostSamples)}
	case set.resume && set.out == "":
		return usageError{errors.New("--resume needs --out, the file of the rows that are done")}
	case set.embedded && set.dir != "":
		return usageError{errors.New("--embedded and --data exclude each other")}
	}
	for i, n := range set.tables {
		if _, ok := bench.LookupPaperTable(n); !ok && n != 1 {
			return usageError{fmt.Errorf("--table has %d; want 1 to 9", n)}
		}
		if slices.Contains(set.tables[:i], n) {
			return usageError{fmt.Errorf("--table has %d twice", n)}
		}
	}
	return nil
}

// variants returns the methods of a table, where the planner's choice takes the place of its name, and the index of that choice.
func (set *paperSettings) variants(t bench.PaperTable, changed bool, choice bench.Variant) ([]bench.Variant, int, error) {
	var names []string
	for _, name := range set.methods {
		if name == planner {
			name = choice.String()
		}
		if !slices.Contains(names, name) || name != choice.String() {
			names = append(names, name)
		}
		if name == "improved/paper" && t.Table == 7 && !changed {
			names = append(names, "improved/small")
		}
	}
	variants, err := parseVariants("methods", names)
	if err != nil {
		return nil, 0, err
	}
	index := slices.Index(variants, choice)
	if index < 0 {
		index = len(variants) - 1 // who leaves the planner out wants the last one for the further runs
	}
	return variants, index, nil
}

func (set *paperSettings) run(ctx context.Context, changed bool, s streams) error {
	if err := set.check(); err != nil {
		return err
	}
	b, err := lookupBackend("backend", set.backend)
	if err != nil {
		return err
	}
	if _, _, err := set.variants(bench.PaperTable{}, changed, bench.Variant{}); err != nil {
		return err
	}
	blskernel.SetThreads(set.threads)
	out, err := openResults(set.out, set.resume)
	if err != nil {
		return err
	}
	defer out.close()
	job := &paperJob{paperSettings: set, changed: changed, backend: b, out: out, streams: s, shown: newProgress(s.err, set.json)}
	defer job.shown.clear()
	job.shown.pause = time.Second // the steps of a small table are faster than that
	err = attend(ctx, job.shown, job.work)
	return errors.Join(explain(err), out.close())
}

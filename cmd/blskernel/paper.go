package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
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
	lambdas  []string
	shrinks  []string
	trials   []trial // the pairs of both
	heldOut  int
	zca      string
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

// paperMethods are run unless others are named.
var paperMethods = []string{"original", "improved/paper", planner}

func newPaper(s streams) *cobra.Command {
	set := paperSettings{scale: 1, methods: paperMethods, runs: 1, seed: 1, lambdas: []string{"2^-30"}, shrinks: []string{fmt.Sprint(bls.DefaultShrink)}, predict: true}
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
therefore run too unless --methods names others.

DIR has the idx files of MNIST, the .mat files of small NORB, or folders mnist and norb
with them; docs/data.md says where to get them. Without the files of NORB its tables run on random
images of the same size: the times are real, the accuracies say "no data". --embedded
takes the embedded synthetic digits in place of MNIST.

At full size the tables take 3 to 25 minutes each on two cores and up to 20 GB;
--scale 0.1 takes seconds. --runs R repeats a table with R seeds for the mean and the
standard deviation of the accuracy, after the first by the planner's method alone, or the
last one named where that is not among them: the accuracy does not depend on it. With
--out every row is on disk as soon as it is finished, and after an interruption --resume
goes on from the last one, by the methods that the file has.

--held-out N keeps the last N training samples from the training and tests on them, so
that --lambda and --shrink can be chosen without a look at the test set. Both take
several values then: every pair is run by the planner's method, unless --methods names
others, and what is printed is the accuracy of each after the last update, best first.`,
		Example: `  blskernel paper --table 1
  blskernel paper --table 2 --data mnist --out results/table2.jsonl
  blskernel paper --table 2 --data mnist --out results/table2.jsonl --resume
  blskernel paper --table 2 --data mnist --methods planner --runs 10
  blskernel paper --table 2 --data mnist --held-out 10000 --lambda 2^-16,2^-18,2^-20 --shrink 0.8,1.6 --runs 3 --out search.jsonl
  blskernel paper --table 2,3,4,5 --embedded --scale 0.05
  blskernel paper --table 7 --scale 0.1 --retrain --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set.command = fullCommandLine(cmd)
			return set.run(cmd.Context(), s)
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
	f.StringSliceVar(&set.lambdas, "lambda", set.lambdas, "ridge, as 1e-6 or 2^-18; the paper's is 2^-30; several to choose from with --held-out")
	f.StringSliceVar(&set.shrinks, "shrink", set.shrinks, "largest input of an enhancement node; the paper's is 0.8; several to choose from with --held-out")
	f.IntVar(&set.heldOut, "held-out", 0, "test on so many training samples, the last ones, and not on the test set; for choosing --lambda and --shrink")
	f.StringVar(&set.zca, "zca", "", "whiten the images first (minutes): reference, with the constants of the reference code for NORB, which whiten next to nothing, or unit, with such as whiten")
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
	case set.heldOut < 0 || set.heldOut > mostSamples:
		return usageError{fmt.Errorf("--held-out is %d; want 0 to %d", set.heldOut, mostSamples)}
	case set.resume && set.out == "":
		return errResume
	case set.zca != "" && zcaConstants[set.zca] == nil:
		return usageError{fmt.Errorf("--zca is %q; want reference or unit", set.zca)}
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
	var err error
	if set.trials, err = parseTrials(set.lambdas, set.shrinks); err != nil {
		return err
	}
	if len(set.trials) > 1 && set.heldOut == 0 {
		return usageError{fmt.Errorf("--lambda and --shrink make %d pairs to choose from, which needs --held-out: the test set is not for choosing", len(set.trials))}
	}
	return nil
}

// byDefault tells whether the methods are not named, or as they would be.
func (set *paperSettings) byDefault() bool { return slices.Equal(set.methods, paperMethods) }

// variants returns the methods of a table, where the planner's choice takes the place of its name.
func (set *paperSettings) variants(t bench.PaperTable, choice bench.Variant) ([]bench.Variant, error) {
	methods := set.methods
	if set.byDefault() && len(set.trials) > 1 {
		methods = []string{planner}
	}
	var names []string
	for _, name := range methods {
		if name == planner {
			name = choice.String()
		}
		if !slices.Contains(names, name) || name != choice.String() {
			names = append(names, name)
		}
		if name == "improved/paper" && t.Table == 7 && set.byDefault() {
			names = append(names, "improved/small")
		}
	}
	return parseVariants("methods", names)
}

func (set *paperSettings) run(ctx context.Context, s streams) error {
	if err := set.check(); err != nil {
		return err
	}
	b, err := lookupBackend("backend", set.backend)
	if err != nil {
		return err
	}
	if _, err := set.variants(bench.PaperTable{}, bench.Variant{}); err != nil {
		return err
	}
	blskernel.SetThreads(set.threads)
	var lines io.Writer
	if set.json {
		lines = s.out
	}
	out, err := openResults(s.fs, set.out, set.resume, lines)
	if err != nil {
		return err
	}
	out.machine = result.Here(set.command, b)
	job := &paperJob{paperSettings: set, backend: b, out: out, streams: s, shown: newProgress(s.err, set.json)}
	defer job.shown.clear()
	job.shown.pause = time.Second // the steps of a small table are faster than that
	err = attend(ctx, job.shown, job.work)
	return errors.Join(explainPaper(err), out.close())
}

// explainPaper puts an error of a table in terms of the flags where it is one that they can mend.
func explainPaper(err error) error {
	var samples *bench.SamplesError
	var scale *bls.ScaleError
	switch {
	case errors.As(err, &samples):
		return usageError{fmt.Errorf("%s has %d samples, and the table needs %d + %d x %d at this size: lower --scale or --held-out",
			samples.Name, samples.Have, samples.Initial, samples.Updates, samples.Batch)}
	case errors.As(err, &scale):
		return fmt.Errorf("%w (here: another --seed, or a larger --scale)", err)
	}
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"

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
	err = attend(ctx, job.shown, job.work)
	return errors.Join(explain(err), out.close())
}

// A paperJob is a run of the command under way.
type paperJob struct {
	*paperSettings
	changed bool
	backend blskernel.Backend
	out     *results
	streams
	shown *progress

	mnist, norb sets
}

// sets are the training and the test set of the data, where they have been loaded.
type sets struct {
	train, test *dataset.Images
	data        string
}

func (j *paperJob) work(ctx context.Context, here func(func() error) error) error {
	var rates *blsupdate.Rates
	var err error
	if j.predict && slices.ContainsFunc(j.tables, func(n int) bool { return n != 1 }) {
		if rates, err = ratesFor(ctx, j.backend, false, j.shown, here); err != nil {
			return err
		}
	}
	machine := result.Here(j.command, j.backend)
	if err := here(func() error { return j.line("machine", machine) }); err != nil {
		return err
	}
	for _, n := range j.tables {
		if n == 1 {
			err = j.flops(ctx, here)
		} else {
			err = j.table(ctx, here, n, rates)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// line keeps a line of results, and prints it where that is wanted.
func (j *paperJob) line(kind string, v any) error {
	if j.json {
		if err := result.Write(j.streams.out, kind, v); err != nil {
			return err
		}
	}
	return j.out.write(kind, v)
}

// table runs one of Tables 2 to 9.
func (j *paperJob) table(ctx context.Context, here func(func() error) error, n int, rates *blsupdate.Rates) error {
	t, _ := bench.LookupPaperTable(n)
	t = t.Scaled(j.scale)
	data, err := j.load(t, here)
	if err != nil {
		return err
	}
	if j.heldOut > 0 {
		if t, data, err = holdOut(t, data, j.heldOut); err != nil {
			return err
		}
	}
	p := &bench.Paper{
		Table: t, Shrink: j.shrink, HeldOut: j.heldOut, Scale: j.scale, Data: data.data, Train: data.train, Test: data.test,
		Update: blsupdate.Options{Lambda: float64(j.lambda), Workspace: t.Workspace(), Backend: j.backend}, Retrain: j.retrain, Rates: rates,
	}
	if j.zca {
		p.Whitening = &dataset.ZCAOptions{Backend: j.backend}
	}
	runs := j.runs
	if data.test == nil {
		runs = 1 // there is no accuracy that could differ
	}
	for i := range uint64(runs) {
		p.Seeds = append(p.Seeds, j.seed+i)
	}
	choice, err := bench.PlanVariant(t, p.Train.Classes, p.Update, rates)
	if err != nil {
		return err
	}
	if p.Variants, p.Planner, err = j.variants(t, j.changed, choice); err != nil {
		return err
	}
	head := p.Head()
	var begun bool
	if p.Done, begun, err = j.out.done(head); err != nil {
		return err
	}
	printer := newPaperTable(head)
	show := func(text string) error {
		if j.json {
			return nil
		}
		j.shown.clear()
		_, err := fmt.Fprint(j.streams.out, text)
		return err
	}
	err = here(func() error {
		if !begun {
			if err := j.line("table", head); err != nil {
				return err
			}
		}
		text := printer.head(j.backend)
		for _, row := range p.Done {
			text += printer.row(row)
		}
		return show(text)
	})
	if err != nil {
		return err
	}
	began := time.Now()
	var told time.Time
	err = p.Run(ctx, func(row bench.TableRow) error {
		return here(func() error {
			if err := j.line("row", row); err != nil {
				return err
			}
			return show(printer.row(row))
		})
	}, func(done, total float64, doing string) {
		if time.Since(told) < leastTold {
			return
		}
		told = time.Now()
		_ = here(func() error {
			j.shown.show(done/total, fmt.Sprintf("table %d, %s%s", n, doing, timeLeft(time.Since(began), done/total)))
			return nil
		})
	})
	if err != nil {
		return err
	}
	return here(func() error { return show(printer.foot()) })
}

// holdOut takes the last n samples of the training set for the test set, and from the table the updates that they are in.
func holdOut(t bench.PaperTable, data sets, n int) (bench.PaperTable, sets, error) {
	left := data.train.Len() - n
	if data.test == nil || left < t.Initial+t.Batch {
		return t, data, usageError{fmt.Errorf("--held-out is %d of %d samples with classes: table %d needs %d for the start and an update",
			n, data.train.Len(), t.Table, t.Initial+t.Batch)}
	}
	data.train, data.test = bench.HoldOut(data.train, n)
	t.Updates = min(t.Updates, (left-t.Initial)/t.Batch)
	return t, data, nil
}

// leastTold is the time between two messages of progress: the steps of a small table are faster than that.
const leastTold = time.Second

// leastKnown is the share of the work from which on the time that is left can be told.
const leastKnown = 0.03

// timeLeft says how long the rest takes if it goes on as before.
func timeLeft(since time.Duration, share float64) string {
	if !(share >= leastKnown && share < 1) {
		return ""
	}
	left := time.Duration(float64(since) * (1 - share) / share)
	if left < time.Minute {
		return fmt.Sprintf(", %.0f s left", math.Ceil(left.Seconds()))
	}
	return fmt.Sprintf(", %.0f min left", math.Ceil(left.Minutes()))
}

// The sizes at which Table 1 is counted, times --scale.
const flopsL, flopsK, flopsMany, flopsFew = 4000, 500, 1000, 300

// flops counts Table 1.
func (j *paperJob) flops(ctx context.Context, here func(func() error) error) error {
	scaled := func(n int) int { return max(1, int(math.Round(float64(n)*j.scale))) }
	for _, q := range []int{scaled(flopsMany), scaled(flopsFew)} {
		c, err := bench.PaperFlops(ctx, scaled(flopsL), scaled(flopsK), q, blsupdate.Options{Backend: j.backend}, j.seed)
		if err != nil {
			return err
		}
		err = here(func() error {
			if err := j.line("flops", c); err != nil || j.json {
				return err
			}
			j.shown.clear()
			return printFlops(j.streams.out, c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// load returns the data of a table.
func (j *paperJob) load(t bench.PaperTable, here func(func() error) error) (sets, error) {
	_ = here(func() error { j.shown.show(0, "reading the data"); return nil })
	if t.Data == bench.NORB {
		return j.loadNORB(t)
	}
	if j.mnist.train == nil {
		switch {
		case j.embedded:
			full, _ := bench.LookupPaperTable(2) // all tables of MNIST have as many samples
			n := full.Scaled(j.scale).Samples()
			j.mnist = sets{digits(n+n/10, j.seed), digits(max(1000, n/6), j.seed+1), bench.SyntheticDigits}
		case j.dir == "":
			return sets{}, usageError{errors.New("--data is missing: name the folder of MNIST's idx files (see 'blskernel data'), or give --embedded")}
		default:
			train, test, err := loadFrom(j.dir, "mnist", dataset.LoadMNIST)
			if err != nil {
				return sets{}, err
			}
			j.mnist = sets{train, test, bench.MNIST}
		}
	}
	return j.mnist, nil
}

// loadNORB returns small NORB, or random images where it is not there.
func (j *paperJob) loadNORB(t bench.PaperTable) (sets, error) {
	if j.norb.train == nil && j.dir != "" {
		train, test, err := loadFrom(j.dir, "norb", dataset.LoadNORB)
		switch {
		case err == nil:
			j.norb = sets{train, test, bench.NORB}
		case !errors.Is(err, fs.ErrNotExist):
			return sets{}, err
		}
	}
	if j.norb.train != nil {
		return j.norb, nil
	}
	return sets{train: bench.RandomNORB(t.Samples(), j.seed), data: bench.RandomImages}, nil
}

// loadFrom loads a set from a folder or from the one of the given name in it.
func loadFrom(dir, name string, load func(string) (train, test *dataset.Images, err error)) (train, test *dataset.Images, err error) {
	if inner := filepath.Join(dir, name); isFolder(inner) {
		dir = inner
	}
	return load(dir)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Package paper implements the paper command, which runs the paper's tables.
package paper

import (
	"context"
	"slices"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// paper holds the flags of the command, and the backend and machine of a run.
type paper struct {
	ui.Reporter
	ui.Compute
	tables   []int
	dir      string
	embedded bool
	size     float64
	methods  []string
	runs     int
	seed     uint64
	recipe   string
	lambda   float64
	shrink   float64
	zca      string
	retrain  bool

	backend blskernel.Backend
	machine result.Machine
}

const (
	// minSize and largestSize bound --size: some samples must be left, and all must fit in memory.
	minSize, largestSize = 1e-3, 10.0
	maxRuns              = 1000
	// maxShrink bounds --shrink. At this value tanh saturates for nearly all samples.
	maxShrink = 1e3
)

var paperMethods = []string{"original", "improved/paper", bench.PlannerSeries}

// New returns the paper command.
func New(s ui.Streams) *cobra.Command {
	code := bench.LookupRecipe(bench.RecipeCode)
	x := paper{methods: paperMethods, lambda: code.Lambda, runs: 1}
	cmd := &cobra.Command{
		Use:   "paper --table N --data DIR",
		Short: "Run the paper's tables",
		Long: `Run tables of "An Efficient Implementation to Compute the Pseudoinverse for the Incremental Broad
Learning System on Added Inputs" at the paper's sizes. Table 1 has the flops of the steps that the
paper speeds up, by its formulas and as counted in an update. Tables 2 to 9 train on the first
samples of MNIST (2 to 5) or small NORB (6 to 9) and add the others in batches, by each method. A
line for each step and method has the test accuracy, the time, and the speed-up over the first method.
The times include the features, the update and the weights. The tables of 'blskernel report' follow:
the speed-ups of improved over original (measured, by flops, and in the paper), the times of the
updates, and the accuracies. The rows of --json have the time and the flops of each part of a step,
and the FMA peak before and after the step.

There are two recipes for the ridge and the enhancement nodes. --recipe code follows the code that was
published with the first paper on the method: lambda = 2^-30, orthonormal weights, and inputs of tanh
scaled to at most s = 0.8. --recipe text follows the text of this paper: lambda -> 0, which gives the
pseudoinverse, and weights uniform in [-1, 1) without a scale.

improved/paper is the paper's method in the form that it prescribes, q x q for q <= k and k x k for
q > k; planner is the choice of 'blskernel plan'. Table 7 has q > k, but its speed-ups in the paper
fit the flops of the q x q form, improved/small. We infer that this form was measured, so Table 7 also
runs improved/small, unless --method is given.

DIR has the idx files of MNIST, the .mat files of small NORB, or folders mnist and norb with them;
docs/data.md says where to get them. Without NORB, its tables run on random images of the same size:
the times are real, but accuracies read "no data". --embedded uses synthetic digits instead of MNIST.

At full size the tables take 3 to 25 minutes each on two cores and up to 20 GB; --size 0.1 takes
seconds. --runs R repeats a table with R seeds: accuracies are means, with the standard deviation, and
times are medians. --json prints every row as soon as it is finished. After an interruption, run the
missing or incomplete tables, and write them to another file; 'blskernel report' reads several files.`,
		Example: `  blskernel paper --table 1
  blskernel paper --table 2 --data mnist --json >results/table2.jsonl
  blskernel paper --table 2 --data mnist --method planner --runs 10
  blskernel paper --table 2 --data mnist --recipe text --method improved
  blskernel paper --table 2,6 --embedded --size 0.1 --retrain`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x.follow(cmd.Flags())
			return x.do(cmd.Context(), ui.CommandLine(cmd, true), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	ui.Ints(cmd, &x.tables, "table", 1, 9, "tables of the paper, 1 to 9")
	f.StringVar(&x.dir, "data", "", "folder with the files of MNIST and small NORB")
	f.BoolVar(&x.embedded, "embedded", false, "use synthetic digits instead of MNIST")
	f.Float64Var(&x.size, "size", 1, "factor by which the numbers of samples and nodes are multiplied")
	ui.MethodFlag(cmd, &x.methods)
	ui.Int(cmd, &x.runs, "runs", 1, maxRuns, "number of runs, each with a different seed")
	ui.SeedFlag(cmd, &x.seed)
	ui.Choice(cmd, &x.recipe, "recipe", "source of the ridge and the enhancement nodes: code (the authors' code) or text (the paper's text)", bench.RecipeCode, bench.RecipeText)
	ui.LambdaFlag(cmd, &x.lambda, ", as in --recipe text")
	f.Float64Var(&x.shrink, "shrink", code.Shrink, "s, the largest input to the tanh of any enhancement node on the first batch; with --recipe text always 0, for no scaling")
	ui.Choice(cmd, &x.zca, "zca", "whiten the images first: reference, with the constants of the reference code for NORB, "+
		"which barely whiten pixels in [0, 1]; or unit, with constants that suit such pixels", "", bench.WhitenReference, bench.WhitenUnit)
	f.BoolVar(&x.retrain, "retrain", false, "in the first run, also measure a solution from scratch after each update")
	x.Compute.Register(cmd)
	x.Reporter.Register(cmd, `JSON lines, whose key "kind" is machine, table, row or flops,`)
	return cmd
}

// follow sets --lambda and --shrink to their values in the recipe, unless they were given.
func (x *paper) follow(f *pflag.FlagSet) {
	r := bench.LookupRecipe(x.recipe)
	if !f.Changed("lambda") {
		_ = f.Lookup("lambda").Value.Set(names.Ridge(r.Lambda)) // a valid ridge
	}
	if !f.Changed("shrink") {
		x.shrink = r.Shrink
	}
}

func (x *paper) check() (err error) {
	switch {
	case len(x.tables) == 0:
		return ui.Usagef("--table is missing: name a table of the paper, 1 to 9")
	case !(x.size >= minSize && x.size <= largestSize):
		return ui.Usagef("--size is %v; want %v to %v", x.size, minSize, largestSize)
	case x.lambda == 0 && x.recipe == bench.RecipeCode:
		return ui.Usagef("--lambda is 0; want a positive number, such as 1e-6 or 2^-18, or --recipe text")
	case x.shrink != 0 && x.recipe == bench.RecipeText:
		return ui.Usagef("--shrink is %v; want 0 with --recipe text, which has no scale", x.shrink)
	case x.recipe == bench.RecipeCode && !(x.shrink > 0 && x.shrink <= maxShrink):
		return ui.Usagef("--shrink is %v; want a positive number, at most %v", x.shrink, maxShrink)
	case x.embedded && x.dir != "":
		return ui.Usagef("--embedded and --data are mutually exclusive: leave one out")
	}
	_, err = x.variants(0, bench.Variant{Method: blsupdate.Improved}) // in place of the planner's choice
	return err
}

// variants returns the methods of a table, with choice in place of "planner" but not twice. For Table 7
// it adds improved/small to the default methods.
func (x *paper) variants(table int, choice bench.Variant) ([]bench.Variant, error) {
	var names []string
	for _, name := range x.methods {
		if name == bench.PlannerSeries {
			name = choice.String()
		}
		if !slices.Contains(names, name) || name != choice.String() {
			names = append(names, name)
		}
		if name == "improved/paper" && table == 7 && slices.Equal(x.methods, paperMethods) {
			names = append(names, "improved/small")
		}
	}
	return experiment.ParseVariants(names)
}

func (x *paper) do(ctx context.Context, command string, s ui.Streams) error {
	err := x.check()
	if err == nil {
		err = x.Begin(s)
	}
	if err == nil {
		x.backend, err = x.Lookup()
	}
	if err != nil {
		return err
	}
	x.machine = result.Here(command, x.backend)
	return x.Attend(ctx, x.run)
}

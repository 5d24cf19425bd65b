package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"

	"github.com/spf13/cobra"
)

const (
	// demoTest is the number of synthetic digits that the demo tests on.
	demoTest = 2000
	// demoMost bounds the number that it trains on, some 800 MB.
	demoMost = 1_000_000
)

// demoFlags are the flags of demo.
type demoFlags struct {
	ui.Reporter
	ui.Nodes
	ui.Compute
	initial, batch, updates int
	lambda                  ui.Ridge
	seed                    uint64
	methods                 []string
	dir                     string
	check                   bool
}

// NewDemo returns the command demo. Without flags it calls first before the comparison.
func NewDemo(s ui.Streams, first func(context.Context, ui.Streams) error) *cobra.Command {
	d := demoFlags{
		initial: 1000, batch: 1500, updates: 3,
		Nodes: ui.Nodes{Groups: 10, GroupNodes: 10, Enhancement: 200}, lambda: 0x1p-30,
		methods: []string{"original", "improved"},
	}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show how to train, predict, update and score, and compare the methods of updating",
		Long: `Without flags, show the commands that somebody uses first, train, predict, update and evaluate, with what
they print, on a table that is made up. Then, and with flags at once, compare the methods of updating.

The comparison trains a broad learning system on the first samples of a data set, updates it with batches
of further samples by each method, and prints a row after each step: samples so far, test accuracy, time
of the step, accumulated time, flops by the model and whether the counted ones agree, and the speed-up of
the last method over the first, in this step and in all updates so far. The times include the features,
which are computed once for all methods. No model is kept; train does that.

Without --data the samples are synthetic digits (distorted glyphs with noise, 28 x 28 pixels, 10
classes). They are no handwriting: the accuracy is no result on MNIST. --data names a folder with the
four idx files of MNIST, or of a set in its format, plain or gzip: train-images-idx3-ubyte,
train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte. Then, by default, 10000
samples come first, five batches of 10000 follow, and there are 1000 enhancement nodes.

Both methods find the same weights. By default the batches are larger than the number of nodes
(q > k), where improved saves most; --batch 150 shows q < k.`,
		Example: `  blskernel demo
  blskernel demo --batch 150 --updates 10
  blskernel demo --method original,improved/small --check --seed 7
  blskernel demo --data mnist --batch 1000 --updates 50 --method improved
  blskernel demo --backend pure --threads 1 --json`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().NFlag() == 0 {
				if err := first(cmd.Context(), s); err != nil {
					return err
				}
			}
			return d.do(cmd, s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&d.dir, "data", "", "folder of MNIST's idx files; by default synthetic digits")
	ui.Int(cmd, &d.initial, "initial", 1, ui.MostSamples, "samples of the first training")
	ui.Int(cmd, &d.batch, "batch", 1, ui.MostSamples, "samples that each update adds")
	ui.Int(cmd, &d.updates, "updates", 0, ui.MostSamples, "number of updates")
	d.Nodes.Register(cmd)
	ui.LambdaFlag(cmd, &d.lambda, ", by the exact pseudoinverse")
	ui.SeedFlag(cmd, &d.seed)
	ui.MethodFlag(cmd, &d.methods)
	f.BoolVar(&d.check, "check", false, "solve from scratch after each step and compare the weights (slow)")
	d.Compute.Register(cmd)
	d.Reporter.Register(cmd, "one JSON object for each step and method")
	return cmd
}

func (d *demoFlags) do(cmd *cobra.Command, s ui.Streams) error {
	ctx := cmd.Context()
	if d.dir != "" {
		d.forFiles(cmd.Flags().Changed)
	}
	e, err := d.experiment()
	if err != nil {
		return err
	}
	if err := ui.Interruptible(ctx, func() error { return d.load(e) }); err != nil {
		return err
	}
	if err := e.Validate(); err != nil {
		return explain(err, "--initial, --updates or --batch", "more --enhancement")
	}
	if err := d.Begin(s); err != nil {
		return err
	}
	t := newDemoTable(e)
	if err := d.Print(t.head()); err != nil {
		return err
	}
	defer d.Progress.Clear()
	err = d.Attend(ctx, func(ctx context.Context) error {
		return e.Run(ctx, func(step []bench.Row) error {
			for _, r := range step {
				if err := d.Object(r); err != nil {
					return err
				}
			}
			return d.Print(t.line(step))
		}, d.Part)
	})
	if err != nil {
		return explain(err, "--initial, --updates or --batch", "more --enhancement")
	}
	return d.Print(t.foot())
}

// forFiles gives sizes that were not set the values that suit MNIST.
func (d *demoFlags) forFiles(set func(flag string) bool) {
	for flag, v := range map[string]struct {
		value *int
		files int
	}{
		"initial": {&d.initial, 10000}, "batch": {&d.batch, 10000}, "updates": {&d.updates, 5}, "enhancement": {&d.Enhancement, 1000},
	} {
		if !set(flag) {
			*v.value = v.files
		}
	}
}

// experiment turns the flags into an experiment without data.
func (d *demoFlags) experiment() (*bench.Incremental, error) {
	if err := d.Nodes.Check(); err != nil {
		return nil, err
	}
	variants, err := parseVariants(d.methods)
	if err != nil {
		return nil, err
	}
	b, err := d.Lookup()
	if err != nil {
		return nil, err
	}
	return &bench.Incremental{
		Initial: d.initial, Batch: d.batch, Updates: d.updates, Check: d.check, Variants: variants,
		Features: bls.FeatureOptions{Groups: d.Groups, GroupNodes: d.GroupNodes, EnhancementNodes: d.Enhancement, Seed: d.seed},
		Update:   blsupdate.Options{Lambda: float64(d.lambda), Backend: b},
	}, nil
}

// load gives the experiment the files of the folder, or else digits.
func (d *demoFlags) load(e *bench.Incremental) (err error) {
	if d.dir != "" {
		e.Train, e.Test, err = dataset.LoadMNIST(d.dir)
		return err
	}
	n := int64(d.initial) + int64(d.updates)*int64(d.batch)
	if n > demoMost {
		return ui.Usagef("%d + %d x %d synthetic digits are wanted; want at most %d: lower --initial, --updates or --batch",
			d.initial, d.updates, d.batch, demoMost)
	}
	e.Train, e.Test = digits(int(n), d.seed), digits(demoTest, d.seed+1)
	return nil
}

// digits draws synthetic digits, and names them by their seed.
func digits(n int, seed uint64) *dataset.Images {
	images := dataset.Digits(n, seed)
	images.Name = fmt.Sprintf("%s of seed %d", images.Name, seed)
	return images
}

// demoTable has a line for each step, with the methods side by side.
type demoTable struct {
	e      *bench.Incremental
	groups []ui.Group[[]bench.Row]
	spread float64 // largest difference of accuracies in one step
	start  []bench.Row
	last   []bench.Row
}

func newDemoTable(e *bench.Incremental) *demoTable {
	var methods []string
	for _, v := range e.Variants {
		methods = append(methods, v.String())
	}
	type step = []bench.Row
	t := &demoTable{e: e}
	t.groups = []ui.Group[step]{
		ui.One("samples", func(s step) string { return fmt.Sprint(s[0].Samples) }),
		ui.Each("accuracy, %", methods, func(s step, i int) string { return ui.Hundredths(s[i].Accuracy) }),
		ui.Times("step, s", methods, func(s step, i int) float64 { return s[i].UpdateSeconds }),
		ui.Times("total, s", methods, func(s step, i int) float64 { return s[i].TotalSeconds }),
		ui.Times("Gflop by model", methods, func(s step, i int) float64 { return s[i].FlopsModel / 1e9 }),
		ui.One("counted", agreement),
	}
	if len(methods) > 1 {
		// The sum is that of the updates: methods are not compared by the start.
		t.groups = append(t.groups, ui.Group[step]{Title: "speed-up", Heads: []string{"step", "sum"}, Cells: func(s step) []string {
			if t.start == nil {
				return []string{"-", "-"}
			}
			last := len(s) - 1
			return []string{
				ui.Hundredths(s[0].UpdateSeconds / s[last].UpdateSeconds),
				ui.Hundredths(t.updates(s, 0) / t.updates(s, last)),
			}
		}})
	}
	return t
}

// agreement returns the largest difference of the counted flops from the model, or equal.
func agreement(step []bench.Row) string {
	var largest float64
	for _, r := range step {
		if d := r.FlopsCounted - r.FlopsModel; math.Abs(d) > math.Abs(largest) {
			largest = d
		}
	}
	if largest == 0 {
		return "equal"
	}
	return fmt.Sprintf("%+.0e", largest)
}

// head returns the settings and the heads of the columns.
func (t *demoTable) head() string {
	e := t.e
	f, lambda := e.Features, ui.Ridge(e.Update.Lambda)
	var b strings.Builder
	fmt.Fprintf(&b, "training   %s: %d images of %d x %d in %d classes\n",
		e.Train.Name, e.Train.Len(), e.Train.Rows, e.Train.Cols, e.Train.Classes)
	fmt.Fprintf(&b, "test       %s: %d images\n", e.Test.Name, e.Test.Len())
	fmt.Fprintf(&b, "nodes      k = %d: %d groups of %d feature nodes, %d enhancement nodes; seed %d\n",
		e.Nodes(), f.Groups, f.GroupNodes, f.EnhancementNodes, f.Seed)
	fmt.Fprintf(&b, "samples    %d, then %d updates of q = %d; lambda = %s\n", e.Initial, e.Updates, e.Batch, &lambda)
	return b.String() + backendLine(e.Update.Backend) + "\n" + ui.Heads(t.groups)
}

// line returns the line of a step, and a line for each check.
func (t *demoTable) line(step []bench.Row) string {
	var b strings.Builder
	b.WriteString(ui.Line(t.groups, step))
	for i, r := range step {
		t.spread = max(t.spread, math.Abs(r.Accuracy-step[0].Accuracy))
		if c := r.Check; c != nil {
			fmt.Fprintf(&b, "  %-9s W: rounding %.0e (bound %.0e, condition %.0e), bias against ridge %.0e",
				r.Variant, c.OneShotError, c.Bound, c.Condition, c.RidgeDifference)
			if i > 0 {
				fmt.Fprintf(&b, ", %.0e from %s", c.FirstMethodError, step[0].Variant)
			}
			b.WriteString("\n")
		}
	}
	if t.start == nil {
		t.start = step
	}
	t.last = step
	return b.String()
}

// updates returns the seconds of a method for all updates up to a step.
func (t *demoTable) updates(step []bench.Row, method int) float64 {
	return step[method].TotalSeconds - t.start[method].TotalSeconds
}

// foot compares the methods, if there are several.
func (t *demoTable) foot() string {
	var b strings.Builder
	for i := 1; i < len(t.last) && t.e.Updates > 0; i++ {
		fmt.Fprintf(&b, "\nupdates: %s took %s s, %s %s s: %.2f times the speed; accuracies differ by at most %.2f points\n",
			t.last[i].Variant, ui.Significant(t.updates(t.last, i)), t.last[0].Variant, ui.Significant(t.updates(t.last, 0)),
			t.updates(t.last, 0)/t.updates(t.last, i), t.spread)
	}
	return b.String()
}

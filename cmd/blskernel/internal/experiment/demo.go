package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
	ui.Nodes
	ui.Compute
	initial, batch, updates int
	lambda                  ui.Ridge
	seed                    uint64
	methods                 []string
	dir                     string
	json, check             bool
}

// NewDemo returns the command demo.
func NewDemo(s ui.Streams) *cobra.Command {
	d := demoFlags{
		Nodes: ui.Nodes{Groups: 10, GroupNodes: 10, Enhancement: 200}, lambda: 0x1p-30,
		methods: []string{"original", "improved"},
	}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Compare the methods of updating on digits, without any files",
		Long: `Train a broad learning system on the first samples of a data set, update it with batches of further
samples by each method, and print a row after each step: samples so far, test accuracy, time of the
step, accumulated time, flops by the model and whether the counted ones agree, and the speed-up of
the last method over the first, in this step and in all updates so far. The times include the
features, which are computed once for all methods. No model is kept; train does that.

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
		RunE: func(cmd *cobra.Command, _ []string) error { return d.do(cmd, s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&d.dir, "data", "", "folder of MNIST's idx files; by default synthetic digits")
	f.IntVar(&d.initial, "initial", 1000, "samples of the first training")
	f.IntVar(&d.batch, "batch", 1500, "samples that each update adds")
	f.IntVar(&d.updates, "updates", 3, "number of updates")
	d.Nodes.Register(cmd)
	ui.LambdaFlag(cmd, &d.lambda, ", by the exact pseudoinverse")
	ui.SeedFlag(cmd, &d.seed)
	ui.MethodFlag(cmd, &d.methods)
	f.BoolVar(&d.check, "check", false, "solve from scratch after each step and compare the weights (slow)")
	d.Compute.Register(cmd)
	ui.JSONFlag(cmd, &d.json, "one JSON object for each step and method")
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err)
	}
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
		return explainDemo(err)
	}
	t := newDemoTable(e)
	say := func(text string) error {
		if d.json {
			return nil
		}
		_, err := fmt.Fprint(s.Out, text)
		return err
	}
	if err := say(t.head()); err != nil {
		return err
	}
	bar := ui.NewProgress(s.Err, d.json)
	defer bar.Clear()
	err = ui.Attend(ctx, bar, func(ctx context.Context, p *ui.Printer) error {
		return e.Run(ctx, func(step []bench.Row) error {
			return p.Do(func() error {
				if !d.json {
					return say(t.line(step))
				}
				encoder := json.NewEncoder(s.Out)
				for _, r := range step {
					if err := encoder.Encode(r); err != nil {
						return err
					}
				}
				return nil
			})
		}, p.Part)
	})
	if err != nil {
		return explainDemo(err)
	}
	bar.Clear()
	return say(t.foot())
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
	err := ui.CheckRanges(ui.Range{Flag: "initial", Value: d.initial, Least: 1, Most: ui.MostSamples},
		ui.Range{Flag: "batch", Value: d.batch, Least: 1, Most: ui.MostSamples},
		ui.Range{Flag: "updates", Value: d.updates, Least: 0, Most: ui.MostSamples})
	if err != nil {
		return nil, err
	}
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

// explainDemo adds to an error of an experiment the flags that help.
func explainDemo(err error) error {
	var samples *bench.SamplesError
	var rank *blsupdate.RankError
	var scale *bls.ScaleError
	switch {
	case errors.As(err, &samples):
		return ui.Usagef("%s has %d samples and %d + %d x %d are wanted: lower --initial, --updates or --batch",
			samples.Name, samples.Have, samples.Initial, samples.Updates, samples.Batch)
	case errors.As(err, &rank):
		return ui.Usagef("--initial is %d, fewer samples than the %d nodes, and --lambda is not 0: raise --initial, lower --enhancement, --group-nodes or --groups, or set --lambda 0 for the exact pseudoinverse",
			rank.Samples, rank.Nodes)
	case errors.As(err, &scale):
		return fmt.Errorf("%w (here: another --seed or more --enhancement)", err)
	}
	return err
}

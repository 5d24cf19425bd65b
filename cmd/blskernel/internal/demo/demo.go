// Package demo implements the demo command, which shows the basic commands and compares methods.
package demo

import (
	"context"
	"errors"
	"fmt"

	"blskernel/bench"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
)

const (
	// demoTest is the number of synthetic digits that the demo tests on.
	demoTest = 2000
	// maxSamples bounds the number of synthetic digits to train on, which take 784 bytes each.
	maxSamples = 1_000_000
)

type demoFlags struct {
	ui.Reporter
	ui.Nodes
	ui.Compute
	initial, batch, updates int
	lambda                  float64
	seed                    uint64
	methods                 []string
	dir                     string
}

// New returns the demo command. run executes a command line and returns the exit status. Without flags,
// demo calls run to show the basic commands before the comparison.
func New(s ui.Streams, run func(context.Context, []string, ui.Streams) int) *cobra.Command {
	d := demoFlags{
		initial: 1000, batch: 1500, updates: 3,
		Nodes: ui.Nodes{Groups: 10, GroupNodes: 10, Enhancement: 200}, lambda: 0x1p-30,
		methods: []string{"original", "improved"},
	}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show how to train, predict, update and score, and compare the methods of updating",
		Long: `Without flags, first show the basic commands, train, predict, update and evaluate, with their output on a
made-up table. Then compare the methods of updating. With any flag, only compare them.

The comparison trains a broad learning system on the first samples of a data set, updates it with batches
of further samples by each method, and prints a line for each step and method: samples so far, test
accuracy, time of the step, accumulated time, flops by the flop model, whether the counted flops agree,
and the speed-up over the first method, in this step and in all updates so far. The times include the
features, which are computed once for all methods. The last lines say how far the weights W differ.
demo does not save a model; train does.

Without --data the samples are synthetic digits (distorted glyphs with noise, 28 x 28 pixels, 10
classes). They are not handwriting: the accuracy says nothing about MNIST. --data names a folder with the
four idx files of MNIST, or of a data set in its format, plain or gzipped: train-images-idx3-ubyte,
train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte.

The default methods find the same weights. By default the batches are larger than the number of nodes
(q > k), the case in which improved saves most. For the case q < k, use --batch 150.`,
		Example: `  blskernel demo
  blskernel demo --batch 150 --updates 10
  blskernel demo --method original,improved/small --seed 7
  blskernel demo --data mnist --initial 10000 --batch 10000 --updates 5 --enhancement 1000
  blskernel demo --backend pure --threads 1 --json`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().NFlag() == 0 {
				if err := showCommands(cmd.Context(), s, run); err != nil {
					return err
				}
			}
			return d.do(cmd, s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&d.dir, "data", "", "folder of MNIST's idx files; by default synthetic digits")
	ui.Int(cmd, &d.initial, "initial", 1, ui.MaxSamples, "number of samples to train on first")
	ui.Int(cmd, &d.batch, "batch", 1, ui.MaxSamples, "number of samples that each update adds")
	ui.Int(cmd, &d.updates, "updates", 0, ui.MaxSamples, "number of updates")
	ui.Int(cmd, &d.Groups, "groups", 1, ui.MaxNodes, "number of groups of feature nodes")
	ui.Int(cmd, &d.GroupNodes, "group-nodes", 1, ui.MaxNodes, "number of feature nodes in each group")
	ui.Int(cmd, &d.Enhancement, "enhancement", 0, ui.MaxNodes, "number of enhancement nodes")
	ui.LambdaFlag(cmd, &d.lambda, ", by the exact pseudoinverse")
	ui.SeedFlag(cmd, &d.seed)
	ui.MethodFlag(cmd, &d.methods)
	d.Compute.Register(cmd)
	d.Reporter.Register(cmd, "one JSON object for each step")
	return cmd
}

func (d *demoFlags) do(cmd *cobra.Command, s ui.Streams) error {
	ctx := cmd.Context()
	e, err := d.experiment()
	if err != nil {
		return err
	}
	if err := ui.Interruptible(ctx, func() error { return d.load(e) }); err != nil {
		return err
	}
	if err := e.Validate(); err != nil {
		return ui.Usagef("%w", experiment.Explain(err, "--initial"))
	}
	if err := d.Begin(s); err != nil {
		return err
	}
	t := experiment.NewStepTable(e.Variants)
	if err := d.Print(demoHead(e) + t.Heads()); err != nil {
		return err
	}
	err = d.Attend(ctx, func(ctx context.Context) error {
		return e.Run(ctx, func(row bench.TableRow) error {
			return errors.Join(d.Object(row), d.Print(t.Lines(row)))
		}, d.Show)
	})
	if err != nil {
		return err
	}
	return d.Print(t.Compared())
}

func (d *demoFlags) experiment() (*bench.Incremental, error) {
	if err := d.Nodes.Check(); err != nil {
		return nil, err
	}
	variants, err := experiment.ParseVariants(d.methods)
	if err != nil {
		return nil, err
	}
	b, err := d.Lookup()
	if err != nil {
		return nil, err
	}
	return &bench.Incremental{
		Initial: d.initial, Batch: d.batch, Updates: d.updates, Variants: variants,
		Features: bls.FeatureOptions{Groups: d.Groups, GroupNodes: d.GroupNodes, EnhancementNodes: d.Enhancement, Seed: d.seed},
		Update:   blsupdate.Options{Lambda: d.lambda, Backend: b},
	}, nil
}

// load sets the training and test images of e from the folder of --data, or to synthetic digits.
func (d *demoFlags) load(e *bench.Incremental) (err error) {
	if d.dir != "" {
		e.Train, e.Test, err = dataset.LoadMNIST(d.dir)
		return err
	}
	n := int64(d.initial) + int64(d.updates)*int64(d.batch)
	if n > maxSamples {
		return ui.Usagef("%d + %d x %d synthetic digits exceed the limit of %d: lower --initial, --updates or --batch",
			d.initial, d.updates, d.batch, maxSamples)
	}
	e.Train, e.Test = experiment.Digits(int(n), d.seed), experiment.Digits(demoTest, d.seed+1)
	return nil
}

func demoHead(e *bench.Incremental) string {
	f := e.Features
	return fmt.Sprintf("training   %s: %d images of %d x %d in %d classes\n",
		e.Train.Name, e.Train.Len(), e.Train.Rows, e.Train.Cols, e.Train.Classes) +
		fmt.Sprintf("test       %s: %d images\n", e.Test.Name, e.Test.Len()) +
		fmt.Sprintf("nodes      k = %d: %s of %s, %s; seed %d\n", e.Nodes(), ui.Count(f.Groups, "group"),
			ui.Count(f.GroupNodes, "feature node"), ui.Count(f.EnhancementNodes, "enhancement node"), f.Seed) +
		fmt.Sprintf("samples    %d, then %s of q = %d; lambda = %s\n", e.Initial, ui.Count(e.Updates, "update"), e.Batch, names.Ridge(e.Update.Lambda)) +
		experiment.BackendLine(e.Update.Backend) + "\n"
}

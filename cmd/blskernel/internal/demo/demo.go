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
	ui.Compute
	bench.Incremental
	methods []string
	dir     string
}

// New returns the demo command. run executes a command line and returns the exit status. Without flags,
// demo calls run to show the basic commands before the comparison.
func New(s ui.Streams, run func(context.Context, []string, ui.Streams) int) *cobra.Command {
	d := demoFlags{
		Incremental: bench.Incremental{
			Initial: 1000, Batch: 1500, Updates: 3, Update: blsupdate.Options{Lambda: 0x1p-30},
			Features: bls.FeatureOptions{Groups: 10, GroupNodes: 10, EnhancementNodes: 200},
		},
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
	ui.Int(cmd, &d.Initial, "initial", 1, ui.MaxSamples, "number of samples to train on first")
	ui.Int(cmd, &d.Batch, "batch", 1, ui.MaxSamples, "number of samples that each update adds")
	ui.Int(cmd, &d.Updates, "updates", 0, ui.MaxSamples, "number of updates")
	ui.Int(cmd, &d.Features.Groups, "groups", 1, ui.MaxNodes, "number of groups of feature nodes")
	ui.Int(cmd, &d.Features.GroupNodes, "group-nodes", 1, ui.MaxNodes, "number of feature nodes in each group")
	ui.Int(cmd, &d.Features.EnhancementNodes, "enhancement", 0, ui.MaxNodes, "number of enhancement nodes")
	ui.LambdaFlag(cmd, &d.Update.Lambda, ", by the exact pseudoinverse")
	ui.SeedFlag(cmd, &d.Features.Seed)
	ui.MethodFlag(cmd, &d.methods)
	d.Compute.Register(cmd)
	d.Reporter.Register(cmd, "one JSON object for each step")
	return cmd
}

func (d *demoFlags) do(cmd *cobra.Command, s ui.Streams) error {
	ctx := cmd.Context()
	if err := d.check(); err != nil {
		return err
	}
	if err := ui.Interruptible(ctx, d.load); err != nil {
		return err
	}
	if err := d.Validate(); err != nil {
		return ui.Usagef("%w", experiment.Explain(err, "--initial"))
	}
	if err := d.Begin(s); err != nil {
		return err
	}
	t := experiment.StepTable{Variants: d.Variants}
	if err := d.Print(demoHead(&d.Incremental) + t.Heads()); err != nil {
		return err
	}
	err := d.Attend(ctx, func(ctx context.Context) error {
		return d.Run(ctx, func(row bench.TableRow) error {
			return errors.Join(d.Object(row), d.Print(t.Lines(row)))
		}, d.Show)
	})
	if err != nil {
		return err
	}
	return d.Print(t.Compared())
}

func (d *demoFlags) check() (err error) {
	if err := ui.CheckNodes(d.Features); err != nil {
		return err
	}
	if d.Variants, err = experiment.ParseVariants(d.methods); err != nil {
		return err
	}
	d.Update.Backend, err = d.Lookup()
	return err
}

// load sets the training and test images from the folder of --data, or to synthetic digits.
func (d *demoFlags) load() (err error) {
	if d.dir != "" {
		d.Train, d.Test, err = dataset.LoadMNIST(d.dir)
		return err
	}
	n, seed := int64(d.Initial)+int64(d.Updates)*int64(d.Batch), d.Features.Seed
	if n > maxSamples {
		return ui.Usagef("%d + %d x %d synthetic digits exceed the limit of %d: lower --initial, --updates or --batch",
			d.Initial, d.Updates, d.Batch, maxSamples)
	}
	d.Train, d.Test = experiment.Digits(int(n), seed), experiment.Digits(demoTest, seed+1)
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

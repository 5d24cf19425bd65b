package main

import (
	"fmt"

	"blskernel/bench"
	"blskernel/dataset"

	"github.com/spf13/cobra"
)

const (
	// demoTest is the number of synthetic digits that the demo tests on.
	demoTest = 2000
	// demoMost bounds the number that it draws to train on, some 800 MB.
	demoMost = 1_000_000
)

func newDemo(s streams) *cobra.Command {
	set := settings{
		initial: 1000, batch: 1500, updates: 3,
		featureGroups: 10, groupNodes: 10, enhancementNodes: 200,
		lambda: 0x1p-30, seed: 1, methods: []string{"original", "improved"}, form: "auto",
	}
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Compare the methods of updating on digits, nothing needed",
		Long: `Train a broad learning system on the first samples of a data set, update it with
batches of further samples by each of the chosen methods, and print a row after
each step: samples so far, test accuracy, time of the step, accumulated time, flops
by the model and whether as many were counted, and the speed-up of the last method
over the first, in this step and in all updates so far. The times include the
features, which are computed once for all methods. No model is kept; train does that.

Without --data the samples are synthetic digits (distorted glyphs with noise, 28 x 28
pixels, 10 classes). They are not handwriting: the accuracy is no result on MNIST. With
--data they are those of a folder that has the four idx files of MNIST or of a set made
after it, plain or gzip: train-images-idx3-ubyte, train-labels-idx1-ubyte,
t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte. Then 10000 samples come first and
five batches of 10000 follow, with 1000 enhancement nodes, unless the flags say
something else.

Both methods find the same weights. By default the batches are larger than the
number of nodes (q > k), where improved saves most; --batch 150 shows q < k.`,
		Example: `  blskernel demo
  blskernel demo --batch 150 --updates 10
  blskernel demo --form small --check --seed 7
  blskernel demo --data mnist --batch 1000 --updates 50 --methods improved
  blskernel demo --backend pure --threads 1 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir != "" {
				set.forFiles(cmd.Flags().Changed)
			}
			e, err := set.experiment()
			if err != nil {
				return err
			}
			err = interruptible(cmd.Context(), func() error { return set.load(e, dir) })
			if err != nil {
				return err
			}
			return runIncremental(cmd.Context(), e, set.json, s)
		},
	}
	cmd.Flags().StringVar(&dir, "data", "", "folder of the idx files; by default synthetic digits")
	set.register(cmd)
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err)
	}
	return cmd
}

// forFiles makes the sizes that were not given those that suit MNIST.
func (s *settings) forFiles(given func(flag string) bool) {
	for flag, v := range map[string]struct {
		value *int
		files int
	}{
		"initial": {&s.initial, 10000}, "batch": {&s.batch, 10000}, "updates": {&s.updates, 5}, "enhancement-nodes": {&s.enhancementNodes, 1000},
	} {
		if !given(flag) {
			*v.value = v.files
		}
	}
}

// load gives the experiment the files of a folder, or digits if there is none.
func (s *settings) load(e *bench.Incremental, dir string) (err error) {
	if dir != "" {
		e.Train, e.Test, err = dataset.LoadMNIST(dir)
		return err
	}
	n := int64(s.initial) + int64(s.updates)*int64(s.batch)
	if n > demoMost {
		return usageError{fmt.Errorf("%d + %d x %d synthetic digits are wanted; at most %d can be had: lower --initial, --updates or --batch", s.initial, s.updates, s.batch, demoMost)}
	}
	e.Train, e.Test = digits(int(n), s.seed), digits(demoTest, s.seed+1)
	return nil
}

// digits draws synthetic digits that are called by their seed, which tells the sets apart.
func digits(n int, seed uint64) *dataset.Images {
	d := dataset.Digits(n, seed)
	d.Name = fmt.Sprintf("%s of seed %d", d.Name, seed)
	return d
}

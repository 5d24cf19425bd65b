package main

import (
	"fmt"

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
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Train on the embedded synthetic digits, nothing needed",
		Long: `Draw synthetic digits (distorted glyphs with noise, 28 x 28 pixels, 10 classes), train a
broad learning system on the first of them and update it with the others, as
'blskernel train' does with data files. They are not handwriting: the accuracy is no
result on MNIST.

Both methods find the same weights. By default the batches are larger than the
number of nodes (q > k), where improved saves most; --batch 150 shows q < k.`,
		Example: `  blskernel demo
  blskernel demo --batch 150 --updates 10
  blskernel demo --form small --check --seed 7
  blskernel demo --backend pure --threads 1 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := set.experiment()
			if err != nil {
				return err
			}
			n := int64(set.initial) + int64(set.updates)*int64(set.batch)
			if n > demoMost {
				return usageError{fmt.Errorf("%d + %d x %d synthetic digits are wanted; at most %d can be had: lower --initial, --updates or --batch", set.initial, set.updates, set.batch, demoMost)}
			}
			err = interruptible(cmd.Context(), func() error {
				e.Train, e.Test = digits(int(n), set.seed), digits(demoTest, set.seed+1)
				return nil
			})
			if err != nil {
				return err
			}
			return runIncremental(cmd.Context(), e, set.json, s)
		},
	}
	set.register(cmd)
	return cmd
}

// digits draws synthetic digits that are called by their seed, which tells the sets apart.
func digits(n int, seed uint64) *dataset.Images {
	d := dataset.Digits(n, seed)
	d.Name = fmt.Sprintf("%s of seed %d", d.Name, seed)
	return d
}

package main

import (
	"errors"

	"blskernel/dataset"

	"github.com/spf13/cobra"
)

func newTrain(s streams) *cobra.Command {
	set := settings{
		initial: 10000, batch: 10000, updates: 5,
		featureGroups: 10, groupNodes: 10, enhancementNodes: 1000,
		lambda: 0x1p-30, seed: 1, methods: []string{"original", "improved"}, form: "auto",
	}
	var dir string
	cmd := &cobra.Command{
		Use:   "train --data DIR",
		Short: "Train on idx files and update with added samples",
		Long: `Train a broad learning system on the first samples of a data set, update it with
batches of further samples by each of the chosen methods, and print a row after
each step: samples so far, test accuracy, time of the step, accumulated time, flops
by the model and whether as many were counted, and the speed-up of the last method
over the first, in this step and in all updates so far. The times include the
features, which are computed once for all methods.

DIR has the four idx files of MNIST or of a set made after it, plain or gzip:
train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
t10k-labels-idx1-ubyte.`,
		Example: `  blskernel train --data mnist
  blskernel train --data mnist --batch 1000 --updates 50 --methods improved
  blskernel train --data mnist --initial 2000 --batch 500 --updates 3 --enhancement-nodes 300 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usageError{errors.New("--data is missing: name the folder of the idx files")}
			}
			e, err := set.experiment()
			if err != nil {
				return err
			}
			err = interruptible(cmd.Context(), func() (err error) {
				e.Train, e.Test, err = dataset.LoadMNIST(dir)
				return err
			})
			if err != nil {
				return err
			}
			return runIncremental(cmd.Context(), e, set.json, s)
		},
	}
	cmd.Flags().StringVar(&dir, "data", "", "folder of the idx files")
	set.register(cmd)
	return cmd
}

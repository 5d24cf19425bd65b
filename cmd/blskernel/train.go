package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// trainSettings are the flags of train.
type trainSettings struct {
	source  sourceSettings
	model   modelSettings
	compute computeSettings
	talk    talkSettings

	out        string
	task       string
	classes    []string
	scan       bool
	first      int
	batch      batchRows
	checkpoint interval
	resume     bool
}

func newTrain(s streams) *cobra.Command {
	var set trainSettings
	cmd := &cobra.Command{
		Use:   "train --out MODEL [flags] FILE...",
		Short: "Train a model on files of any size and keep it",
		Long: `Train a broad learning system on CSV, NumPy .npy and .npz or idx files, plain or gzip,
or on standard input (-), and write it to a model file. The rows are read and learned
batch by batch, so that the memory depends on the number of nodes k and on two batches,
of which each takes 8 (d + k) bytes for each of its rows with d inputs, and not on the
number of rows; with the methods improved and original it does depend on that, since
they keep a matrix of rows x k. With very many columns it is the first batch that takes
the most: --first makes it smaller.

The feature maps are fitted to the first batch, of --first rows, and do not change
afterwards: let the rows be in no order that matters, and above all not sorted by their
labels. The classes too are those of the first batch, unless --classes lists them or
--scan reads the files once before to find them; a label that comes up later is an error.

--task is not needed for idx files, which are a classification, and for data whose
labels are words, or whose targets are numbers with fractions. Whole numbers may be
either.

With --checkpoint the model is written again and again while it learns. If the training
is stopped, the same command with --resume goes on after the last checkpoint, and the
result is to the last bit that of a training that was never stopped. The rows up to the
checkpoint are read again, and must be those that were learned; rows after it may have
been corrected or added meanwhile. Of standard input and pipes, which cannot be read
again, a checkpoint keeps what was learned, but nothing can go on with it.`,
		Example: `  blskernel train --out iris.bls --target species iris.csv
  blskernel train --out price.bls --target price --task regression --inputs 2-9 houses.csv
  blskernel train --out digits.bls --enhancement 1000 --data mnist
  blskernel train --out x.bls --targets-file y.npy --task classification X.npy
  blskernel train --out big.bls --target label --checkpoint 1m --resume part1.csv.gz part2.csv.gz
  cat log.csv | blskernel train --out log.bls --target 51 --task regression -`,
		ValidArgsFunction: completeData,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd, args, s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&set.out, "out", "", "the model file; one that is there is replaced when the new one, or its first checkpoint, is complete")
	f.StringVar(&set.task, "task", "", "classification or regression")
	set.source.register(cmd, "training")
	f.StringSliceVar(&set.classes, "classes", nil, "labels of all classes; by default those of the first batch")
	f.BoolVar(&set.scan, "scan", false, "read the files once before, to find all classes")
	set.model.register(cmd)
	f.IntVar(&set.first, "first", 0, "rows of the first batch, to which the feature maps are fitted; 0 for the larger of a batch and twice the nodes")
	set.batch.register(cmd)
	f.Var(&set.checkpoint, "checkpoint", "write the model whenever so many rows have been learned, as 100000, or so much time has passed, as 5m, and when interrupted")
	f.BoolVar(&set.resume, "resume", false, "go on after the last checkpoint in --out; the flags and files must be those of before")
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object, and one for each checkpoint,")
	complete(cmd, "task", "classification", "regression")
	completeFile(cmd, "out", modelExtension)
	return cmd
}

// The values of --task.
const (
	classification = "classification"
	regression     = "regression"
)

func (set *trainSettings) run(cmd *cobra.Command, args []string, s streams) error {
	ctx := cmd.Context()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := set.check(); err != nil {
		return err
	}
	opt, err := set.source.options(args)
	if err != nil {
		return err
	}
	if once := set.source.once(); set.scan && once != "" {
		return usageError{fmt.Errorf("--scan reads the data twice, which %s cannot be: list the labels by --classes", once)}
	}
	if set.resume {
		if err := set.source.checkResume(); err != nil {
			return err
		}
	}
	b, err := set.compute.lookup()
	if err != nil {
		return err
	}
	if err := checkReplaceable(set.out); err != nil {
		return err
	}
	lock, err := lockModel(s.fs, set.out)
	if err != nil {
		return err
	}
	defer lock.release()
	st, err := newStanding(cmd, b, &set.source)
	if err != nil {
		return err
	}
	t := set.talk.begin(s)
	defer t.shown.clear()
	warnOnce(t, set.checkpoint, st)
	return (&training{set: set, talk: t, backend: b, standing: st, fs: s.fs}).run(ctx, opt)
}

// check says which flag is wrong.
func (set *trainSettings) check() error {
	if set.out == "" {
		return usageError{errors.New("--out is missing: name the file for the model")}
	}
	if err := checkStandardOutput(set.out); err != nil {
		return err
	}
	if set.first < 0 || set.first > mostSamples {
		return usageError{fmt.Errorf("--first is %d; want 0 to %d", set.first, mostSamples)}
	}
	if err := set.batch.check(); err != nil {
		return err
	}
	if !slices.Contains([]string{"", classification, regression}, set.task) {
		return usageError{fmt.Errorf("--task is %q; want %s or %s", set.task, classification, regression)}
	}
	if len(set.classes) > 0 {
		seen := map[string]bool{}
		for _, label := range set.classes {
			if seen[label] {
				return usageError{fmt.Errorf("--classes has %q twice", label)}
			}
			seen[label] = true
		}
		if set.scan {
			return usageError{errors.New("--classes and --scan contradict each other: leave one out")}
		}
		if set.task == "" {
			set.task = classification
		}
	}
	if set.task == regression && (len(set.classes) > 0 || set.scan) {
		return usageError{errors.New("--classes and --scan are about a classification, and --task is regression")}
	}
	if err := set.talk.check(); err != nil {
		return err
	}
	return set.model.check()
}

// firstRows returns the number of rows of the first batch, batch being that of the others.
func (set *trainSettings) firstRows(batch int) int {
	if set.first > 0 {
		return set.first
	}
	return max(batch, 2*set.model.nodes())
}

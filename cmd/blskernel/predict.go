package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// predictSettings are the flags of predict.
type predictSettings struct {
	source  sourceSettings
	compute computeSettings
	talk    talkSettings

	out    string
	scores bool
	batch  int
}

func newPredict(s streams) *cobra.Command {
	var set predictSettings
	cmd := &cobra.Command{
		Use:   "predict MODEL [flags] FILE...",
		Short: "Predict the labels or targets of samples",
		Long: `Predict the labels or targets of the rows of files, and print them as CSV, a line for
each row in their order, after a line with the names of the columns. Labels are those of
the data that the model was trained on. The rows are read and written as they come, so
that the memory does not depend on their number.

With --scores the scores of all classes follow the label. They approximate 1 for the
class of a sample and -1 for the others, and are no probabilities. With --json there is
an object for each row.

Columns are matched by their names where the model and the data have names, else by their
order; a column of labels or targets that the data has too need not be left out if it has
the name that it had in the training, or is named by --target.`,
		Example: `  blskernel predict iris.bls flowers.csv
  blskernel predict iris.bls --scores flowers.csv > scores.csv
  blskernel predict digits.bls --out labels.npy --data mnist
  head -n 100 flowers.csv | blskernel predict iris.bls -`,
		ValidArgsFunction: completeModelAndData,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd.Context(), args, s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&set.out, "out", "", "file for the predictions, CSV, or NumPy if its name ends in .npy; by default CSV on standard output")
	f.BoolVar(&set.scores, "scores", false, "the scores of all classes too; in an .npy file, instead")
	set.source.register(cmd, "test")
	f.IntVar(&set.batch, "batch", defaultBatch, "rows of a batch")
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object for each row")
	completeFile(cmd, "out", "csv", "npy")
	completeFile(cmd, "data", dataExtensions...)
	completeFile(cmd, "targets-file", dataExtensions...)
	return cmd
}

func (set *predictSettings) run(ctx context.Context, args []string, s streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	path, args, err := modelArgument(args)
	if err != nil {
		return err
	}
	if err := set.talk.check(); err != nil {
		return err
	}
	if err := checkBatch(set.batch); err != nil {
		return err
	}
	if set.talk.json && isNPY(set.out) {
		return usageError{errors.New("--json is about text, and --out is an .npy file: leave one out")}
	}
	opt, err := set.source.options(args)
	if err != nil {
		return err
	}
	b, err := set.compute.lookup()
	if err != nil {
		return err
	}
	t := set.talk.begin(s)
	t.shown.quiet = t.shown.quiet || set.out == ""
	if set.out == "" {
		t.shown.bar = nil // the predictions go by
	}
	defer t.shown.clear()
	model, err := loadModel(ctx, path, b)
	if err != nil {
		return err
	}
	if set.scores && model.Classifier == nil {
		return usageError{fmt.Errorf("--scores are those of classes, and %s is a regression: leave it out", path)}
	}
	if what := unfinished(&model.Metadata); what != "" {
		t.warn("%s is %s", path, what)
	}
	r, err := openForX(ctx, model, &set.source, opt)
	if err != nil {
		return err
	}
	out, err := set.newWriter(model, s.out)
	if err != nil {
		return err
	}
	defer out.abort()
	begun := time.Now()
	rows, err := eachBatch(ctx, t, r, set.batch, func(f fetched) error {
		scores, err := model.scores(ctx, f.batch.X)
		if err != nil {
			return explainLearning(err)
		}
		return out.rows(f.batch.First, scores)
	})
	if err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	t.explain("predicted %s in %.2f s", counted(int(rows), "row"), time.Since(begun).Seconds())
	return nil
}

// checkBatch says whether --batch can be.
func checkBatch(rows int) error {
	if rows < 1 || rows > mostSamples {
		return usageError{fmt.Errorf("--batch is %d; want 1 to %d", rows, mostSamples)}
	}
	return nil
}

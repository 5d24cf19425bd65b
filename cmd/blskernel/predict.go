package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	batch  batchRows
}

func newPredict(s streams) *cobra.Command {
	var set predictSettings
	cmd := &cobra.Command{
		Use:   "predict MODEL [flags] FILE...",
		Short: "Predict the labels or targets of samples",
		Long: `Predict the labels or targets of the rows of files, and print them as CSV, a line for
each row in their order, after a line with the names of the columns. Labels are those of
the data that the model was trained on. The rows are read and written batch by batch, so
that the memory does not depend on their number.

With --scores the scores of all classes follow the label. They approximate 1 for the
class of a sample and -1 for the others, and are no probabilities. With --json there is
an object for each row.

Columns are matched by their names where the model and the data have names, else by their
order; a column of labels or targets that the data has too need not be left out if it has
the name that it had in the training, or is named by --target. Columns that --inputs or
--target choose are taken in the order given, unless their names are those of the model:
then they are put in its order.`,
		Example: `  blskernel predict iris.bls flowers.csv
  blskernel predict iris.bls --scores flowers.csv > scores.csv
  blskernel predict digits.bls --out labels.npy --data mnist
  head -n 100 flowers.csv | blskernel predict iris.bls -`,
		ValidArgsFunction: completeModelAndData,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd.Context(), args, s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&set.out, "out", "", "file for the predictions: CSV (.csv, .txt), NumPy (.npy), or with --json .json, .jsonl, .ndjson; by default, and for -, standard output")
	f.BoolVar(&set.scores, "scores", false, "the scores of all classes too; in an .npy file, instead")
	set.source.register(cmd, "test")
	set.batch.register(cmd)
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object for each row")
	completeFile(cmd, "out", "csv", "npy")
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
	if err := errors.Join(set.talk.check(), set.batch.check()); err != nil {
		return err
	}
	if err := set.checkOut(); err != nil {
		return err
	}
	opt, err := set.source.options(args)
	if err != nil {
		return err
	}
	if set.out != "" {
		if err := checkOutput(set.out, append(set.source.all(), path)...); err != nil {
			return err
		}
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
	r, err := openMatched(ctx, model, &set.source, opt, false)
	if err != nil {
		return err
	}
	out, err := set.newWriter(model, s)
	if err != nil {
		return err
	}
	defer out.abort()
	begun := time.Now()
	rows, err := eachBatch(ctx, t, r, set.batch, func(f fetched) error {
		scores, err := model.scores(ctx, f.batch)
		if err != nil {
			return explainLearning(err)
		}
		return out.rows(f.batch, scores)
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

// checkOut returns an error unless the name of --out is one for what is to be written. That of standard
// output becomes empty.
func (set *predictSettings) checkOut() error {
	if set.out == standardInput {
		set.out = ""
	}
	extension := strings.ToLower(filepath.Ext(set.out))
	switch {
	case set.talk.json && isNPY(set.out):
		return usageError{errors.New("--json is about text, and --out is an .npy file: leave one out")}
	case set.talk.json && !slices.Contains([]string{"", ".json", ".jsonl", ".ndjson", ".txt"}, extension):
		return usageError{fmt.Errorf("--out is %q; want a name that ends in .jsonl, .ndjson, .json or .txt, since --json is given", set.out)}
	case !set.talk.json && !slices.Contains([]string{"", ".csv", ".txt", ".npy"}, extension):
		return usageError{fmt.Errorf("--out is %q; want a name that ends in .csv, .txt or .npy", set.out)}
	}
	return nil
}

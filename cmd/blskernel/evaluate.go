package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// evaluateSettings are the flags of evaluate.
type evaluateSettings struct {
	source  sourceSettings
	compute computeSettings
	talk    talkSettings
	batch   batchRows
}

func newEvaluate(s streams) *cobra.Command {
	var set evaluateSettings
	cmd := &cobra.Command{
		Use:   "evaluate MODEL [flags] FILE...",
		Short: "Compare what a model predicts with what is known",
		Long: `Predict the labels or targets of the rows of files that have them, and say how well that
went. For a classification: the accuracy, for each class the precision (the share of the
rows predicted to be of the class that are), the recall (the share of the rows of the
class that were found) and F1 (the harmonic mean of both), and the confusion matrix. For
a regression, for each target: the root of the mean squared error, the mean absolute
error, and R2, the share of the variance of the target that the model explains.

A label that the model does not know is a miss. Columns are matched as by predict.`,
		Example: `  blskernel evaluate iris.bls test.csv
  blskernel evaluate digits.bls --data mnist
  blskernel evaluate price.bls --target price --json houses.csv`,
		ValidArgsFunction: completeModelAndData,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd.Context(), args, s) },
	}
	cmd.Flags().SortFlags = false
	set.source.register(cmd, "test")
	set.batch.register(cmd)
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object")
	return cmd
}

// An assessment compares predictions with what is known.
type assessment interface {
	// add compares those of a batch.
	add(ctx context.Context, model *learner, f fetched) error
	// text and object return the result for people and for machines.
	text() string
	object() any
}

func (set *evaluateSettings) run(ctx context.Context, args []string, s streams) error {
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
	opt, err := set.source.options(args)
	if err != nil {
		return err
	}
	b, err := set.compute.lookup()
	if err != nil {
		return err
	}
	t := set.talk.begin(s)
	defer t.shown.clear()
	model, err := loadModel(ctx, path, b)
	if err != nil {
		return err
	}
	if what := unfinished(&model.Metadata); what != "" {
		t.warn("%s is %s", path, what)
	}
	model.labelsIn = set.source.targetsFile
	r, err := openMatched(ctx, model, &set.source, opt, true)
	if err != nil {
		return err
	}
	a := newAssessment(model)
	rows, err := eachBatch(ctx, t, r, set.batch, func(f fetched) error { return a.add(ctx, model, f) })
	if err != nil {
		return err
	}
	if rows == 0 {
		return errNoRows
	}
	t.shown.clear()
	if t.json {
		return t.object(a.object())
	}
	_, err = io.WriteString(s.out, a.text())
	return err
}

// newAssessment returns one for the kind of the model.
func newAssessment(model *learner) assessment {
	if model.Classifier != nil {
		return newConfusion(model.labels())
	}
	return newErrors(model.targetNames())
}

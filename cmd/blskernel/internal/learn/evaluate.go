package learn

import (
	"context"
	"errors"
	"fmt"
	"math"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"

	"github.com/spf13/cobra"
)

// An evaluation has the flags of evaluate.
type evaluation struct{ reading }

// NewEvaluate returns the command evaluate.
func NewEvaluate(s ui.Streams) *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "evaluate MODEL [flags] FILE...",
		Short: "Measure how well a model predicts",
		Long: fmt.Sprintf(`Predict the labels or targets of rows that have them, and report the quality. For a classification:
the accuracy; for each class the precision (the share of the rows predicted as the class that are),
the recall (the share of the rows of the class that were found) and F1 (the harmonic mean of both),
and their macro means, in which each class has the same weight; the AUC (how probably the score of
a class is higher for a row of it than for another), with more than two classes the mean over the
classes; the log loss of the probabilities and their calibration error (how far the share that is
right lies from the probability of the prediction, in ten bins); and the confusion matrix. With
--weight a row counts as many times as its weight says. For a regression, for each target: the root
mean squared error, the mean absolute error, and R2, the share of the variance of the target that the
model explains.

Memory does not depend on the rows, but with more than %d classes: there each pair of a class and a
wrong prediction that occurs takes up to 40 bytes, and --json lists these pairs in place of the matrix,
as "confused": objects with "label", "prediction" and "rows", which take more. The AUC is of all rows
up to %d for two classes, %d for ten, and else of so many rows drawn from all, the same ones in every
run.

A label that the model does not know counts as wrong. Columns are matched as by predict.`, mostSquared, aucNumbers/4, aucNumbers/12),
		Example: `  blskernel evaluate iris.bls test.csv
  blskernel evaluate digits.bls --data mnist
  blskernel evaluate price.bls --target price --json houses.csv`,
		Args: modelFirst(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error { return e.do(cmd.Context(), args, s) },
	}
	cmd.Flags().SortFlags = false
	e.registerData(cmd, "test", defaultBatch)
	e.registerWeight(cmd)
	e.register(cmd, "one JSON object")
	return cmd
}

// A score compares predictions with the known labels or targets, batch by batch.
type score interface {
	add(m *model.Model, b *stream.Batch, scores *mat.Dense) error
	result() quality
}

// A quality is the result of a score, also as JSON.
type quality interface {
	String() string
	brief() string // in one line
}

// newScore returns the score of so many rows to come, -1 if unknown, before the first.
func newScore(m *model.Model, rows int64) (score, error) {
	if m.Classifier != nil {
		return newClassScore(m, rows)
	}
	return newErrorScore(m.TargetNames()), nil
}

// weightOf returns the weight of a row of a batch, 1 without weights.
func weightOf(b *stream.Batch, i int) float64 {
	if b.Weights == nil {
		return 1
	}
	return b.Weights[i]
}

// weighty returns an error if the rows of a score weigh nothing.
func weighty(q quality) error {
	if c, ok := q.(*Classification); ok && math.IsNaN(c.Accuracy) {
		return errors.New("the rows weigh nothing, so there is nothing to measure")
	}
	return nil
}

// assess adds the predictions of a batch to a score.
func assess(ctx context.Context, m *model.Model, to score, b *stream.Batch) error {
	if b.Labels == nil && b.Y == nil {
		return errNoTargets
	}
	scores, err := m.Scores(ctx, b)
	if err != nil {
		return err
	}
	return to.add(m, b, scores)
}

func (e *evaluation) do(ctx context.Context, args []string, s ui.Streams) error {
	if err := e.begin(s); err != nil {
		return err
	}
	if err := e.beginData(args[1:]); err != nil {
		return err
	}
	defer e.Progress.Clear()
	m, r, err := e.openFor(ctx, args[0], true)
	if err != nil {
		return err
	}
	score, err := newScore(m, r.Rows())
	if err != nil {
		return errors.Join(err, r.Close())
	}
	rows, err := e.each(ctx, r, m.Updater().Targets(), "", func(b *stream.Batch) error { return assess(ctx, m, score, b) })
	if err != nil {
		return err
	}
	if rows == 0 {
		return errNoRows
	}
	e.Progress.Clear()
	q := score.result()
	if err := weighty(q); err != nil {
		return err
	}
	if e.JSON {
		return e.Object(q)
	}
	_, err = fmt.Fprint(s.Out, ui.Escaped(q.String()))
	return err
}

// Package evaluate has the command evaluate.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

type evaluation struct {
	session.Session
	in input.Input
	by string // a column
}

// New returns the command evaluate.
func New(s ui.Streams) *cobra.Command {
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
mean squared error, that of predicting the mean of these rows, the mean absolute error, and R2, the share
of the variance of the target that the model explains. Beside the accuracy stands that of predicting the
commonest class of these rows. --by gives the scores of groups: of the rows with each value of a column,
which can be an input or not, and of which at most 200 values can be.

Memory does not depend on the rows, but with more than %d classes: there each pair of a class and a
wrong prediction that occurs takes up to 40 bytes, and --json lists these pairs in place of the matrix,
as "confused": objects with "label", "prediction" and "rows", which take more. The AUC is of all rows
up to %d for two classes, %d for ten, and else of as many rows drawn from all, the same ones in every
run.

A label that the model does not know counts as wrong. Columns are matched as by predict.`, score.MaxSquared, score.MaxAUCRows(2), score.MaxAUCRows(10)),
		Example: `  blskernel evaluate iris.bls test.csv
  blskernel evaluate digits.bls --data mnist
  blskernel evaluate price.bls --target price --json houses.csv
  blskernel evaluate price.bls --by town houses.csv`,
		Args: session.ModelFirst(math.MaxInt),
	}
	cmd.Flags().StringVar(&e.by, "by", "", "a column, by name or number: score the rows with each of its values apart, too")
	e.in.Register(cmd, "test", input.DefaultBatch)
	e.in.RegisterWeight(cmd)
	return e.Command(cmd, s, "one JSON object", e.do)
}

func (e *evaluation) do(ctx context.Context, args []string) error {
	if e.by != "" {
		e.in.Options.Keep = []string{e.by}
	}
	m, r, err := e.in.OpenFor(ctx, &e.Session, args, true)
	if err != nil {
		return err
	}
	to, err := score.New(m, r.Rows())
	if err != nil {
		return errors.Join(err, r.Close())
	}
	if e.by != "" && len(r.Kept()) != 1 {
		return errors.Join(ui.Usagef("--by names %s; want one", ui.Count(len(r.Kept()), "column")), r.Close())
	}
	by, far := score.Groups{}, score.Far{}
	rows, err := e.in.Each(ctx, r, m.Updater().Targets(), "", func(b *stream.Batch) error {
		if err := score.Add(ctx, m, to, b, &far); err != nil {
			return err // before a row has counted
		}
		return by.Add(ctx, m, b)
	})
	if err != nil {
		return err
	}
	if rows == 0 {
		return session.ErrNoRows
	}
	far.Tell(&e.Reporter)
	q, err := to.Quality()
	if err != nil {
		return err
	}
	if e.by != "" {
		q.Group(r.Kept()[0], by.Results())
	}
	return errors.Join(e.Object(q), e.Print(q.String()))
}

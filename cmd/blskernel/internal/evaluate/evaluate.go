// Package evaluate implements the evaluate command, which measures how well a model predicts.
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
	by string // name or number of a column, or empty
}

// New returns the evaluate command.
func New(s ui.Streams) *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "evaluate MODEL [flags] FILE...",
		Short: "Measure how well a model predicts",
		Long: fmt.Sprintf(`Predict rows whose labels or targets are known, and score the predictions.

For classification:

    accuracy           the share of correct predictions
    commonest class    the accuracy of always predicting the commonest class
    precision          for each class, the share of its predictions that are correct
    recall             for each class, the share of its rows that are predicted correctly
    F1                 for each class, the harmonic mean of precision and recall
    macro means        the unweighted means of precision, recall and F1 over the classes
    AUC                the probability that a row of a class has a higher score for that class than a
                       row of another class; with more than two classes, the mean over the classes
    log loss           the mean of -log p, where p is the predicted probability of the row's class
    calibration error  the mean of |share of correct predictions - mean predicted probability| over ten
                       bins by probability, each weighted by its rows
    confusion matrix   for each class, how many of its rows are predicted as each class

For regression, for each target:

    RMSE               the root mean squared error
    RMSE of the mean   the RMSE of always predicting the mean of these rows
    MAE                the mean absolute error
    R2                 the share of the variance that the model explains

With --weight a row counts as many times as its weight says. --by also scores groups of rows, one for
each value of a column. The column need not be an input, and may have at most 200 values.

Memory does not depend on the number of rows, except with more than %d classes. Then each pair of a class
and a wrong prediction takes up to 40 bytes once it occurs, or more with --json, which prints these pairs
in place of the matrix: "confused" is a list of objects with "label", "prediction" and "rows". The AUC is
computed from all rows if there are at most %d rows with two classes, or %d with ten.
Otherwise it is computed from a random sample of that many rows, the same in every run. With
--by, the number for each group is a 200th of that.

A row whose label the model does not know counts in the accuracy, as wrong, and in the commonest class,
but in no other measure. Columns are matched as in predict.`, score.MaxSquared, score.MaxAUCRows(2), score.MaxAUCRows(10)),
		Example: `  blskernel evaluate iris.bls test.csv
  blskernel evaluate digits.bls --data mnist
  blskernel evaluate price.bls --target price --json houses.csv
  blskernel evaluate price.bls --by town houses.csv`,
		Args: session.ModelFirst(math.MaxInt),
	}
	cmd.Flags().StringVar(&e.by, "by", "", "also score the rows of each value of this column, given by name or number")
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
			return err // no row has been counted
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

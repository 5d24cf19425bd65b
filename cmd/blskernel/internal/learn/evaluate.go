package learn

import (
	"context"
	"fmt"
	"math"

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
		Long: `Predict the labels or targets of rows that have them, and report the quality. For a classification:
the accuracy; for each class the precision (the share of the rows predicted as the class that are),
the recall (the share of the rows of the class that were found) and F1 (the harmonic mean of both);
and the confusion matrix. For a regression, for each target: the root mean squared error, the mean
absolute error, and R2, the share of the variance of the target that the model explains.

A label that the model does not know counts as wrong. Columns are matched as by predict.`,
		Example: `  blskernel evaluate iris.bls test.csv
  blskernel evaluate digits.bls --data mnist
  blskernel evaluate price.bls --target price --json houses.csv`,
		Args: modelFirst(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error { return e.do(cmd.Context(), args, s) },
	}
	cmd.Flags().SortFlags = false
	e.registerData(cmd, "test", defaultBatch)
	e.register(cmd, "one JSON object")
	return cmd
}

// An assessment compares predictions with the known labels or targets.
type assessment interface {
	add(m *model, b *stream.Batch, scores *mat.Dense) error
	result() fmt.Stringer // also as JSON
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
	var a assessment
	if m.Classifier != nil {
		a = newConfusion(m.labels())
	} else {
		a = newErrors(m.targetNames())
	}
	rows, err := e.each(ctx, r, "", func(b *stream.Batch) error {
		if b.Labels == nil && b.Y == nil {
			return errNoTargets
		}
		scores, err := m.scores(ctx, b)
		if err != nil {
			return err
		}
		return a.add(m, b, scores)
	})
	if err != nil {
		return err
	}
	if rows == 0 {
		return errNoRows
	}
	e.Progress.Clear()
	if e.JSON {
		return e.Object(a.result())
	}
	_, err = fmt.Fprint(s.Out, a.result())
	return err
}

package learner

import (
	"context"
	"fmt"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

// mostFolds bounds the folds of a cross-validation.
const mostFolds = 100

// RegisterFolds adds --cv.
func (l *Learner) RegisterFolds(cmd *cobra.Command) {
	ui.Int(cmd, &l.Folds, "cv", 0, mostFolds, "train this number of further models, each without one of as many parts of the rows, and print the mean and spread of their scores on it; 0 for none")
}

// checkFolds returns an error for an invalid cross-validation.
func (l *Learner) checkFolds(once string) error {
	switch {
	case l.Folds == 0:
		return nil
	case l.Folds == 1:
		return ui.Usagef("--cv is 1; want at least 2 parts, or 0")
	case once != "":
		return ui.Usagef("--cv reads the data again, which %s cannot be: leave it out, or save the data to a file", once)
	case l.Holdout > 0:
		return ui.Usagef("--cv scores each row, and --holdout some: leave one out")
	}
	return nil
}

// crossValidate scores a model for each fold.
func (l *Learner) crossValidate(ctx context.Context) error {
	op := l.operation()
	if l.Folds == 0 || op == nil {
		return nil
	}
	scores := make([]score.Score, l.Folds)
	qualities := make([]score.Quality, l.Folds)
	err := l.Model.CrossValidate(ctx, op, l.In.Sources(), l.Folds, func(fold int, m *model.Model, b *stream.Batch) (err error) {
		if scores[fold] == nil {
			l.Show(float64(fold)/float64(l.Folds), fmt.Sprintf("fold %d of %d", fold+1, l.Folds))
			if scores[fold], err = score.New(m, -1); err != nil {
				return err
			}
		}
		return score.Add(ctx, m, scores[fold], b, new(score.Far))
	})
	for i, s := range scores {
		if err == nil && s == nil {
			err = fmt.Errorf("part %d of %d has no rows", i+1, l.Folds)
		}
		if err == nil {
			qualities[i], err = score.Result(s)
		}
	}
	if err != nil {
		return fmt.Errorf("%s is complete, but not validated: %w", l.Out, l.In.Explain(ui.CauseOf(ctx, err)))
	}
	l.folds = &score.Folds{Number: l.Folds, Measures: score.Across(qualities)}
	return nil
}

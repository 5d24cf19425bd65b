package learner

import (
	"context"
	"fmt"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// scoreHeldOut rereads the data and scores the held-out rows. finish writes the model despite an error.
func (l *Learner) scoreHeldOut(ctx context.Context) error {
	s, err := score.New(l.Model, int64(float64(l.rows)*float64(l.Holdout)))
	if err == nil {
		err = l.addHeldOut(ctx, s)
	}
	if err == nil {
		l.scored, err = s.Quality()
	}
	if err != nil {
		return fmt.Errorf("%s is complete, but the held-out rows could not be scored: %w", l.Out, err)
	}
	l.scored = score.Sketch(l.scored)
	return nil
}

// addHeldOut adds the held-out rows to s. It ignores rows that were added after the run read the data.
func (l *Learner) addHeldOut(ctx context.Context, s score.Score) error {
	l.In.Silent = true // the notes on these rows have been printed
	r, err := l.In.OpenAgain(ctx, l.Model)
	if err != nil {
		return err
	}
	next, held := int64(0), 0
	_, err = l.In.Each(ctx, r, l.Model.Updater().Targets(), "scoring, ", func(b *stream.Batch) error {
		first := next
		next += int64(b.X.RawMatrix().Rows)
		_, aside := b.Split(func(i int) bool { return first+int64(i) < l.rows && l.Holdout.Holds(first+int64(i)) })
		if aside == nil {
			return nil
		}
		held += aside.X.RawMatrix().Rows
		_, err := l.In.LearnSkippingBad(aside, func(b *stream.Batch) error { return score.Add(ctx, l.Model, s, b, new(score.Far)) })
		return err
	})
	switch {
	case err != nil:
		return err
	case next < l.rows:
		return fmt.Errorf("the data now has %s, but had %d when it was learned", ui.Count(next, "row"), l.rows)
	case held == 0:
		return fmt.Errorf("of %s, none is held out: raise --holdout, or give more data", ui.Count(next, "row"))
	}
	return nil
}

// crossValidate trains a model on the rows outside each fold, as op describes, and scores the fold.
func (l *Learner) crossValidate(ctx context.Context, op *modelfile.Operation) error {
	scores := make([]score.Score, l.Folds)
	err := l.Model.CrossValidate(ctx, op, l.In.Sources(), l.Folds, func(fold int, m *model.Model, b *stream.Batch) (err error) {
		if scores[fold] == nil {
			l.Show(float64(fold)/float64(l.Folds), fmt.Sprintf("fold %d of %d", fold+1, l.Folds))
			if scores[fold], err = score.New(m, -1); err != nil {
				return err
			}
		}
		return score.Add(ctx, m, scores[fold], b, new(score.Far))
	})
	if err == nil {
		l.folds, err = score.Across(scores)
	}
	if err != nil {
		return fmt.Errorf("%s is complete, but the cross-validation failed: %w", l.Out, l.In.Explain(ui.CauseOf(ctx, err)))
	}
	return nil
}

package learner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

// RegisterHoldout adds --holdout.
func (l *Learner) RegisterHoldout(cmd *cobra.Command) {
	ui.Parsed(cmd, &l.Holdout, "holdout", "0", "share of the rows that are not learned, spread over all by their numbers, and scored at the end", func(text string) (model.Holdout, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v <= 0.9) {
			return 0, errors.New("want a share from 0 to 0.9, such as 0.2")
		}
		return model.Holdout(v), nil
	})
}

// Widened returns the number of rows to read so that this number is learned.
func (l *Learner) Widened(rows int) int {
	return int(min(math.Ceil(float64(rows)/float64(1-l.Holdout)), ui.MostSamples))
}

// score scores the rows that were held out, if any. A failure must not lose the learned rows.
func (l *Learner) score(ctx context.Context) error {
	if l.Holdout == 0 {
		return nil
	}
	q, err := l.scoreHeldOut(ctx)
	if err != nil {
		return fmt.Errorf("%s is complete, but the rows held out could not be scored: %w", l.Out, err)
	}
	l.scored = score.Sketch(q)
	return nil
}

// scoreHeldOut reads the data again and scores the held-out rows, among the rows that were read before:
// newer rows are ignored.
func (l *Learner) scoreHeldOut(ctx context.Context) (score.Quality, error) {
	l.In.Silent = true // what there is to say of the rows has been said
	r, err := l.In.Open(ctx, l.Model.Classifier != nil)
	if err != nil {
		return nil, err
	}
	s, err := score.New(l.Model, int64(float64(l.rows)*float64(l.Holdout)))
	if err := errors.Join(err, input.AsIn(&l.Model.Metadata, r)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	next, held := int64(0), 0
	rows, err := l.In.Each(ctx, r, l.Model.Updater().Targets(), "scoring, ", func(b *stream.Batch) error {
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
		return nil, err
	case rows < l.rows:
		return nil, fmt.Errorf("the data has %s now, and had %d when they were learned", ui.Count(rows, "row"), l.rows)
	case held == 0:
		return nil, fmt.Errorf("of %s none is held out: raise --holdout, or give more data", ui.Count(rows, "row"))
	}
	return score.Result(s)
}

package learner

import (
	"context"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/dataset/stream"
)

// enoughTested is the number of rows of a batch behind the first that train calibrates a model by.
const enoughTested = 1000

// keep keeps the last batch of enough rows that took no part in the settings, or the first one where
// there was no choice.
func (l *Learner) keep(learned *stream.Batch) {
	if learned == nil || l.Manifest.Name != "train" || l.Model.KeptRows() > 0 {
		return
	}
	if l.rows > 0 && learned.X.RawMatrix().Rows >= enoughTested || !l.Model.Calibrated() {
		l.tested = learned
	}
}

// calibrate calibrates a model that train has made by the rows that keep has kept, each left out.
func (l *Learner) calibrate(ctx context.Context) error {
	if l.tested == nil {
		return nil
	}
	if err := l.Model.Calibrate(ctx, l.tested, model.LearnedRows); ctx.Err() != nil {
		return err
	}
	return nil // a model that is not calibrated says so when it is asked
}

// learn learns a batch. In an update its predictions from before renew the calibration, if its rows may
// be among the last that count, and the running score with --score.
func (l *Learner) learn(ctx context.Context, b *stream.Batch) error {
	l.Model.Calibrating = l.Manifest.Name == "update" &&
		(l.Total < 0 || l.rows+int64(b.X.RawMatrix().Rows) > l.Total-bls.CalibrationRows)
	if !l.Scoring {
		return l.Model.Learn(ctx, b)
	}
	before, fall, err := score.AddBefore(ctx, l.Model, b)
	if err != nil {
		return err
	}
	if err := l.Model.Learn(ctx, b); err != nil {
		return err
	}
	if fall != "" {
		l.Warn("%s", fall)
	}
	return score.NoteBefore(&l.Model.Metadata, before)
}

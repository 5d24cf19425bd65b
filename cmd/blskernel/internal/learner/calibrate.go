package learner

import (
	"context"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/dataset/stream"
)

// enoughTested is the smallest later batch on which train calibrates a model.
const enoughTested = 1000

// keep keeps the last batch of enough rows without a part in the settings, or the first batch if
// nothing was chosen.
func (l *Learner) keep(learned *stream.Batch) {
	if learned == nil || l.Manifest.Name != "train" || l.Model.KeptRows() > 0 {
		return
	}
	if l.rows > 0 && learned.X.RawMatrix().Rows >= enoughTested || !l.Model.Calibrated() {
		l.tested = learned
	}
}

// calibrate calibrates a trained model on the rows of keep, each left out.
func (l *Learner) calibrate(ctx context.Context) error {
	if l.tested == nil {
		return nil
	}
	if err := l.Model.Calibrate(ctx, l.tested, model.LearnedRows); ctx.Err() != nil {
		return err
	}
	return nil // a model that is not calibrated says so when it is asked
}

// learn learns a batch. In an update the earlier predictions for it update the calibration, if its rows
// may be among the last, and with --score the running score.
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

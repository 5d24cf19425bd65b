package model

import (
	"context"
	"errors"
	"fmt"

	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
)

// CrossValidate repeats op, a training run in the log of m, once for each fold, on the rows of all
// other folds. It calls score with the resulting model and each batch of rows of the fold. A hash of
// the row number determines the fold of a row, as in Holdout. Each model makes its own feature maps and
// chooses its own settings. Columns become inputs as in m, and each model has all classes of m.
//
//	shapes: paths are the paths of the files of op; a separate file of targets comes last.
//	cost: as many training runs as folds, one after the other; the files are read 2·folds times.
//	errors: errors of reading, Learn and score; an error if op is not a training run, or if all rows
//	are in one fold.
func (m *Model) CrossValidate(ctx context.Context, op *modelfile.Operation, paths []string, folds int, score func(fold int, m *Model, b *stream.Batch) error) error {
	if op.Kind != modelfile.OpTrain {
		return errors.New("only a training run can be cross-validated")
	}
	whole := *op
	whole.Classes, whole.Ends = len(m.Labels()), nil // a fold's first batch has other rows than the first batch of op
	for fold := range folds {
		held := func(row int64) bool { return int(place(row)*float64(folds)) == fold }
		v := &verifier{ctx: ctx, of: m, out: held}
		one := v.unfitted(&whole)
		first := (op.First*folds + folds - 2) / max(1, folds-1)
		if err := v.each(&whole, paths, first, func(b *stream.Batch) error { return one.Learn(ctx, b) }); err != nil {
			return err
		}
		if one.Updater() == nil {
			return fmt.Errorf("no rows are left to train on without fold %d of %d: give more rows", fold+1, folds)
		}
		v.out = func(row int64) bool { return !held(row) }
		if err := v.each(&whole, paths, op.Batch, func(b *stream.Batch) error { return score(fold, one, b) }); err != nil {
			return err
		}
	}
	return nil
}

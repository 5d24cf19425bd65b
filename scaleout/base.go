package scaleout

import (
	"context"
	"errors"
	"maps"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

// A base is the model that provides the feature maps of a pipeline. It never changes, so goroutines may
// use it concurrently.
type base struct{ *model.Model }

func (b *base) classifies() bool { return b.Classifier != nil }

// expand returns the rows A and targets Y that the output layer learns from a batch. all lists the
// labels of the classes: classes, then the labels that the batch adds. The error is a *model.Error if a
// row is too large to be learned, or if the model learns logarithms and a target is not positive.
func (b *base) expand(ctx context.Context, batch *stream.Batch, classes []string) (a, y *mat.Dense, all []string, err error) {
	large := -1
	if b.classifies() {
		if y, all, err = targetsOf(batch.Labels, classes); err != nil {
			return nil, nil, nil, err
		}
		a, _, err = b.Classifier.ExpandContext(ctx, batch.X, make([]int, len(batch.Labels)))
	} else if large = model.FirstLarge(batch.Y); large < 0 {
		a, y, err = b.Regressor.ExpandContext(ctx, batch.X, batch.Y)
	}
	var overflow *bls.OverflowError
	if errors.As(err, &overflow) {
		large = overflow.Row
	} else if err == nil && large < 0 {
		large = model.FirstLarge(a)
	}
	if large >= 0 {
		const what = "the sample is too large to be learned: its nodes or targets, or sums of their products, could overflow"
		return nil, nil, nil, &model.Error{Place: batch.Where(large).String(), Row: large, What: what, Do: model.DropRow}
	}
	return a, y, all, b.Located(batch, err)
}

// withState returns the model of b with the output layer and the classes of a state. The metadata about
// the training of b is left out, except Python's notes on the shape of y and on expected_rows.
func (b *base) withState(s *State) (*modelfile.File, error) {
	f := &modelfile.File{Metadata: b.Metadata}
	meta := &f.Metadata
	meta.Progress, meta.Learned, meta.Log = nil, nil, nil
	meta.Notes = maps.Clone(meta.Notes)
	maps.DeleteFunc(meta.Notes, func(note, _ string) bool { return note != "y" && note != "expected_rows" })
	var err error
	if !b.classifies() {
		f.Regressor, err = b.Regressor.WithUpdater(s.updater)
		return f, err
	}
	c := b.Classifier
	if len(s.classes) > len(b.Labels()) {
		if c, err = c.Clone(); err != nil {
			return nil, err
		}
		meta.Classes = s.classes
		to := factor.Indices(len(b.Labels())) // the classes of the model come first
		if err := c.Relabel(to, len(meta.Classes)); err != nil {
			return nil, err
		}
	}
	f.Classifier, err = c.WithUpdater(s.updater)
	return f, err
}

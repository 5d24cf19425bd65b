package scaleout

import (
	"context"
	"errors"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A base is the model that provides the feature maps of a pipeline. It does not change, and any number
// of goroutines may use it at once.
type base struct{ *model.Model }

// classifies reports whether the model is a classifier.
func (b *base) classifies() bool { return b.Classifier != nil }

// A largeRow is the error for a row of a batch whose numbers are too large to learn.
type largeRow int

func (largeRow) Error() string {
	return "the sample is too large to be learned: its nodes, or the squares of them, overflow"
}

// findLarge returns the first row of m with a number beyond model.MaxNode as an error.
func findLarge(m *mat.Dense) error {
	if i := model.FirstLarge(m); i >= 0 {
		return largeRow(i)
	}
	return nil
}

// expand returns the rows A and targets Y that the output layer learns from a batch, and by row the
// labels that the model lacks. The error is a largeRow if one row is the cause.
func (b *base) expand(ctx context.Context, batch *stream.Batch) (a, y *mat.Dense, others map[int]string, err error) {
	if b.classifies() {
		var numbers []int
		numbers, others = b.numbered(batch.Labels)
		a, y, err = b.Classifier.ExpandContext(ctx, batch.X, numbers)
	} else if err = findLarge(batch.Y); err == nil {
		a, y, err = b.Regressor.ExpandContext(ctx, batch.X, batch.Y)
	}
	var overflow *bls.OverflowError
	if errors.As(err, &overflow) && overflow.Row >= 0 {
		err = largeRow(overflow.Row)
	}
	if err == nil {
		err = findLarge(a)
	}
	return a, y, others, err
}

// withState returns the model of b with the output layer and the classes of a state. The metadata of
// the training of b is left out.
func (b *base) withState(s *State) (*modelfile.File, error) {
	meta := b.Metadata
	f := &modelfile.File{Metadata: modelfile.Metadata{
		Inputs: meta.Inputs, Classes: meta.Classes, Targets: meta.Targets, Batch: meta.Batch,
		Columns: meta.Columns, Missing: meta.Missing, Decimal: meta.Decimal, Thousands: meta.Thousands, Exclude: meta.Exclude,
		NA: meta.NA, TargetNotations: meta.TargetNotations,
	}}
	var err error
	if !b.classifies() {
		f.Regressor, err = b.Regressor.WithUpdater(s.updater)
		return f, err
	}
	if len(s.classes) > 0 {
		f.Metadata.Classes, _ = model.NewClasses(b.Labels()).With(s.classes)
	}
	c, err := b.withClasses(s.classes)
	if err != nil {
		return nil, err
	}
	f.Classifier, err = c.WithUpdater(s.updater)
	return f, err
}

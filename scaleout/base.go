package scaleout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// A base is the model that provides the feature maps of a pipeline. It does not change, and any number
// of goroutines may use it at once.
type base struct {
	*modelfile.File
	numbers map[string]int // of the classes, by label; nil for a regression
	labels  []string       // of the classes, as in the data
}

func newBase(f *modelfile.File) *base {
	b := &base{File: f}
	if f.Classifier == nil {
		return b
	}
	if b.labels = f.Metadata.Classes; b.labels == nil {
		for i := range f.Classifier.NumClasses() {
			b.labels = append(b.labels, strconv.Itoa(i))
		}
	}
	b.numbers = map[string]int{}
	for i, label := range b.labels {
		b.numbers[label] = i
	}
	return b
}

// classifies reports whether the model is a classifier.
func (b *base) classifies() bool { return b.Classifier != nil }

// updater returns the output layer of the model, for its sizes and its ridge.
func (b *base) updater() blsupdate.Updater {
	if b.classifies() {
		return b.Classifier.Updater()
	}
	return b.Regressor.Updater()
}

// features returns the feature maps.
func (b *base) features() *bls.Features {
	if b.classifies() {
		return b.Classifier.FittedFeatures()
	}
	return b.Regressor.FittedFeatures()
}

// inputs returns d.
func (b *base) inputs() int { return b.features().Inputs() }

// expand returns the rows A and targets Y that the output layer learns from a batch, and the labels
// that the model does not have, by their rows. Its error names the shard, and the sample if one is the
// cause.
func (b *base) expand(ctx context.Context, batch *Batch) (a, y *mat.Dense, others map[int]string, err error) {
	if err := batch.check(); err != nil {
		return nil, nil, nil, fmt.Errorf("%w (shard %s)", err, batch.Shard)
	}
	if b.classifies() != (batch.Labels != nil) {
		return nil, nil, nil, fmt.Errorf("scaleout: %s: the batch needs %s", batch.Shard, b.wants())
	}
	if b.classifies() {
		var numbers []int
		if numbers, others, err = b.numbered(batch); err != nil {
			return nil, nil, nil, err
		}
		a, y, err = b.Classifier.ExpandContext(ctx, batch.X, numbers)
	} else {
		a, y, err = b.Regressor.ExpandContext(ctx, batch.X, batch.Y)
	}
	if err == nil {
		return a, y, others, nil
	}
	at := batch.Shard
	var overflow *bls.OverflowError
	var notFinite *bls.NotFiniteError
	switch {
	case errors.As(err, &overflow) && overflow.Row >= 0:
		at = batch.sample(overflow.Row)
	case errors.As(err, &notFinite):
		at = batch.sample(notFinite.Row)
	}
	return nil, nil, nil, fmt.Errorf("scaleout: %s: %w", at, err)
}

// wants names what a batch for the model has beside its inputs.
func (b *base) wants() string {
	if b.classifies() {
		return "labels, since the model is a classification"
	}
	return "targets, since the model is a regression"
}

// withState returns the model with the output layer and the classes of a state, and without the
// metadata of the training of b.
func (b *base) withState(s *State) (*modelfile.File, error) {
	meta := b.Metadata
	f := &modelfile.File{Metadata: modelfile.Metadata{
		Inputs: meta.Inputs, Classes: meta.Classes, Targets: meta.Targets, Batch: meta.Batch,
		Columns: meta.Columns, Missing: meta.Missing, Decimal: meta.Decimal, Thousands: meta.Thousands, Exclude: meta.Exclude,
	}}
	var err error
	if !b.classifies() {
		f.Regressor, err = b.Regressor.WithUpdater(s.updater)
		return f, err
	}
	if len(s.classes) > 0 {
		f.Metadata.Classes = slices.Concat(b.labels, s.classes)
	}
	c, err := b.withClasses(s.classes)
	if err != nil {
		return nil, err
	}
	f.Classifier, err = c.WithUpdater(s.updater)
	return f, err
}

package scaleout

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// A base is the model whose feature maps a pipeline learns with. It does not change, and any number of
// goroutines may use it at once.
type base struct {
	*modelfile.File
	numbers map[string]int // of the labels of its classes; nil for a regression
	labels  []string       // of the classes, as they are in the data
}

func newBase(f *modelfile.File) *base {
	b := &base{File: f}
	if f.Classifier == nil {
		return b
	}
	if b.labels = f.Metadata.Classes; b.labels == nil {
		for i := range f.Classifier.Updater().Targets() {
			b.labels = append(b.labels, strconv.Itoa(i))
		}
	}
	b.numbers = map[string]int{}
	for i, label := range b.labels {
		b.numbers[label] = i
	}
	return b
}

// classifies tells whether the data has labels.
func (b *base) classifies() bool { return b.Classifier != nil }

// updater returns the output layer of the model itself, for its sizes and its ridge.
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

// expand returns the rows A and targets Y that the output layer learns of a batch. Its error names the
// shard, and the sample where it is one that is to blame.
func (b *base) expand(ctx context.Context, batch *Batch) (a, y *mat.Dense, err error) {
	if err := batch.check(); err != nil {
		return nil, nil, fmt.Errorf("%w (shard %s)", err, batch.Shard)
	}
	if b.classifies() != (batch.Labels != nil) {
		return nil, nil, fmt.Errorf("scaleout: %s: the batch has to have %s", batch.Shard, b.wants())
	}
	if b.classifies() {
		numbers := make([]int, len(batch.Labels))
		for i, label := range batch.Labels {
			n, known := b.numbers[label]
			if !known {
				return nil, nil, fmt.Errorf("scaleout: %s, sample %d: %s", batch.Shard, batch.First+int64(i)+1, b.unknown(label))
			}
			numbers[i] = n
		}
		a, y, err = b.Classifier.ExpandContext(ctx, batch.X, numbers)
	} else {
		a, y, err = b.Regressor.ExpandContext(ctx, batch.X, batch.Y)
	}
	if err == nil {
		return a, y, nil
	}
	row := -1
	var overflow *bls.OverflowError
	var notFinite *bls.NotFiniteError
	switch {
	case errors.As(err, &overflow):
		row = overflow.Row
	case errors.As(err, &notFinite):
		row = notFinite.Row
	}
	if row >= 0 {
		return nil, nil, fmt.Errorf("scaleout: %s, sample %d: %w", batch.Shard, batch.First+int64(row)+1, err)
	}
	return nil, nil, fmt.Errorf("scaleout: %s: %w", batch.Shard, err)
}

// wants says what a batch for the model has beside its inputs.
func (b *base) wants() string {
	if b.classifies() {
		return "labels, since the model is a classification"
	}
	return "targets, since the model is a regression"
}

// unknown says that a label is none of the model's.
func (b *base) unknown(label string) string {
	return fmt.Sprintf("the label %.80q is none of the %d classes of the model (%s): a fit cannot gain classes; train the model with all of them, or leave the row out", label, len(b.labels), someOf(b.labels))
}

// withUpdater returns the model with another output layer, and without what was noted of the training
// of b.
func (b *base) withUpdater(u blsupdate.Updater) (*modelfile.File, error) {
	f := &modelfile.File{Metadata: modelfile.Metadata{Inputs: b.Metadata.Inputs, Classes: b.Metadata.Classes, Targets: b.Metadata.Targets, Batch: b.Metadata.Batch}}
	var err error
	if b.classifies() {
		f.Classifier, err = b.Classifier.WithUpdater(u)
	} else {
		f.Regressor, err = b.Regressor.WithUpdater(u)
	}
	return f, err
}

// mostNamed is the number of names that a message lists.
const mostNamed = 10

// someOf writes the first names, and says how many more there are.
func someOf(names []string) string {
	var b strings.Builder
	for i, name := range names[:min(mostNamed, len(names))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.80q", name)
	}
	if more := len(names) - mostNamed; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

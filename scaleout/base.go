package scaleout

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
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
func (b *base) updater() blsupdate.Updater { return b.Learner().Updater() }

// features returns the feature maps.
func (b *base) features() *bls.Features { return b.Learner().FittedFeatures() }

// inputs returns d.
func (b *base) inputs() int { return b.features().Inputs() }

// mostNode bounds nodes and targets so that no sum of products of two of them overflows: 2^63 samples,
// the most that can be counted, make 1e19 · 1e280 at most, below 1.8e308.
const mostNode = 1e140

// A largeRow is the error for a row of a batch that is too large to be learned.
type largeRow int

func (largeRow) Error() string {
	return "the sample is too large to be learned: its nodes, or the squares of them, overflow"
}

// findLarge returns the first row of m with a number beyond mostNode as an error.
func findLarge(m *mat.Dense) error {
	for i := range m.RawMatrix().Rows {
		if slices.ContainsFunc(m.RawRowView(i), func(v float64) bool { return !(math.Abs(v) <= mostNode) }) {
			return largeRow(i)
		}
	}
	return nil
}

// expand returns the rows A and targets Y that the output layer learns from a batch, and the labels
// that the model does not have, by their rows. Its error is a largeRow if one row is the cause.
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

package scaleout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A large has the samples of a shard that no Gram state can learn, even alone, because a node or its
// square overflows. The first of two readings finds them by their nodes, the second looks them up. With
// only one reading a nil *large checks batches with elements that are not harmless, and the first such
// sample is an error.
type large struct {
	found map[int64]bool // by the number of samples before it
	known bool           // found is complete: this is the second reading
	limit int64          // the search ends with more than these
}

// tooLarge is the fault of such a sample.
const tooLarge = "the sample is too large to be learned: its nodes, or the squares of them, overflow"

// harmless bounds nodes and targets so that no sum of products of two of them overflows: for 2^63
// samples, the most that can be counted, 1e19 · 1e280 is below 1.8e308.
const harmless = 1e140

// harmlessInput bounds inputs so that nodes are at most harmless: scaling, sums and weights of the maps
// may make a node 1e40 times as large.
const harmlessInput = 1e100

// leaveOut removes the samples of a batch that are too large, and passes each to bad. before is the
// number of samples before the batch, and where returns the place of a row.
func (l *large) leaveOut(ctx context.Context, b *base, batch *Batch, before int64, where func(row int) stream.Place, bad func(*stream.Error) error) error {
	if batch.rows() == 0 {
		return nil
	}
	if l == nil {
		if harmlessRows(batch.X) && (batch.Y == nil || harmlessRows(batch.Y)) {
			return nil
		}
		l, bad = &large{found: map[int64]bool{}}, func(fault *stream.Error) error { return fault }
	}
	if !l.known {
		if err := l.find(ctx, b, batch, before, 0, batch.rows()); err != nil {
			return err
		}
	}
	if len(l.found) == 0 {
		return nil
	}
	kept := make([]int, 0, batch.rows())
	for i := range batch.rows() {
		if !l.found[before+int64(i)] {
			kept = append(kept, i)
			continue
		}
		place := where(i)
		if err := bad(&stream.Error{Path: place.Path, Line: place.Line, Row: place.Row, What: tooLarge}); err != nil {
			return err
		}
	}
	if len(kept) < batch.rows() {
		batch.keep(kept)
	}
	return nil
}

// find finds the samples in rows from to to-1 of a batch that are too large.
func (l *large) find(ctx context.Context, b *base, batch *Batch, before int64, from, to int) error {
	if from == to || int64(len(l.found)) > l.limit {
		return nil
	}
	_, d := batch.X.Dims()
	a, err := b.features().TransformContext(ctx, batch.X.Slice(from, to, 0, d).(*mat.Dense))
	var overflow *bls.OverflowError
	switch {
	case errors.As(err, &overflow) && to-from == 1:
		l.found[before+int64(from)] = true
		return nil
	case errors.As(err, &overflow): // which one it names need not be the first
		middle := from + (to-from)/2
		return cmp.Or(l.find(ctx, b, batch, before, from, middle), l.find(ctx, b, batch, before, middle, to))
	case err != nil:
		return err
	}
	for i := range to - from {
		row := from + i
		if largest(a.RawRowView(i)) <= harmless && (batch.Y == nil || largest(batch.Y.RawRowView(row)) <= harmless) {
			continue
		}
		alone, err := b.learnable(ctx, batch.one(row))
		if err != nil {
			return err
		}
		if !alone {
			l.found[before+int64(row)] = true
		}
	}
	return nil
}

// learnable reports whether a Gram state can learn a batch.
func (b *base) learnable(ctx context.Context, batch *Batch) (bool, error) {
	a, y, err := b.expand(ctx, batch)
	if err == nil {
		err = new(State).learn(blsupdate.Gram, a, y)
	}
	if errors.Is(err, blsupdate.ErrOverflow) {
		return false, nil
	}
	return err == nil, err
}

// harmlessRows reports whether no element of m makes a sample too large. A model of samples that are
// almost all the same may be an exception, which learning finds.
func harmlessRows(m *mat.Dense) bool {
	rows, _ := m.Dims()
	for i := range rows {
		if !(largest(m.RawRowView(i)) <= harmlessInput) {
			return false
		}
	}
	return true
}

// largest returns the largest magnitude in x.
func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// blamed returns the shard of a batch that could not be learned, and its sample that is too large, if
// any.
func (b *base) blamed(ctx context.Context, batch *Batch, err error) string {
	l := &large{found: map[int64]bool{}}
	if !errors.Is(err, blsupdate.ErrOverflow) || l.find(ctx, b, batch, batch.First, 0, batch.rows()) != nil || len(l.found) == 0 {
		return batch.Shard
	}
	return fmt.Sprintf("%s, sample %d", batch.Shard, slices.Min(slices.Collect(maps.Keys(l.found)))+1)
}

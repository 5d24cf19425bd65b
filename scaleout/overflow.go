package scaleout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// mostNode bounds nodes and targets so that no sum of products of two of them overflows: 2^63 samples,
// the most that can be counted, make 1e19 · 1e280 at most, below 1.8e308.
const mostNode = 1e140

// tooLarge is the fault of a sample beyond that bound.
const tooLarge = "the sample is too large to be learned: its nodes, or the squares of them, overflow"

// overflowing returns the rows of a batch, ascending, that are too large.
func (b *base) overflowing(ctx context.Context, batch *Batch) ([]int, error) {
	var found []int
	err := b.findOverflow(ctx, batch, 0, batch.rows(), &found)
	return found, err
}

// findOverflow appends those of the rows [from, to).
func (b *base) findOverflow(ctx context.Context, batch *Batch, from, to int, found *[]int) error {
	if from == to {
		return nil
	}
	_, d := batch.X.Dims()
	a, err := b.features().TransformContext(ctx, batch.X.Slice(from, to, 0, d).(*mat.Dense))
	var overflow *bls.OverflowError
	switch {
	case errors.As(err, &overflow) && to-from == 1:
		*found = append(*found, from)
		return nil
	case errors.As(err, &overflow): // which names one row, not always the first
		middle := from + (to-from)/2
		return cmp.Or(b.findOverflow(ctx, batch, from, middle, found), b.findOverflow(ctx, batch, middle, to, found))
	case err != nil:
		return err
	}
	for i := from; i < to; i++ {
		if !(largest(a.RawRowView(i-from)) <= mostNode) || batch.Y != nil && !(largest(batch.Y.RawRowView(i)) <= mostNode) {
			*found = append(*found, i)
		}
	}
	return nil
}

// largest returns the largest magnitude in x.
func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// blamed names the shard of a batch that could not be learned, and its first sample that is too large,
// if any.
func (b *base) blamed(ctx context.Context, batch *Batch, err error) string {
	if errors.Is(err, blsupdate.ErrOverflow) {
		if rows, err := b.overflowing(ctx, batch); err == nil && len(rows) > 0 {
			return batch.sample(slices.Min(rows))
		}
	}
	return batch.Shard
}

// sample names the sample in a row of b.
func (b *Batch) sample(row int) string {
	return fmt.Sprintf("%s, sample %d", b.Shard, b.First+int64(row)+1)
}

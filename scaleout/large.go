package scaleout

import (
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

// A large has what is wrong with the samples of a shard that no state can learn: those with nodes beyond float64, or whose
// squares are. To find them takes their nodes, so the first of two readings finds them, and the second looks them up. A nil
// *large finds none.
type large struct {
	found map[int64]string // by the number of samples that the reading had before it
	known bool             // all of them, since this is the second reading
}

// mostSquares bounds the sum of the squares of the nodes and targets of a sample: the sum over 2⁴⁰ of them is finite.
const mostSquares = math.MaxFloat64 / (1 << 40)

// leaveOut leaves the samples of a batch that are too large out, and tells bad of each. before is the number of samples that
// the reading had before the batch, and where says which sample of the data is in a row of it.
func (l *large) leaveOut(ctx context.Context, b *base, batch *Batch, before int64, where func(row int) stream.Place, bad func(*stream.Error) error) error {
	if l == nil || batch.rows() == 0 {
		return nil
	}
	if !l.known {
		if err := l.find(ctx, b, batch, before); err != nil {
			return err
		}
	}
	kept := make([]int, 0, batch.rows())
	for i := range batch.rows() {
		what, found := l.found[before+int64(i)]
		if !found {
			kept = append(kept, i)
			continue
		}
		place := where(i)
		if err := bad(&stream.Error{Path: place.Path, Line: place.Line, Row: place.Row, What: what}); err != nil {
			return err
		}
	}
	if len(kept) < batch.rows() {
		batch.keep(kept)
	}
	return nil
}

// find notes the samples of a batch that are too large.
func (l *large) find(ctx context.Context, b *base, batch *Batch, before int64) error {
	for from, end := 0, batch.rows(); from < end; {
		_, d := batch.X.Dims()
		part := func(to int) (*mat.Dense, error) {
			return b.features().TransformContext(ctx, batch.X.Slice(from, to, 0, d).(*mat.Dense))
		}
		a, err := part(end)
		var overflow *bls.OverflowError
		if errors.As(err, &overflow) && overflow.Row >= 0 {
			to := from + overflow.Row
			l.found[before+int64(to)] = overflow.What + " overflows: the sample is far beyond those that the model was made of"
			if to == from {
				from++
				continue
			}
			a, err = part(to)
		}
		if err != nil {
			return err
		}
		rows, _ := a.Dims()
		for i := range rows {
			sum := squares(a.RawRowView(i))
			if batch.Y != nil {
				sum += squares(batch.Y.RawRowView(from + i))
			}
			if !(sum < mostSquares) {
				l.found[before+int64(from+i)] = "the squares of the nodes and targets overflow: the sample is far beyond those that the model was made of"
			}
		}
		from += rows
		if overflow != nil {
			from++
		}
	}
	return nil
}

// blamed returns the shard of a batch that could not be learned, and which sample of it is too large where that is why.
func (b *base) blamed(ctx context.Context, batch *Batch, err error) string {
	l := &large{found: map[int64]string{}}
	if !errors.Is(err, blsupdate.ErrOverflow) || l.find(ctx, b, batch, batch.First) != nil || len(l.found) == 0 {
		return batch.Shard
	}
	return fmt.Sprintf("%s, sample %d", batch.Shard, slices.Min(slices.Collect(maps.Keys(l.found)))+1)
}

// squares returns the sum of the squares of x.
func squares(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}

package scaleout

import (
	"errors"
	"fmt"

	"blskernel/mat"
)

// A Batch is consecutive samples of a shard, without those that were set aside. It has either Labels,
// the classes of a classification as in the data, or Y, the targets of a regression.
type Batch struct {
	X      *mat.Dense // inputs, rows×d
	Y      *mat.Dense // targets, rows×c; nil for a classification
	Labels []string   // one for each row; nil for a regression
	Shard  string     // the path of the samples
	First  int64      // samples of the shard before the first of these
}

// rows returns the number of samples.
func (b *Batch) rows() int {
	if b.X == nil {
		return 0
	}
	rows, _ := b.X.Dims()
	return rows
}

// check returns an error unless b has samples and as many labels or targets.
func (b *Batch) check() error {
	rows := b.rows()
	switch {
	case rows == 0 || b.X.IsEmpty():
		return errors.New("scaleout: a batch without samples")
	case (b.Labels == nil) == (b.Y == nil):
		return errors.New("scaleout: a batch needs either labels or targets")
	case b.Labels != nil && len(b.Labels) != rows:
		return fmt.Errorf("scaleout: a batch of %d samples with %d labels", rows, len(b.Labels))
	}
	if b.Y != nil {
		if n, _ := b.Y.Dims(); n != rows || b.Y.IsEmpty() {
			return fmt.Errorf("scaleout: a batch of %d samples with %d rows of targets", rows, n)
		}
	}
	return nil
}

// keep removes all samples but those at the given places, which ascend, from the storage of b.
func (b *Batch) keep(places []int) {
	b.X, b.Y = keepRows(b.X, places), keepRows(b.Y, places)
	if b.Labels == nil {
		return
	}
	for to, from := range places {
		b.Labels[to] = b.Labels[from]
	}
	b.Labels = b.Labels[:len(places)]
}

// keepRows returns the rows of m at the given places in its storage, or nil without any.
func keepRows(m *mat.Dense, places []int) *mat.Dense {
	if m == nil || len(places) == 0 {
		return nil
	}
	for to, from := range places {
		copy(m.RawRowView(to), m.RawRowView(from))
	}
	_, cols := m.Dims()
	return m.Slice(0, len(places), 0, cols).(*mat.Dense)
}

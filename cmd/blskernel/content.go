package main

import (
	"encoding/binary"
	"math"
	"strconv"

	"blskernel/dataset/stream"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// A rowSum is a checksum, XXH64, of the values of rows in their order, however they come in batches and
// however they were written: by it a checkpoint tells whether the rows that it has learned are still
// the first ones of the data. It is made by newRowSum.
type rowSum struct {
	digest *xxhash.Digest
	buffer []byte
}

func newRowSum() *rowSum { return &rowSum{digest: xxhash.New()} }

// add adds the rows of a batch: of each the inputs, then the targets, or the label with its length.
func (s *rowSum) add(b *stream.Batch) {
	l, _ := b.X.Dims()
	for i := range l {
		s.buffer = s.buffer[:0]
		s.values(b.X, i)
		if b.Labels != nil {
			s.buffer = binary.LittleEndian.AppendUint64(s.buffer, uint64(len(b.Labels[i])))
			s.buffer = append(s.buffer, b.Labels[i]...)
		}
		if b.Y != nil {
			s.values(b.Y, i)
		}
		_, _ = s.digest.Write(s.buffer) // which cannot fail
	}
}

// values appends a row of m.
func (s *rowSum) values(m *mat.Dense, i int) {
	for _, v := range m.RawRowView(i) {
		s.buffer = binary.LittleEndian.AppendUint64(s.buffer, math.Float64bits(v))
	}
}

// text returns the checksum of what was added so far.
func (s *rowSum) text() string { return strconv.FormatUint(s.digest.Sum64(), 16) }

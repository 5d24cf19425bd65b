package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// play reads from r in an order that comes from order, and writes what it reads to w, unless that is
// nil, up to the first error.
func play(r *Reader, order []byte, w *Writer) {
	for _, what := range order {
		numbers := func() int { return r.Int("n", math.MaxInt/size) }
		var write func()
		switch what % 7 {
		case 0:
			v := r.Uint64()
			write = func() { w.Uint64(v) }
		case 1:
			v := r.Float64s(int(what))
			write = func() { w.Float64s(v) }
		case 2, 3:
			v := r.Int("n", math.MaxInt)
			write = func() { w.Uint64(uint64(v)) }
		case 4:
			v := r.Bool()
			write = func() { w.Bool(v) }
		case 5:
			v := r.Uint64s(numbers())
			write = func() { w.Uint64(uint64(len(v))); w.Uint64s(v) }
		case 6:
			v := r.Float64s(numbers())
			write = func() { w.Uint64(uint64(len(v))); w.Float64s(v) }
		}
		if r.Err() != nil {
			return
		}
		if w != nil {
			write()
		}
	}
}

// FuzzReader reads anything in an order that comes from it. What was read is written as it was there;
// an error names a byte of the data; and the lengths that the data claims cost nothing.
func FuzzReader(f *testing.F) {
	word := func(v ...uint64) (b []byte) {
		for _, v := range v {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	f.Add([]byte{}, []byte{})
	f.Add([]byte{0, 1, 2, 3}, make([]byte, 64))
	f.Add([]byte{5, 6, 6}, word(2, 1, 2, 1, math.Float64bits(math.NaN()), 0, 1, 2, 3, 4, 5, 6))
	for _, claim := range []uint64{1 << 20, math.MaxInt64 / size, math.MaxInt64, math.MaxUint64} {
		for _, what := range []byte{5, 6} {
			for _, rest := range []int{0, 1, 8, 92, chunk, 5 * chunk} {
				f.Add([]byte{what}, append(word(claim), make([]byte, rest)...))
			}
		}
	}
	f.Fuzz(func(t *testing.T, order, data []byte) {
		// The buffer of a Reader; slices, each no more than twice what was read and made anew
		// when that has doubled, which is less than 4 n in all; the storage of play, 2 KiB; and
		// some 300 bytes for each step, of closures and of the error.
		faults.Bounded(t, len(data), 4, uint64(chunk+1<<14+300*len(order)), func() {
			r := NewReader(bytes.NewReader(data))
			play(r, order, nil)
			var format *FormatError
			err := r.Err()
			if err != nil && (!errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(len(data))) ||
				errors.Is(err, io.ErrUnexpectedEOF) && format.Offset != int64(len(data)) {
				t.Errorf("error %v for %d bytes", err, len(data))
			}
		})
		var out bytes.Buffer
		w := NewWriter(&out)
		play(NewReader(bytes.NewReader(data)), order, w)
		testutil.NoError(t, w.Flush())
		if got := out.Bytes(); !bytes.HasPrefix(data, got) {
			t.Errorf("%x becomes %x", data, got)
		}
	})
}

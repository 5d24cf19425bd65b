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

// play reads with r in an order taken from order, and writes what it reads with w, unless w is nil, up
// to the first error.
func play(r *Coder, order []byte, w *Coder) {
	for _, what := range order {
		var word uint64
		var n int
		var yes bool
		var length float64
		var words []uint64
		var numbers []float64
		code := []func(x *Coder){
			func(x *Coder) { x.Uint64(&word) },
			func(x *Coder) { x.Floats("numbers", &numbers, int(what)) },
			func(x *Coder) { x.Int("n", &n, math.MaxInt) },
			func(x *Coder) { x.Float("length", &length, IsLength) },
			func(x *Coder) { x.Bool(&yes) },
			func(x *Coder) { x.Int("n", &n, math.MaxInt/size); x.Words("words", &words, n) },
			func(x *Coder) { x.Int("n", &n, math.MaxInt/size); x.Floats("numbers", &numbers, n) },
		}[what%7]
		if code(r); r.Failed() {
			return
		}
		if w != nil {
			code(w)
		}
	}
}

// FuzzDecoder reads any data in an order taken from it. What was read is written back as the same
// bytes; an error names a byte of the data; and the lengths that the data claims cost nothing.
func FuzzDecoder(f *testing.F) {
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
		// The buffer of a decoder; slices, each at most twice what was read and made anew when
		// that has doubled, less than 4 n in all; and some 700 bytes for each step, of the
		// storage of play, of closures and of the error.
		faults.Bounded(t, len(data), 4, uint64(chunk+1<<14+700*len(order)), func() {
			r := NewDecoder(bytes.NewReader(data), 0)
			play(r, order, nil)
			var format *FormatError
			err := r.Err()
			if err != nil && (!errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(len(data))) ||
				errors.Is(err, io.ErrUnexpectedEOF) && format.Offset != int64(len(data)) {
				t.Errorf("error %v for %d bytes", err, len(data))
			}
		})
		var out bytes.Buffer
		w := NewEncoder(&out, nil)
		play(NewDecoder(bytes.NewReader(data), 0), order, w)
		testutil.NoError(t, errors.Join(w.Err(), w.Flush()))
		if got := out.Bytes(); !bytes.HasPrefix(data, got) {
			t.Errorf("%x becomes %x", data, got)
		}
	})
}

package codec

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// A Writer encodes. Flush returns its first error; it writes nothing after that.
type Writer struct{ w *bufio.Writer } // which keeps the first error

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{bufio.NewWriterSize(w, chunk)} }

// Flush writes the buffer and returns the first error of all that was written.
func (w *Writer) Flush() error { return w.w.Flush() }

// Uint64 writes an integer.
func (w *Writer) Uint64(v uint64) {
	_, _ = w.w.Write(binary.LittleEndian.AppendUint64(w.w.AvailableBuffer(), v))
}

// Bool writes 1 for true and 0 for false.
func (w *Writer) Bool(v bool) {
	if v {
		w.Uint64(1)
	} else {
		w.Uint64(0)
	}
}

// Float64 writes the bits of v.
func (w *Writer) Float64(v float64) { w.Uint64(math.Float64bits(v)) }

// Float64s writes all elements of x, but not their number.
func (w *Writer) Float64s(x []float64) {
	for len(x) > 0 {
		b := w.w.AvailableBuffer()
		n := min(len(x), max(1, cap(b)/size))
		for _, v := range x[:n] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		if _, err := w.w.Write(b); err != nil {
			return
		}
		x = x[n:]
	}
}

// Uint64s writes all elements of x, but not their number.
func (w *Writer) Uint64s(x []uint64) {
	for _, v := range x {
		w.Uint64(v)
	}
}

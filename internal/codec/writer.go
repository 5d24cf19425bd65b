package codec

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// A Writer encodes. After the first error it does nothing more, and Flush returns it.
type Writer struct {
	w   *bufio.Writer
	err error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, chunk)} }

// Flush writes what is left in the buffer and returns the first error of all that was written.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// Uint64 writes a whole number.
func (w *Writer) Uint64(v uint64) {
	var b [size]byte
	binary.LittleEndian.PutUint64(b[:], v)
	w.bytes(b[:])
}

// Int writes a whole number that is not negative.
func (w *Writer) Int(v int) {
	if v < 0 {
		panic("codec: negative number")
	}
	w.Uint64(uint64(v))
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

// String writes the length of s in bytes, and s.
func (w *Writer) String(s string) {
	w.Int(len(s))
	if w.err == nil {
		_, w.err = w.w.WriteString(s)
	}
}

// Float64s writes the bits of all elements of x, but not how many they are.
func (w *Writer) Float64s(x []float64) {
	for len(x) > 0 && w.err == nil {
		b := w.space()
		n := min(len(x), len(b)/size)
		for i, v := range x[:n] {
			binary.LittleEndian.PutUint64(b[size*i:], math.Float64bits(v))
		}
		w.bytes(b[:size*n])
		x = x[n:]
	}
}

// Uint64s writes all elements of x, but not how many they are.
func (w *Writer) Uint64s(x []uint64) {
	for _, v := range x {
		w.Uint64(v)
	}
}

// space returns the free part of the buffer, which has room for one number at least.
func (w *Writer) space() []byte {
	if w.w.Available() < size {
		if err := w.w.Flush(); err != nil {
			w.err = err
		}
	}
	b := w.w.AvailableBuffer()
	return b[:cap(b)]
}

func (w *Writer) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

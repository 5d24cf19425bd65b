package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Reader decodes. After the first error all its methods return zero or nil, and Err returns the
// error.
//
// Whatever lengths the source claims, no slice has a capacity above twice the data so far, beyond a
// buffer of 64 KiB.
type Reader struct {
	r    *bufio.Reader
	rest io.LimitedReader // what r may read of the source
	from int64            // offset of the last value
	at   int64            // offset of the next
	err  error
}

// NewReader returns a Reader of r. It reads no more of r than it decodes, except the byte that End
// finds.
func NewReader(r io.Reader) *Reader {
	reader := &Reader{rest: io.LimitedReader{R: r}}
	reader.r = bufio.NewReaderSize(&reader.rest, chunk)
	return reader
}

// NewReaderAt is NewReader for a source that begins at an offset of a larger one.
func NewReaderAt(r io.Reader, at int64) *Reader {
	reader := NewReader(r)
	reader.from, reader.at = at, at
	return reader
}

// Err returns the first error: a *FormatError, or one that wraps an error of the source other than its
// end.
func (r *Reader) Err() error { return r.err }

// Fail sets the error, unless there is one, for the last value, or the first of the last values.
func (r *Reader) Fail(format string, args ...any) { r.FailElement(0, format, args...) }

// FailElement is Fail for element i of the last values.
func (r *Reader) FailElement(i int, format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{Offset: r.from + size*int64(i), What: fmt.Sprintf(format, args...)}
	}
}

// End sets an error if the source goes on.
func (r *Reader) End() {
	if r.err != nil {
		return
	}
	r.rest.N = 1
	switch _, err := r.r.Peek(1); {
	case err == nil:
		r.from = r.at
		r.Fail("data follows the end")
	case !errors.Is(err, io.EOF):
		r.source(err)
	}
}

// Uint64 reads an integer.
func (r *Reader) Uint64() uint64 {
	r.from = r.at
	b := r.next(size)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Int reads an integer from 0 to limit, which is not negative; what names it in an error.
func (r *Reader) Int(what string, limit int) int {
	if limit < 0 {
		panic("codec: negative bound")
	}
	v := r.Uint64()
	if v > uint64(limit) {
		r.Fail("%s is %d; want at most %d", what, v, limit)
		return 0
	}
	return int(v)
}

// Bool reads 0 or 1.
func (r *Reader) Bool() bool { return r.Int("a truth value", 1) == 1 }

// Float64 reads any float64.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// Float64s reads n numbers into a slice of that capacity.
func (r *Reader) Float64s(n int) []float64 {
	return values(r, n, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
}

// Uint64s reads n integers into a slice of that capacity.
func (r *Reader) Uint64s(n int) []uint64 { return values(r, n, binary.LittleEndian.Uint64) }

// values reads n values, each of which decode takes from 8 bytes. The slice grows as they arrive.
func values[T any](r *Reader, n int, decode func([]byte) T) []T {
	if n < 0 {
		panic("codec: negative number of numbers")
	}
	r.from = r.at
	var x []T
	for len(x) < n {
		part := r.next(size * min(n-len(x), chunk/size))
		if part == nil {
			return nil
		}
		if here := len(x) + len(part)/size; here > cap(x) {
			// Not slices.Grow, which rounds up: the last slice has room for n values.
			x = append(make([]T, 0, min(n, 2*here)), x...)
		}
		for ; len(part) > 0; part = part[size:] {
			x = append(x, decode(part))
		}
	}
	return x
}

// next returns the next n bytes, n at most chunk, until the next call, or nil if the source has fewer.
func (r *Reader) next(n int) []byte {
	if r.err != nil {
		return nil
	}
	r.rest.N = int64(n) // nothing is left in the buffer
	b, err := r.r.Peek(n)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		what := fmt.Sprintf("it ends after %d of %d bytes", len(b), n)
		r.err = &FormatError{Offset: r.at + int64(len(b)), What: what, Err: io.ErrUnexpectedEOF}
		return nil
	case err != nil:
		r.source(err)
		return nil
	}
	_, _ = r.r.Discard(n) // which Peek has shown
	r.at += int64(n)
	return b
}

// source sets an error of the source other than its end.
func (r *Reader) source(err error) {
	r.err = fmt.Errorf("reading from byte %d on: %w", r.at, err)
}

package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Reader decodes. After the first error everything that it returns is zero or empty, and Err returns the error.
//
// Whatever the source claims, no slice and no string that it makes has room for more than twice what the source has had
// so far, beyond what fits into a buffer of 64 KiB.
type Reader struct {
	r    *bufio.Reader
	from int64 // where what was read last begins
	at   int64 // where the next begins
	err  error
}

// NewReader returns a Reader of r. It may read more of r than it decodes.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, chunk)} }

// NewReaderAt is NewReader for errors that count from a beginning so many bytes before.
func NewReaderAt(r io.Reader, at int64) *Reader {
	reader := NewReader(r)
	reader.from, reader.at = at, at
	return reader
}

// Err returns the first error: a *FormatError, or one that wraps that of the source where it cannot be read for
// another reason than that it ends.
func (r *Reader) Err() error { return r.err }

// Fail makes an error of what the caller found wrong with the number, the string or the first of the numbers that were
// read last, unless there is an error already.
func (r *Reader) Fail(format string, args ...any) { r.FailElement(0, format, args...) }

// FailElement is Fail for element i of the numbers that were read last.
func (r *Reader) FailElement(i int, format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{Offset: r.from + size*int64(i), What: fmt.Sprintf(format, args...)}
	}
}

// End makes an error of anything that follows.
func (r *Reader) End() {
	if r.err != nil {
		return
	}
	switch _, err := r.r.Peek(1); {
	case err == nil:
		r.from = r.at
		r.Fail("there is more than there should be")
	case !errors.Is(err, io.EOF):
		r.source(err)
	}
}

// Uint64 reads a whole number.
func (r *Reader) Uint64() uint64 {
	r.from = r.at
	b := r.next(size)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Int reads a whole number from 0 to most, which is not negative; what names it in an error.
func (r *Reader) Int(what string, most int) int {
	if most < 0 {
		panic("codec: negative bound")
	}
	v := r.Uint64()
	if v > uint64(most) {
		r.Fail("%s is %d; at most %d can be", what, v, most)
		return 0
	}
	return int(v)
}

// Bool reads 0 or 1.
func (r *Reader) Bool() bool { return r.Int("a truth value", 1) == 1 }

// Float64 reads any float64.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// String reads a string of at most most bytes; what names it in an error.
func (r *Reader) String(what string, most int) string {
	n := r.Int("the length of "+what, most)
	r.from = r.at
	var s []byte
	for len(s) < n {
		b := r.next(min(n-len(s), chunk))
		if b == nil {
			return ""
		}
		s = append(s, b...)
	}
	return string(s)
}

// Float64s reads n numbers. There is room for no more than those, so that appending copies.
func (r *Reader) Float64s(n int) []float64 {
	return numbers(r, n, decodeFloat64s)
}

// Float64sTo fills dst. Where it fails, numbers that have been read are in dst, and the others are what they were.
func (r *Reader) Float64sTo(dst []float64) {
	r.from = r.at
	for len(dst) > 0 {
		part := r.next(size * min(len(dst), chunk/size))
		if part == nil {
			return
		}
		decodeFloat64s(dst, part)
		dst = dst[len(part)/size:]
	}
}

// decodeFloat64s fills dst, or as much of it as there is in part.
func decodeFloat64s(dst []float64, part []byte) {
	for i := range len(part) / size {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(part[size*i:]))
	}
}

// Uint64s reads n whole numbers.
func (r *Reader) Uint64s(n int) []uint64 {
	return numbers(r, n, func(dst []uint64, part []byte) {
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(part[size*i:])
		}
	})
}

// numbers reads n numbers, of which the storage grows as they come; decode fills dst from its bytes.
func numbers[T any](r *Reader, n int, decode func(dst []T, part []byte)) []T {
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
		old, here := len(x), len(x)+len(part)/size
		if here > cap(x) {
			// Not slices.Grow, which rounds up, so that what fills its storage has no room beyond.
			grown := make([]T, old, min(n, 2*here))
			copy(grown, x)
			x = grown
		}
		x = x[:here]
		decode(x[old:], part)
	}
	return x
}

// next returns the next n bytes, at most chunk of them, until the next call, or nil where there are not so many.
func (r *Reader) next(n int) []byte {
	if r.err != nil {
		return nil
	}
	b, err := r.r.Peek(n)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		what := fmt.Sprintf("the end after %d of %d bytes that have to be there", len(b), n)
		r.err = &FormatError{Offset: r.at + int64(len(b)), What: what, Err: io.ErrUnexpectedEOF}
		return nil
	case err != nil:
		r.source(err)
		return nil
	}
	// What was peeked at is there to be discarded.
	_, _ = r.r.Discard(n)
	r.at += int64(n)
	return b
}

// source makes an error of one of the source that is not its end.
func (r *Reader) source(err error) {
	r.err = fmt.Errorf("reading from byte %d on: %w", r.at, err)
}

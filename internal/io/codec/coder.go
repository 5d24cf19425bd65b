package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel/internal/io/memory"

	"gonum.org/v1/gonum/mat"
)

// A Coder codes the numbers of a model: an encoder writes them and a decoder reads them, with the same
// checks. Each state lists its numbers once, so both directions agree, and an encoder rejects the
// numbers that a decoder would reject. An encoder does not change the state, so several encoders may
// write one state at once. After an error, a decoder sets numbers to 0 and slices to nil, and leaves
// matrices as they are. It reads no more than it decodes, except the byte that End looks for.
//
// Whatever lengths the source claims, the capacity of a slice is at most twice the length that has
// arrived. A buffer takes 64 KiB more.
type Coder struct {
	w        *bufio.Writer    // keeps the first error; nil in a decoder
	r        *bufio.Reader    // nil in an encoder
	rest     io.LimitedReader // the source, up to what r may read
	from, at int64            // offsets of the last value (the first one of a slice) and of the next
	err      error
	overflow error // wrapped by the error of an encoder for a number that is not finite
	Samples  int   // the model's number of samples, on which the lengths of some parts depend
}

// A StateError reports that the numbers to be written contradict each other.
type StateError struct{ What string }

func (e *StateError) Error() string {
	return "blsupdate: the model is inconsistent: " + e.What + "; return to the last saved model, and report this"
}

// NewEncoder returns a Coder that writes to w; call Flush at the end. Its error for a number that is
// not finite wraps overflow.
func NewEncoder(w io.Writer, overflow error) *Coder {
	return &Coder{w: bufio.NewWriterSize(w, chunk), overflow: overflow}
}

// NewDecoder returns a Coder that reads from r. In its errors, the first byte of r has the offset at.
func NewDecoder(r io.Reader, at int64) *Coder {
	x := &Coder{rest: io.LimitedReader{R: r}, from: at, at: at}
	x.r = bufio.NewReaderSize(&x.rest, chunk)
	return x
}

// Flush writes the buffer of an encoder and returns the first error of w.
func (x *Coder) Flush() error { return x.w.Flush() }

// MaxElements is the largest number of elements in a matrix: its size in bytes must fit in an int.
const MaxElements = math.MaxInt / 8

// Fits reports whether a rows×cols matrix has at most MaxElements elements; rows, cols >= 0.
func Fits(rows, cols int) bool { return cols == 0 || rows <= MaxElements/cols }

// Reading reports whether x is a decoder.
func (x *Coder) Reading() bool { return x.r != nil }

// Err returns the first error, except errors of w, which Flush returns. In a decoder it is a
// *FormatError or wraps an error of the source. In an encoder it is a *StateError or wraps overflow.
func (x *Coder) Err() error { return x.err }

// Failed reports whether Err returns an error.
func (x *Coder) Failed() bool { return x.err != nil }

func (x *Coder) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// Check records an error with the formatted message, at the last value, unless ok is true.
func (x *Coder) Check(ok bool, format string, args ...any) {
	if !ok {
		x.FailElement(0, format, args...)
	}
}

// FailElement records an error with the formatted message, at element i of the numbers that were just
// read or are to be written.
func (x *Coder) FailElement(i int, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if x.Reading() {
		x.fail(&FormatError{Offset: x.from + size*int64(i), What: what})
	} else {
		x.fail(&StateError{What: what})
	}
}

// End records an error if the source of a decoder has more data or cannot be read.
func (x *Coder) End() {
	if x.Failed() {
		return
	}
	x.rest.N = 1
	switch _, err := x.r.Peek(1); {
	case err == nil:
		x.from = x.at
		x.Check(false, "data follows the end")
	case !errors.Is(err, io.EOF):
		x.failSource(err)
	}
}

// failSource records an error of the source other than its end.
func (x *Coder) failSource(err error) { x.fail(fmt.Errorf("reading at byte %d: %w", x.at, err)) }

// NotNegative, IsLength and IsPositive are conditions for Float. Only NotNegative accepts +Inf, since
// norms and estimates may overflow in a model that still works. None accepts NaN.
func NotNegative(v float64) bool { return v >= 0 }
func IsLength(v float64) bool    { return v >= 0 && v <= math.MaxFloat64 }
func IsPositive(v float64) bool  { return v > 0 && v <= math.MaxFloat64 }

// refuse records an error for the invalid number v, element i of the numbers that were just read or are
// to be written. what names the numbers.
func (x *Coder) refuse(what string, i int, v float64) {
	switch {
	case x.Reading():
		x.FailElement(i, "%s cannot be %g", what, v)
	case v-v != 0:
		x.fail(fmt.Errorf("%s cannot be %g: %w", what, v, x.overflow))
	default:
		x.Check(false, "%s cannot be %g", what, v)
	}
}

// Uint64 codes a word of 64 bits.
func (x *Coder) Uint64(v *uint64) {
	if !x.Reading() {
		_, _ = x.w.Write(binary.LittleEndian.AppendUint64(x.w.AvailableBuffer(), *v))
		return
	}
	x.from, *v = x.at, 0
	if b := x.next(size); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

// Float codes *v, which ok must accept. what names the number in errors, here and below.
func (x *Coder) Float(what string, v *float64, ok func(float64) bool) {
	word := math.Float64bits(*v)
	if x.Uint64(&word); x.Reading() {
		*v = math.Float64frombits(word)
	}
	if !ok(*v) {
		x.refuse(what, 0, *v)
	}
}

// Int codes a whole number from 0 to limit. It panics if limit is negative.
func (x *Coder) Int(what string, v *int, limit int) {
	if limit < 0 {
		panic("codec: negative bound")
	}
	word := uint64(*v)
	if x.Uint64(&word); word > uint64(limit) {
		x.Check(false, "%s is %d; want at most %d", what, word, limit)
		word = 0
	}
	if x.Reading() {
		*v = int(word)
	}
}

// Signed codes any int64.
func (x *Coder) Signed(v *int64) {
	word := uint64(*v)
	if x.Uint64(&word); x.Reading() {
		*v = int64(word)
	}
}

// Bool codes a bool as the number 0 or 1.
func (x *Coder) Bool(v *bool) {
	bit := 0
	if *v {
		bit = 1
	}
	if x.Int("a bool", &bit, 1); x.Reading() {
		*v = bit == 1
	}
}

// Present codes and returns whether an optional part follows. A decoder ignores the argument.
func (x *Coder) Present(is bool) bool {
	x.Bool(&is)
	return is
}

// Within records an error if largest, the largest of the numbers that what names, is NaN or exceeds
// 2*bound. The factor 2 allows for rounding errors in both.
func (x *Coder) Within(what string, largest, bound float64) {
	x.Check(largest <= 2*bound, "%s contains %g, but its bound is %g", what, largest, bound)
}

// Floats codes n finite numbers.
func (x *Coder) Floats(what string, v *[]float64, n int) {
	if x.Reading() {
		*v = read(x, n, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	} else {
		x.Check(len(*v) == n, "wrong number of values for %s: %d, want %d", what, len(*v), n)
		x.writeFloats(*v)
	}
	if i := slices.IndexFunc(*v, func(number float64) bool { return number-number != 0 }); i >= 0 {
		x.refuse(what, i, (*v)[i])
	}
}

// read reads n values and returns them. of converts 8 bytes to a value. The slice grows as they arrive.
func read[T any](x *Coder, n int, of func([]byte) T) (v []T) {
	x.from = x.at
	for len(v) < n {
		part := x.next(size * min(n-len(v), chunk/size))
		if part == nil {
			return nil
		}
		if here := len(v) + len(part)/size; here > cap(v) {
			// Not slices.Grow, which rounds up: the last slice has room for just n values.
			v = append(make([]T, 0, min(n, 2*here)), v...)
		}
		for ; len(part) > 0; part = part[size:] {
			v = append(v, of(part))
		}
	}
	return v
}

func (x *Coder) writeFloats(v []float64) {
	for len(v) > 0 {
		b := x.w.AvailableBuffer()
		n := min(len(v), max(1, cap(b)/size))
		for _, number := range v[:n] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(number))
		}
		_, _ = x.w.Write(b)
		v = v[n:]
	}
}

// next returns the next n <= chunk bytes, valid until the next call, or nil if the source has fewer.
func (x *Coder) next(n int) []byte {
	if x.Failed() {
		return nil
	}
	x.rest.N = int64(n) // nothing is left in the buffer
	b, err := x.r.Peek(n)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		what := fmt.Sprintf("the data ends after %d of %d bytes", len(b), n)
		x.fail(&FormatError{Offset: x.at + int64(len(b)), What: what, Err: io.ErrUnexpectedEOF})
		return nil
	case err != nil:
		x.failSource(err)
		return nil
	}
	_, _ = x.r.Discard(n) // Peek has buffered them
	x.at += int64(n)
	return b
}

// Lengths codes n finite numbers that are not negative.
func (x *Coder) Lengths(what string, v *[]float64, n int) {
	x.Floats(what, v, n)
	for i, length := range *v {
		if !(length >= 0) {
			x.refuse(what, i, length)
		}
	}
}

// Words codes n words of 64 bits.
func (x *Coder) Words(what string, v *[]uint64, n int) {
	if x.Reading() {
		*v = read(x, n, binary.LittleEndian.Uint64)
		return
	}
	x.Check(len(*v) == n, "wrong number of %s: %d, want %d", what, len(*v), n)
	for i := range *v {
		x.Uint64(&(*v)[i])
	}
}

// Dense codes a rows×cols matrix row by row. Fits(rows, cols) must hold.
func (x *Coder) Dense(what string, m **mat.Dense, rows, cols int) {
	x.matrix(what, m, rows, cols, rows*cols, func(int) (int, int) { return 0, cols })
}

// Triangle codes the upper or lower triangle of a matrix of order n row by row, without the zeros of
// the other triangle. Fits(n, n) must hold.
func (x *Coder) Triangle(what string, m **mat.Dense, n int, upper bool) {
	x.matrix(what, m, n, n, n*(n+1)/2, func(i int) (int, int) {
		if upper {
			return i, n
		}
		return 0, i + 1
	})
}

// matrix codes the columns [from, to) = part(i) of each row i, count elements in all. A decoder reads
// them before it allocates the matrix, because a damaged source may claim a wrong size.
func (x *Coder) matrix(what string, m **mat.Dense, rows, cols, count int, part func(i int) (from, to int)) {
	if x.Reading() {
		var data, elements []float64
		if x.Floats(what, &data, count); x.Failed() {
			return
		}
		if count == rows*cols && count > 0 { // not for a triangle: its other half would never be written
			elements = memory.Zeros(count)
		}
		*m = mat.NewDense(rows, cols, elements)
		for i := range rows {
			from, to := part(i)
			data = data[copy((*m).RawRowView(i)[from:to], data):]
		}
		return
	}
	r, c := (*m).Dims()
	x.Check(r == rows && c == cols, "wrong shape of %s: %d×%d, want %d×%d", what, r, c, rows, cols)
	for i := 0; i < rows && !x.Failed(); i++ {
		from, to := part(i)
		row := (*m).RawRowView(i)[from:to]
		x.Floats(what, &row, len(row))
	}
}

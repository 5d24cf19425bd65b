package stream

import (
	"errors"
	"fmt"
	"io"

	"blskernel/internal/npy"
)

const (
	// callElements is how many elements one read decodes, if they are more than one sample.
	callElements = 1 << 17
	// pixelScale divides unsigned bytes of images, as dataset.Images.Dense does.
	pixelScale = 255
)

// An array is the source of an array's samples, of which it decodes some ahead.
type array struct {
	arrayFile
	about   info
	n       int64 // samples
	width   int   // elements of one
	row     int64 // next sample to be delivered
	cols    choice
	all     bool // every column is an input, or every column a target, in order
	labels  bool // the only column is a label
	classes bool // a chosen target is a label
	nan     bool // NaN is decoded, as a missing cell
	drop    bool // a target or weight can be one

	piece, rest []byte    // rest is the end of piece that is not decoded
	decoded     []float64 // storage of ahead
	ahead       []float64 // decoded samples to be delivered
	texts       []string  // decoded labels to be delivered, in place of ahead
	bad         *Error    // of the sample after those, which was passed
}

func (a *array) info() *info { return &a.about }

func (a *array) taken() int64 {
	switch {
	case a.row == 0:
		return 0
	case a.archive != nil:
		return int64(float64(a.archive.bytes) * (float64(a.row) / float64(a.n)))
	case a.in.packed:
		return a.in.position()
	}
	return a.Length + a.row*int64(a.width)*int64(a.DType.Size)
}

func (a *array) close() {
	if a.member != nil {
		_ = a.member.Close() // nothing was written
	}
}

func (a *array) read(s *samples, n int) (int, error) {
	if a.row == a.n {
		return 0, a.end()
	}
	if a.left() == 0 && a.bad == nil {
		n = int(min(int64(n), a.n-a.row, int64(max(1, callElements/a.width))))
		if err := a.decode(n); err != nil {
			return 0, err
		}
	}
	n, bad := a.deliver(s, min(n, a.left()))
	if n == 0 {
		a.row++
		return 0, bad
	}
	if a.about.dim > 0 {
		for i := range n {
			s.places = append(s.places, Place{Path: a.in.path, Row: a.row + int64(i) + 1})
		}
	}
	a.row += int64(n)
	return n, nil
}

// left returns the number of decoded samples that are not delivered.
func (a *array) left() int {
	if a.labels {
		return len(a.texts)
	}
	return len(a.ahead) / a.width
}

// deliver appends the chosen columns of the next n decoded samples, of those before the first bad one.
// It returns their number and, with 0, the bad sample, which it passes.
func (a *array) deliver(s *samples, n int) (int, *Error) {
	var bad *Error
	switch {
	case n == 0:
		bad, a.bad = a.bad, nil
		return 0, bad
	case a.labels:
		s.labels = append(s.labels, a.texts[:n]...)
		a.texts = a.texts[n:]
		return n, nil
	case a.all && a.about.dim > 0:
		s.x = append(s.x, a.ahead[:n*a.width]...)
	case a.all:
		s.y = append(s.y, a.ahead[:n*a.width]...)
	default:
		n, bad = a.pick(s, n)
	}
	a.ahead = a.ahead[max(n, 1)*a.width:]
	return n, bad
}

// pick is deliver for chosen columns.
func (a *array) pick(s *samples, n int) (int, *Error) {
	for i := range n {
		sample := a.ahead[i*a.width:][:a.width]
		if col, what := a.wrong(sample); what != "" {
			return i, a.fault(i, col+1, what)
		}
		for _, col := range a.cols.targets {
			v := sample[col]
			switch {
			case !a.classes:
				s.y = append(s.y, v)
				continue
			case v != v:
				s.labels = append(s.labels, "")
				continue
			}
			label, err := npy.FloatLabel(v)
			if err != nil { // the next read meets it again if samples come before it
				return i, a.fault(i, col+1, "has "+err.Error())
			}
			s.labels = append(s.labels, label)
		}
		for _, col := range a.cols.weights {
			s.w = append(s.w, sample[col])
		}
		for _, col := range a.cols.inputs {
			s.x = append(s.x, sample[col])
		}
	}
	return n, nil
}

// wrong returns a column of a sample that has no usable target or weight, and what it has.
func (a *array) wrong(sample []float64) (col int, what string) {
	for _, col := range a.cols.weights {
		if sample[col] < 0 {
			return col, negativeWeight(sample[col])
		}
	}
	if !a.nan || a.drop {
		return 0, ""
	}
	for _, columns := range [][]int{a.cols.targets, a.cols.weights} {
		for _, col := range columns {
			if sample[col] != sample[col] {
				return col, "is NaN, a missing value; fill it in, or remove the row"
			}
		}
	}
	return 0, ""
}

// readFault returns the error for a failed read of the element at index done of those asked for.
func (a *array) readFault(done int64, err error) error {
	if a.in.ctx.Err() == nil && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)) {
		return &Error{Path: a.in.path, Row: a.row + done/int64(a.width) + 1,
			What: fmt.Sprintf("the data ends within this sample, but the header promises %d samples; it is cut off", a.n)}
	}
	return readFault(a.in.ctx, a.in.path, err)
}

// end returns io.EOF unless the data goes on. Reading to the end verifies the checksums of packed data.
func (a *array) end() error {
	if a.random != nil {
		if a.random.Size() > a.Bytes {
			return faultf("goes on after the %d samples that its header promises", a.n)
		}
		return io.EOF
	}
	var extra [1]byte
	switch _, err := io.ReadFull(a.stream, extra[:]); err {
	case io.EOF:
		return io.EOF
	case nil:
		return &Error{Path: a.in.path,
			What: fmt.Sprintf("goes on after the %d samples that its header promises; it may have more than one array", a.n)}
	default:
		return readFault(a.in.ctx, a.in.path, err)
	}
}

// fault returns the error for a bad sample, i samples after the next one. column is 0 for the whole
// sample.
func (a *array) fault(i, column int, what string) *Error {
	return &Error{Path: a.in.path, Row: a.row + int64(i) + 1, Column: column, What: what, sample: true}
}

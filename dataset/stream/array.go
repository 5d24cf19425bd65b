package stream

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"

	"blskernel/internal/io/npy"
)

const (
	// callElements bounds the elements of one read of survey, at least one sample.
	callElements = 1 << 17
	// arrayPiece is the number of bytes of a read, if that is more than one sample.
	arrayPiece = 1 << 18
	// pixelScale divides unsigned bytes of images, as dataset.Images.Dense does.
	pixelScale = 255
)

// An array is the source of an array's samples.
type array struct {
	arrayFile
	about   info
	n       int64 // samples
	width   int   // elements of one
	size    int   // bytes of one
	row     int64 // next sample to be delivered
	cols    choice
	all     bool // every column is an input, or every column a target, in order
	labels  bool // the only column is a label
	classes bool // a chosen target is a label
	nan     bool // NaN is decoded, as a missing cell
	drop    bool // a target or weight can be one

	ahead  bytes.Buffer // read and not yet delivered
	sample []float64    // storage of one
}

func (a *array) info() *info { return &a.about }

func (a *array) taken() int64 {
	switch {
	case a.row == 0:
		return 0
	case a.archive != nil:
		return int64(float64(a.in.size) * (float64(a.row) / float64(a.n)))
	case a.in.packed:
		return a.in.position()
	}
	return a.Length + a.row*int64(a.size)
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
	if err := a.fill(n); err != nil {
		return 0, err
	}
	for i := range min(n, a.ahead.Len()/a.size) {
		fault := a.deliver(s, a.ahead.Bytes()[:a.size])
		if fault != nil && i > 0 { // the next read meets it again
			return i, nil
		}
		a.ahead.Next(a.size)
		a.row++
		if fault != nil {
			return 0, fault
		}
		if a.about.dim > 0 {
			s.places = append(s.places, Place{Path: a.in.path, Row: a.row})
		}
		n = i + 1
	}
	return n, nil
}

// survey takes NaN for a missing cell and looks at no targets.
func (a *array) survey(columns, _ []surveyed, n int) (int, error) {
	if len(columns) == 0 {
		return 0, io.EOF
	}
	a.nan, a.drop, a.cols.targets = a.about.gaps, true, nil
	var s samples
	n, err := a.read(&s, min(n, max(1, callElements/len(columns))))
	for i, v := range s.x {
		if v == v {
			columns[i%len(columns)].number(v)
		}
	}
	return n, err
}

// fill reads ahead at least one sample, and at most n. Memory follows the bytes that arrive.
func (a *array) fill(n int) error {
	if a.ahead.Len() >= a.size {
		return nil
	}
	if a.in.ctx.Err() != nil {
		return canceled(a.in.ctx)
	}
	samples := min(int64(n), a.n-a.row, int64(max(1, arrayPiece/a.size)))
	_, err := io.CopyN(&a.ahead, a.stream, samples*int64(a.size)-int64(a.ahead.Len()))
	switch {
	case a.ahead.Len() >= a.size:
		return nil // the next read meets an error again
	case a.in.ctx.Err() == nil && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)):
		return &Error{Path: a.in.path, Row: a.row + 1,
			What: fmt.Sprintf("the data ends within this sample, but the header promises %d samples; it is cut off", a.n)}
	}
	return readFault(a.in.ctx, a.in.path, err)
}

// deliver appends the chosen columns of the next sample, or returns its fault.
func (a *array) deliver(s *samples, raw []byte) *Error {
	if a.labels {
		label, err := a.DType.Label(raw)
		if err != nil {
			return a.fault(0, err.Error())
		}
		s.labels = append(s.labels, label)
		return nil
	}
	var err error
	if a.sample, err = a.DType.Decode(a.sample[:0], raw, a.nan); err != nil {
		return a.fault(len(a.sample)+1, "is "+err.Error())
	}
	if a.pixels {
		for i, v := range a.sample {
			a.sample[i] = v / pixelScale
		}
	}
	switch {
	case a.all && a.about.dim > 0:
		s.x = append(s.x, a.sample...)
	case a.all:
		s.y = append(s.y, a.sample...)
	default:
		return a.pick(s, a.sample)
	}
	return nil
}

// pick is deliver for chosen columns.
func (a *array) pick(s *samples, sample []float64) *Error {
	if col, what := a.wrong(sample); what != "" {
		return a.fault(col+1, what)
	}
	for _, col := range a.cols.targets {
		v, label := sample[col], ""
		if !a.classes {
			s.y = append(s.y, v)
			continue
		}
		if v == v {
			var err error
			if label, err = npy.FloatLabel(v); err != nil {
				return a.fault(col+1, "has "+err.Error())
			}
		}
		s.labels = append(s.labels, label)
	}
	for _, col := range a.cols.weights {
		s.w = append(s.w, sample[col])
	}
	for _, col := range a.cols.inputs {
		s.x = append(s.x, sample[col])
	}
	for _, col := range a.cols.kept {
		s.kept = append(s.kept, strconv.FormatFloat(sample[col], 'g', -1, 64))
	}
	return nil
}

// wrong returns the column of an unusable target or weight of a sample, and the fault.
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

// end returns io.EOF unless the data goes on. Reading to the end verifies the checksums of packed data.
func (a *array) end() error {
	if a.plain() {
		return cmp.Or(a.checkSize(), io.EOF)
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

// fault returns the error for the next sample. column is 0 for the whole sample.
func (a *array) fault(column int, what string) *Error {
	return &Error{Path: a.in.path, Row: a.row + 1, Column: column, What: what, sample: true}
}

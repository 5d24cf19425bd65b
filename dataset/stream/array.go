package stream

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"blskernel/internal/io/memory"
	"blskernel/internal/io/names"
	"blskernel/internal/io/npy"
)

// pixelScale is the divisor of the unsigned bytes of images, as in dataset.Images.Dense.
const pixelScale = 255

// An array delivers the samples of one array from a .npy, .npz or idx file.
type array struct {
	arrayFile
	about   info
	n       int64 // samples
	width   int   // elements of a sample
	size    int   // bytes of a sample
	row     int64 // samples that were delivered or skipped
	cols    choice
	labels  bool // the only column holds labels
	classes bool // the chosen target holds labels
	nan     bool // an input may be missing
	drop    bool // a target, label or weight may be missing, too
	bytes   bool // samples stay bytes

	beyond   []string  // numbers of Options.NA as text, for elements not finite in float64
	na       []float64 // besides NaN, the numbers that stand for a missing cell
	known    []string  // labels that are never read as missing
	naLabels []string  // the labels that stand for a missing label

	runs   [][2]int  // the columns to read, in order, as ranges [from, to)
	raw    []byte    // the next sample
	sample []float64 // its elements in the columns to read
}

func (a *array) info() *info { return &a.about }

func (a *array) taken() int64 {
	switch {
	case a.row == 0:
		return 0
	case a.archive != nil:
		return int64(float64(a.in.size) * (float64(a.row) / float64(a.n)))
	}
	return a.in.position(a.Length + a.row*int64(a.size))
}

func (a *array) read(s *samples) error {
	if a.row == a.n {
		return a.end()
	}
	if err := a.fill(); err != nil {
		return err
	}
	a.row++
	fault := a.deliver(s)
	a.raw = a.raw[:0]
	if fault != nil {
		return fault
	}
	if a.about.dim > 0 {
		s.places = append(s.places, Place{Path: a.in.path, Row: a.row})
	}
	return nil
}

// survey adds the next sample to the statistics of the inputs. It ignores the targets.
func (a *array) survey(columns, _ []surveyed) error {
	if len(columns) == 0 {
		return io.EOF
	}
	a.nan, a.drop, a.cols.targets = a.about.gaps, true, nil
	var s samples
	err := a.read(&s)
	for i, v := range s.x {
		if v == v {
			columns[i].number(v)
		}
	}
	return err
}

// fill reads the next sample into raw, unless raw already holds it.
func (a *array) fill() error {
	if a.in.ctx.Err() != nil {
		return canceled(a.in.ctx)
	}
	var err error
	a.raw, err = memory.ReadTo(a.stream, a.raw, a.size)
	switch {
	case err == nil:
		return nil
	case a.in.ctx.Err() == nil && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)):
		return &Error{Path: a.in.path, Row: a.row + 1,
			What: fmt.Sprintf("the data ends before the end of this sample, but the header declares %s; the file is cut off: fetch or write it again", names.Count(a.n, "sample"))}
	}
	return readFault(a.in.ctx, a.in.path, err)
}

// deliver appends the chosen columns of the sample to s. After a fault s may hold part of the sample.
func (a *array) deliver(s *samples) *Error {
	if a.labels {
		label, err := a.DType.Label(a.raw)
		missing := slices.Contains(a.naLabels, label)
		if a.DType.Text() { // as in a CSV file; text that is not Unicode has no label, but is not missing
			missing = missing || len(bytes.Trim(a.raw, "\x00")) == 0 || err == nil && new(notation).isMissing(label) &&
				!strings.EqualFold(label, "none") && !slices.Contains(a.known, label)
		}
		if a.drop && a.DType.Kind == npy.Float {
			a.sample, _ = a.DType.Decode(a.sample[:0], a.raw, true)
			missing = missing || slices.ContainsFunc(a.sample, func(v float64) bool {
				return v != v || err != nil && slices.Contains(a.na, v)
			})
		}
		switch {
		case missing && a.drop:
			label = ""
		case err != nil:
			return a.fault(0, err.Error())
		case missing:
			return a.fault(0, "the label "+missingValue(names.Shorten(label)))
		}
		s.labels = append(s.labels, label)
		return nil
	}
	if a.bytes {
		s.pixels = append(s.pixels, a.raw...)
		return nil
	}
	for _, run := range a.runs {
		from, to := run[0], run[1]
		for at := from; at < to; at++ {
			cells, err := a.DType.Decode(a.sample[at:at], a.raw[at*a.DType.Size:to*a.DType.Size], a.nan)
			if at += len(cells); err == nil {
				break
			}
			if text := a.DType.Format(a.cell(at)); !slices.Contains(a.beyond, text) {
				return a.fault(at+1, "is "+err.Error())
			}
			a.sample[at] = math.NaN()
		}
		if a.pixels {
			for i := from; i < to; i++ {
				a.sample[i] /= pixelScale
			}
		}
	}
	for _, col := range a.cols.weights {
		v, fault := a.number(col, a.drop)
		if v < 0 {
			fault = a.fault(col+1, negativeWeight(v))
		}
		if fault != nil {
			return fault
		}
		s.w = append(s.w, v)
	}
	for _, col := range a.cols.targets {
		if !a.classes {
			v, fault := a.number(col, a.drop)
			if fault != nil {
				return fault
			}
			s.y = append(s.y, v)
			continue
		}
		v := a.sample[col]
		label, err := npy.FloatLabel(v)
		switch missing := v != v || slices.Contains(a.naLabels, label) || err != nil && slices.Contains(a.na, v); {
		case missing && a.drop:
			label = ""
		case missing:
			return a.fault(col+1, missingValue(v))
		case err != nil:
			return a.fault(col+1, "cannot be read as labels: "+err.Error())
		}
		s.labels = append(s.labels, label)
	}
	for _, col := range a.cols.inputs {
		v := a.sample[col]
		if a.beyond != nil {
			var fault *Error
			if v, fault = a.number(col, a.nan); fault != nil {
				return fault
			}
		}
		s.x = append(s.x, v)
	}
	for _, col := range a.cols.kept {
		s.kept = append(s.kept, a.DType.Format(a.cell(col)))
	}
	return nil
}

func (a *array) cell(col int) []byte { return a.raw[col*a.DType.Size:][:a.DType.Size] }

func (a *array) number(col int, mayMiss bool) (float64, *Error) {
	switch v := a.sample[col]; {
	case v == v && !slices.Contains(a.na, v):
		return v, nil
	case mayMiss:
		return math.NaN(), nil
	default:
		return 0, a.fault(col+1, missingValue(v))
	}
}

func missingValue(value any) string {
	return fmt.Sprintf("is %v, a missing value; fill it in, or remove the row", value)
}

// end returns io.EOF, or an error if the data continues. It verifies the checksum of packed data.
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
			What: fmt.Sprintf("continues after the %s that its header declares; if it has more than one array, save each to its own file", names.Count(a.n, "sample"))}
	default:
		return readFault(a.in.ctx, a.in.path, err)
	}
}

// fault returns the error for the last sample read. column counts from 1; 0 is the whole sample.
func (a *array) fault(column int, what string) *Error {
	return &Error{Path: a.in.path, Row: a.row, Column: column, What: what, sample: true}
}

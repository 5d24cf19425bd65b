package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"blskernel/internal/npy"
)

const (
	// maxColumns bounds the elements of one sample of an array, 128 MB as float64.
	maxColumns = 1 << 24
	// callElements is how many elements one call of read decodes, if they are more than one sample.
	callElements = 1 << 20
	arrayPiece   = 1 << 18 // bytes read at once
)

// pixelScale is what unsigned bytes of images are divided by, as dataset.Images.Dense does.
const pixelScale = 255

// An arrayFile is where an array lies and what it is.
type arrayFile struct {
	ctx    context.Context
	path   string // for messages
	name   string // of the array in an archive, else empty
	dtype  npy.DType
	shape  []int64
	order  bool // Fortran
	bytes  int64
	before int64 // bytes of the content before the elements
	in     *input
	whole  int64             // of an archive, its bytes; else 0
	names  []string          // of the arrays of an archive
	pixels bool              // elements are divided by pixelScale
	verify func() error      // verifies the checksum of what is read by random; nil where there is none
	stream io.Reader         // the elements
	random *io.SectionReader // the elements, nil where they can be read only once
	close  func() error
}

// An array is the source of the samples of one array: the first index is that of the sample.
type array struct {
	arrayFile
	n       int64 // samples
	width   int   // elements of one
	row     int64 // of the next sample
	fortran *panels
	cols    choice
	to      destination
	classes bool // the chosen target is a label
	joint   schema
	piece   []byte
	rest    []byte     // the end of piece that has not been decoded
	scratch []float64  // whole samples of which only some columns are delivered
	held    []float64  // the end of scratch that has not been delivered
	aside   bool       // there is Options.Bad
	bad     *badSample // what is wrong with the sample behind those that are decoded, and which has been passed
}

// A destination says where the elements of an array go.
type destination int

const (
	toInputs  destination = iota // all, in their order
	toTargets                    // all, in their order
	toLabels                     // the only column
	toChoice                     // chosen columns, by way of scratch
)

// newArray makes a source of f with the columns that q asks for.
func newArray(f arrayFile, q *request, opt *Options) (source, error) {
	a := &array{arrayFile: f, classes: opt.Classes, aside: opt.Bad != nil}
	if err := a.measure(); err != nil {
		return nil, err
	}
	if f.random != nil && f.random.Size() != f.bytes {
		return nil, &Error{What: fmt.Sprintf("has %d bytes of elements, but its header promises %d: it is cut off or was changed", f.random.Size(), f.bytes)}
	}
	labels := q.targetsOnly && opt.Classes && a.width == 1
	if f.dtype.Text() && !labels {
		return nil, &Error{What: fmt.Sprintf("elements of type %s are text: inputs must be numbers, and labels an array of their own with one column, read as classes", shorten(f.dtype.Name))}
	}
	if err := a.arrange(); err != nil {
		return nil, err
	}
	switch {
	case labels:
		a.to = toLabels
		a.joint.outputs = 1
	case q.targetsOnly && len(q.targets) == 0:
		a.to = toTargets
		a.joint.outputs = a.width
	case !q.targetsOnly && q.inputs == nil && len(q.targets) == 0:
		a.to = toInputs
		a.joint.dim = a.width
	default:
		a.to = toChoice
		if err := a.foresee(); err != nil {
			return nil, err
		}
		var err error
		if a.cols, err = q.choose(nil, a.width); err != nil {
			return nil, err
		}
		a.joint.dim, a.joint.outputs = len(a.cols.inputs), len(a.cols.targets)
	}
	if f.name != "" && q.targetsOnly && a.joint.outputs == 1 {
		a.joint.targets = []string{f.name}
	}
	if err := checkLabels(opt, a.joint.outputs); err != nil {
		return nil, err
	}
	return a, nil
}

// measure sets n and width.
func (a *array) measure() error {
	if len(a.shape) == 0 {
		return &Error{What: "the array is a single number: samples need at least one dimension"}
	}
	a.n = a.shape[0]
	width := int64(1)
	for _, size := range a.shape[1:] {
		if width *= size; width > maxColumns {
			return &Error{What: fmt.Sprintf("shape %v has more than %d elements in a sample: is the first index that of the sample?", a.shape, maxColumns)}
		}
	}
	if a.n == 0 || width == 0 {
		return &Error{What: fmt.Sprintf("shape %v has no elements: there is nothing to read", a.shape)}
	}
	a.width = int(width)
	return nil
}

// arrange prepares the reading in the order of the elements.
func (a *array) arrange() error {
	// With one row or one column of a matrix the two orders are one.
	if a.order && a.width > 1 && !(a.n == 1 && len(a.shape) == 2) {
		if a.random == nil {
			return &Error{What: "the array is in Fortran order, which cannot be read from a pipe or packed data: save numpy.ascontiguousarray(x), or give a plain .npy file"}
		}
		a.fortran = &panels{array: a}
		return nil
	}
	if a.random != nil {
		a.stream = a.random
	}
	return nil
}

// foresee reads the first sample of data that can be read only once, so that lists of columns are made
// only for columns that are there.
func (a *array) foresee() error {
	if a.random != nil {
		return nil
	}
	want := a.width * a.dtype.Size
	first := make([]byte, 0, min(want, arrayPiece))
	for {
		n, err := io.ReadFull(a.stream, first[len(first):cap(first)])
		first = first[:len(first)+n]
		if err != nil {
			return a.readFault(0, err)
		}
		if len(first) == want {
			a.stream = io.MultiReader(bytes.NewReader(first), a.stream)
			return nil
		}
		grown := make([]byte, len(first), min(want, 2*cap(first)))
		copy(grown, first)
		first = grown
	}
}

func (a *array) schema() *schema { return &a.joint }
func (a *array) rows() int64     { return a.n }

func (a *array) heading() Heading { return Heading{Columns: a.width, Arrays: a.names} }

func (a *array) taken() int64 {
	switch {
	case a.row == 0:
		return 0
	case a.whole > 0:
		return int64(float64(a.whole) * (float64(a.row) / float64(a.n)))
	case a.in.packed:
		return a.in.position()
	}
	return a.before + a.row*int64(a.width)*int64(a.dtype.Size)
}

func (a *array) close() error {
	if a.arrayFile.close == nil {
		return nil
	}
	return a.arrayFile.close()
}

func (a *array) read(b *block, n int) (int, error) {
	if a.row == a.n {
		return 0, a.ended()
	}
	n = int(min(int64(n), a.n-a.row, int64(max(1, callElements/a.width))))
	n, err := a.decode(b, n)
	if err != nil {
		return 0, err
	}
	if a.joint.dim > 0 {
		b.placed(Place{Path: a.path, Row: a.row + 1}, n)
	}
	a.row += int64(n)
	return n, nil
}

// decode appends the next samples, at most n, and returns their number.
func (a *array) decode(b *block, n int) (int, error) {
	if len(a.held) == 0 && a.bad != nil {
		bad := a.bad
		a.bad = nil
		a.row++
		return 0, bad
	}
	var err error
	switch a.to {
	case toInputs:
		b.x, err = a.numbers(b.x, n)
	case toTargets:
		b.y, err = a.numbers(b.y, n)
	case toLabels:
		err = a.texts(b, n)
	default:
		return a.choose(b, n)
	}
	return a.untilBad(n, err)
}

// numbers appends the elements of the next n samples, of those before the first bad one if there is one.
func (a *array) numbers(dst []float64, n int) ([]float64, error) {
	start := len(dst)
	var err error
	if a.fortran != nil {
		dst, err = a.fortran.numbers(dst, n)
	} else {
		err = a.pieces(n, func(src []byte) error {
			done := len(dst) - start
			dst, err = a.dtype.Decode(dst, src)
			return a.valueFault(done, err)
		})
	}
	if a.pixels {
		for i, v := range dst[start:] {
			dst[start+i] = v / pixelScale
		}
	}
	if bad, isBad := err.(*badSample); isBad {
		dst = dst[:start+int(bad.Row-1-a.row)*a.width]
	}
	return dst, err
}

// pieces calls use with the bytes of the next n samples, some whole elements at a time, up to the first
// bad one, which it passes.
func (a *array) pieces(n int, use func([]byte) error) error {
	size := a.dtype.Size
	left := int64(n) * int64(a.width) * int64(size)
	total := left
	if a.piece == nil {
		a.piece = make([]byte, min(a.bytes, int64(max(arrayPiece/size, 1)*size)))
	}
	for left > 0 {
		if len(a.rest) == 0 {
			p := a.piece[:min(left, int64(len(a.piece)))]
			if m, err := io.ReadFull(a.stream, p); err != nil {
				return a.readFault((total-left+int64(m))/int64(size), err)
			}
			a.rest = p
		}
		p := a.rest[:min(left, int64(len(a.rest)))]
		err := use(p)
		if bad, isBad := err.(*badSample); isBad {
			end := (bad.Row - a.row) * int64(a.width) * int64(size)
			if fault := a.pass(total-left, end-(total-left)); fault != nil {
				return fault
			}
		}
		if err != nil {
			return err
		}
		a.rest = a.rest[len(p):]
		left -= int64(len(p))
	}
	return nil
}

// pass goes on by so many bytes, which stand so many behind the beginning of the sample a.row.
func (a *array) pass(behind, bytes int64) error {
	held := min(bytes, int64(len(a.rest)))
	a.rest = a.rest[held:]
	bytes -= held
	if a.random != nil {
		if _, err := a.random.Seek(bytes, io.SeekCurrent); err != nil {
			return readFault(a.ctx, a.path, err)
		}
		return nil
	}
	for left := bytes; left > 0; {
		if a.ctx.Err() != nil {
			return canceled(a.ctx)
		}
		m, err := io.CopyN(io.Discard, a.stream, min(left, 1<<24))
		left -= m
		if err != nil {
			return a.readFault((behind+held+bytes-left)/int64(a.dtype.Size), err)
		}
	}
	return nil
}

// texts appends the labels of the next n samples.
func (a *array) texts(b *block, n int) error {
	size := a.dtype.Size
	have := 0
	return a.pieces(n, func(src []byte) error {
		for ; len(src) > 0; src = src[size:] {
			label, err := a.dtype.Label(src[:size])
			if err != nil {
				return a.unusable(&Error{Path: a.path, Row: a.row + int64(have) + 1, What: plain(err)})
			}
			b.labels = append(b.labels, label)
			have++
		}
		return nil
	})
}

// choose appends the chosen columns of the next samples, at most n, and returns their number.
func (a *array) choose(b *block, n int) (int, error) {
	if len(a.held) == 0 {
		var err error
		a.scratch, err = a.numbers(a.scratch[:0], n)
		if _, err = a.untilBad(n, err); err != nil {
			return 0, err
		}
		a.held = a.scratch
	}
	n = min(n, len(a.held)/a.width)
	n, err := a.gather(b, a.held[:n*a.width])
	a.held = a.held[n*a.width:]
	if _, isBad := err.(*badSample); isBad {
		if n > 0 {
			return n, nil // and it is met again
		}
		a.held = a.held[a.width:]
		a.row++
	}
	return n, err
}

// gather appends the chosen columns of the samples, of those before the first bad one if there is one, and
// returns their number.
func (a *array) gather(b *block, samples []float64) (int, error) {
	b.x = slices.Grow(b.x, len(samples)/a.width*len(a.cols.inputs))
	for i := 0; i < len(samples); i += a.width {
		sample := samples[i : i+a.width]
		for _, col := range a.cols.inputs {
			b.x = append(b.x, sample[col])
		}
		for _, col := range a.cols.targets {
			if !a.classes {
				b.y = append(b.y, sample[col])
				continue
			}
			label, err := npy.FloatLabel(sample[col])
			if err != nil {
				b.x = b.x[:len(b.x)-len(a.cols.inputs)]
				row := i / a.width
				return row, a.unusable(&Error{Path: a.path, Row: a.row + int64(row) + 1, Column: col + 1, What: plain(err)})
			}
			b.labels = append(b.labels, label)
		}
	}
	return len(samples) / a.width, nil
}

// readFault makes the error for a failed read of the element at index done of those asked for.
func (a *array) readFault(done int64, err error) error {
	if a.ctx.Err() == nil && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)) {
		return &Error{Path: a.path, Row: a.row + done/int64(a.width) + 1,
			What: fmt.Sprintf("the data ends within this sample, but the header promises %d samples: it is cut off", a.n)}
	}
	return readFault(a.ctx, a.path, err)
}

// valueFault places the fault of an element, which was decoded after done others of those asked for.
func (a *array) valueFault(done int, err error) error {
	var bad *npy.ValueError
	if !errors.As(err, &bad) {
		return err
	}
	at := done + bad.Index
	return a.badValue(bad, a.row+int64(at/a.width), at%a.width)
}

// badValue is the error for the element in a row and a column, both from 0.
func (a *array) badValue(bad *npy.ValueError, row int64, col int) error {
	return a.unusable(&Error{Path: a.path, Row: row + 1, Column: col + 1, What: bad.Value + " is " + bad.What})
}

// ended returns io.EOF unless the data goes on. Reading up to the end also verifies the checksums of
// packed data.
func (a *array) ended() error {
	if a.random != nil {
		return io.EOF // its size has been checked
	}
	var extra [1]byte
	switch _, err := io.ReadFull(a.stream, extra[:]); err {
	case io.EOF:
		return io.EOF
	case nil:
		return &Error{Path: a.path, What: fmt.Sprintf("goes on after the %d samples that its header promises: is there more than one array in it?", a.n)}
	default:
		return readFault(a.ctx, a.path, err)
	}
}

func (a *array) skip(n int64) (int64, error) {
	n = min(n, a.n-a.row)
	if a.fortran == nil {
		if err := a.pass(0, n*int64(a.width)*int64(a.dtype.Size)); err != nil {
			return 0, err
		}
	}
	a.row += n
	return n, nil
}

// plain returns the text of an error of package npy without the name of the package.
func plain(err error) string {
	var known npy.Error
	if errors.As(err, &known) {
		return string(known)
	}
	return err.Error()
}

package stream

import (
	"bytes"
	"errors"
	"io"

	"blskernel/internal/npy"
)

// maxColumns bounds the elements of one sample of an array, 128 MB as float64.
const maxColumns = 1 << 24

// An arrayFile is one array: its header, and where its elements lie.
type arrayFile struct {
	npy.Header
	in      *input
	name    string            // of the array in an archive, else empty
	archive *archive          // nil for a file of its own
	pixels  bool              // elements are divided by pixelScale
	stream  io.Reader         // the elements
	random  *io.SectionReader // the elements; nil where they can be read only once
	member  io.Closer         // of an archive; nil without one
}

// openNPY makes the source of an array in a file of its own.
func openNPY(in *input, q *request, opt *Options) (source, error) {
	f, err := readNPY(in, in.r)
	if err != nil {
		return nil, err
	}
	f.plainFile()
	return newArray(f, q, opt)
}

// readNPY reads the header of an array.
func readNPY(in *input, r io.Reader) (arrayFile, error) {
	h, err := npy.ReadHeader(r)
	var known npy.Error
	switch {
	case errors.As(err, &known):
		return arrayFile{}, &Error{What: known.Error()}
	case err != nil:
		return arrayFile{}, readFault(in.ctx, in.path, err)
	}
	return arrayFile{Header: h, in: in, stream: r}, nil
}

// plainFile lets elements be read by position where the file is neither packed nor a pipe.
func (f *arrayFile) plainFile() {
	if f.in.random != nil {
		f.random = io.NewSectionReader(f.in.random, f.Length, max(0, f.in.size-f.Length))
	}
}

// newArray makes a source of f with the columns that q selects.
func newArray(f arrayFile, q *request, opt *Options) (source, error) {
	a := &array{arrayFile: f, classes: opt.Classes && !opt.survey, drop: opt.Missing == MissingDrop || opt.survey}
	a.nan = f.DType.Kind == npy.Float && (opt.fills() && !q.targetsOnly || a.drop)
	if err := a.measure(); err != nil {
		return nil, err
	}
	if f.random != nil && f.random.Size() != f.Bytes {
		return nil, faultf("has %d bytes of elements, but its header promises %d; it is cut off or was changed",
			f.random.Size(), f.Bytes)
	}
	a.labels = q.targetsOnly && opt.Classes && a.width == 1
	if f.DType.Text() && !a.labels {
		return nil, faultf("elements of type %s are text; inputs must be numbers, and labels a one-column array of their own, read as classes",
			shorten(f.DType.Name))
	}
	if err := a.order(); err != nil {
		return nil, err
	}
	a.about = info{heading: Heading{Columns: a.width, Dims: len(a.Shape)}, rows: a.n}
	if f.archive != nil {
		a.about.heading.Arrays = f.archive.names
	}
	switch {
	case a.labels:
		a.about.outputs = 1
	case q.targetsOnly && len(q.targets) == 0:
		a.all, a.about.outputs = true, a.width
	case q.all():
		a.all, a.about.dim = true, a.width
	default:
		if err := a.foresee(); err != nil {
			return nil, err
		}
		var err error
		if a.cols, err = q.choose(nil, a.width); err != nil {
			return nil, err
		}
		a.about.dim, a.about.outputs = len(a.cols.inputs), len(a.cols.targets)
	}
	if !q.targetsOnly {
		if err := opt.checkColumns(a.about.dim, false); err != nil {
			return nil, err
		}
		a.about.columns, a.about.gaps = a.cols.inputs, a.nan
	}
	if f.name != "" && q.targetsOnly && a.about.outputs == 1 {
		a.about.targets = []string{f.name}
	}
	if err := checkLabels(opt, a.about.outputs); err != nil {
		return nil, err
	}
	return a, nil
}

// measure sets n and width.
func (a *array) measure() error {
	if len(a.Shape) == 0 {
		return faultf("the array is a single number; samples need at least one dimension")
	}
	a.n = a.Shape[0]
	width := int64(1)
	for _, size := range a.Shape[1:] {
		if width *= size; width > maxColumns {
			return faultf("shape %v has more than %d elements in a sample; the first index must be that of the sample",
				a.Shape, maxColumns)
		}
	}
	if a.n > 0 && width > 0 {
		a.width = int(width)
		return nil
	}
	fault := faultf("shape %v has no elements", a.Shape)
	if a.n == 0 {
		if err := a.end(); err != io.EOF {
			return err
		}
		fault.Err = ErrEmpty
	}
	return fault
}

// order makes stream give the elements in C order.
func (a *array) order() error {
	// With one row or one column of a matrix the two orders are the same.
	turned := a.Fortran && a.width > 1 && !(a.n == 1 && len(a.Shape) == 2)
	switch {
	case turned && (a.random == nil || len(a.Shape) > 2):
		return faultf("the array is in Fortran order, which is read from a plain .npy file of a matrix; " +
			"save numpy.ascontiguousarray(x)")
	case turned:
		a.stream = &fortranReader{arrayFile: a.arrayFile, width: a.width, sample: int64(a.width * a.DType.Size)}
	case a.random != nil:
		a.stream = a.random
	}
	return nil
}

// foresee reads the first sample of data that can be read only once, so that lists of columns are
// made only for columns that are there. Its memory follows the bytes that arrive.
func (a *array) foresee() error {
	if a.random != nil {
		return nil
	}
	var first bytes.Buffer
	if _, err := io.CopyN(&first, a.stream, int64(a.width*a.DType.Size)); err != nil {
		return a.readFault(0, err)
	}
	a.stream = io.MultiReader(&first, a.stream)
	return nil
}

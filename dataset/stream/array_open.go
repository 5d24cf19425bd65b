package stream

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"blskernel/internal/io/names"
	"blskernel/internal/io/npy"
)

// maxColumns is the largest number of elements in a sample of an array. As float64 they take 128 MiB.
const maxColumns = 1 << 24

type arrayFile struct {
	npy.Header
	in      *input
	name    string    // of the array in an archive, else empty
	archive *archive  // nil for a .npy or idx file
	pixels  bool      // elements are divided by pixelScale
	stream  io.Reader // the elements
}

func openNPY(in *input, opt *Options) (source, error) {
	f, err := readNPY(in, in.r)
	if err != nil {
		return nil, err
	}
	return newArray(f, opt)
}

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

// plain reports whether f is a whole file of known size, neither packed nor a pipe.
func (f *arrayFile) plain() bool { return f.in.random != nil && f.archive == nil }

// checkSize returns an error unless the plain file, when opened, had the size that its header declares.
func (f *arrayFile) checkSize() error {
	if size := f.in.size - f.Length; size != f.Bytes {
		return Errorf("has %d bytes of elements, but its header declares %d; the file is cut off or has other data at its end: write it again", size, f.Bytes)
	}
	return nil
}

func newArray(f arrayFile, opt *Options) (source, error) {
	a := &array{arrayFile: f, classes: opt.Classes, drop: opt.Missing == MissingDrop}
	a.nan = opt.fills() && !opt.targetsOnly || a.drop
	a.naLabels, a.known = slices.Clone(opt.NA), opt.Labels
	for _, word := range opt.NA {
		if v, err := opt.notation(Notation{}).value(word); err == nil {
			v = f.DType.Round(v)
			if a.beyond = append(a.beyond, word, fmt.Sprint(v)); f.DType.Kind != npy.Float && inexact(word, v) {
				continue // v itself is not missing
			}
			if label, err := npy.FloatLabel(v); err == nil && !f.DType.Text() {
				a.naLabels = append(a.naLabels, label)
			}
			if f.pixels {
				v /= pixelScale
			}
			a.na = append(a.na, v)
		}
	}
	a.naLabels = slices.DeleteFunc(a.naLabels, func(label string) bool { return slices.Contains(opt.Labels, label) })
	if err := a.measure(); err != nil {
		return nil, err
	}
	if f.plain() {
		if err := f.checkSize(); err != nil {
			return nil, err
		}
	}
	a.labels = opt.targetsOnly && opt.Classes && a.width == 1
	if f.DType.Text() && !a.labels {
		return nil, Errorf("elements of type %s are text; inputs and regression targets must be numbers, and only a separate one-column array of class labels can be text",
			names.Shorten(f.DType.Name))
	}
	// A matrix of one row or one column has the same layout in both orders.
	if a.Fortran && a.width > 1 && !(a.n == 1 && len(a.Shape) == 2) {
		if !a.plain() || len(a.Shape) > 2 {
			return nil, Errorf("the array is in Fortran order, like numpy's x.T and pandas' df.values, but only a " +
				"matrix in a plain .npy file may have this order; save numpy.ascontiguousarray(x)")
		}
		a.stream = &fortranReader{arrayFile: a.arrayFile, width: a.width}
	}
	a.about = info{heading: Heading{Columns: a.width, Shape: a.Shape}, rows: a.n}
	if f.archive != nil {
		a.about.heading.Arrays = f.archive.names
	}
	if a.labels {
		a.about.outputs = 1
	} else {
		// If the size is unknown, the first sample must arrive before columns take memory.
		if !a.plain() {
			if err := a.fill(); err != nil {
				return nil, err
			}
		}
		var err error
		if a.cols, err = opt.choose(nil, a.width); err != nil {
			return nil, err
		}
		a.runs, a.sample = a.cols.runs(), make([]float64, a.width)
		a.about.dim, a.about.outputs, a.about.kept = len(a.cols.inputs), len(a.cols.targets), keptNames(nil, a.cols.kept)
	}
	if !opt.targetsOnly {
		a.about.columns, a.about.taken = a.cols.inputs, slices.Concat(a.cols.targets, a.cols.weights)
		a.about.gaps = f.DType.Kind == npy.Float || a.beyond != nil
	}
	if f.name != "" && opt.targetsOnly && a.about.outputs == 1 {
		a.about.targets = []string{f.name}
	}
	if err := opt.checkChoice(a.about.dim, a.about.outputs, false); err != nil {
		return nil, err
	}
	return a, nil
}

// inexact reports whether word is an integer other than v, the float64 that it is read as.
func inexact(word string, v float64) bool {
	digits := strings.TrimLeft(word, "+-0")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && strconv.FormatFloat(math.Abs(v), 'f', 0, 64) != digits
}

// measure sets n, width and size from the shape, or returns an error for a shape that cannot be read.
func (a *array) measure() error {
	if len(a.Shape) == 0 {
		return Errorf("the array is a single number; samples need at least one dimension")
	}
	a.n = a.Shape[0]
	width := int64(1)
	for _, size := range a.Shape[1:] {
		if width *= size; width > maxColumns {
			return Errorf("shape %v has more than %d elements in a sample; the first dimension must be the number of samples",
				a.Shape, maxColumns)
		}
	}
	if a.n > 0 && width > 0 {
		a.width, a.size = int(width), int(width)*a.DType.Size
		return nil
	}
	fault := Errorf("shape %v has no elements", a.Shape)
	if a.n == 0 {
		if err := a.end(); err != io.EOF {
			return err
		}
		fault.Err = ErrEmpty
	}
	return fault
}

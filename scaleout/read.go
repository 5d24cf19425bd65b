package scaleout

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"blskernel/dataset/stream"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn4x1[context.Context, Shard, func(Batch), func(string), error](&readFn{})
	register.Emitter1[Batch]()
}

// Read reads shards, a PCollection<Shard>, by package dataset/stream: idx, .npy, .npz and CSV, plain or
// gzip. It returns a PCollection<Batch>, and a PCollection<string> with a line for each bad row and
// file that it set aside.
//
// Words, missing cells and numbers are read as the model has them, and counted ([MetricUnknown],
// [MetricFilled], [MetricDropped]).
//
// A shard without samples has no batches: a file of no bytes or of empty lines, a text with only a
// header, an array whose first dimension is 0. Beam reads remote files once from beginning to end, so
// arrays in Fortran order cannot be read there, and .npz is copied to a temporary file.
//
//	memory: for each shard at work, a batch and the few megabytes of stream.Reader; with opt.SkipBad
//	above 0 also the nodes of the batch, 8k bytes a row.
//	panics: for invalid options, a model file that cannot be read, or a PCollection of another type.
//	errors, of the pipeline: the first bad row, by file, line and column (stream.Error), or, with
//	opt.KnownLabels, label unknown to the model; the first file that cannot be opened, is cut off,
//	has a wrong checksum, or does not fit the inputs of the model. With opt.SkipBad above 0 Read
//	sets these aside, and samples whose nodes overflow, and more than SkipBad in one shard are an
//	error. A file that is set aside counts once, and none of its rows is learned.
func Read(s beam.Scope, shards beam.PCollection, opt ReadOptions) (batches, bad beam.PCollection) {
	checkOptions(opt.Model, opt.SkipBad)
	if opt.Batch < 0 || opt.Batch > math.MaxInt32 {
		panic(fmt.Errorf("scaleout: the batches have %d rows; want 0 to %d", opt.Batch, math.MaxInt32))
	}
	fn := &readFn{withModel: useModel(opt.Model), Options: opt}
	fn.Options.Batch = opt.rows(fn.base.inputs())
	return beam.ParDo2(s.Scope("scaleout.Read"), fn, shards)
}

// A readFn reads shards. It keeps nothing between two of them.
type readFn struct {
	withModel
	Options ReadOptions
}

// ProcessElement emits the batches of a shard, and what it sets aside.
func (fn *readFn) ProcessElement(ctx context.Context, shard Shard, batch func(Batch), bad func(string)) error {
	if fn.Options.SkipBad == 0 {
		if _, err := fn.read(ctx, shard, nil, batch); err != nil {
			return fmt.Errorf("scaleout: %w", err)
		}
		return nil
	}
	checked := &faults{limit: fn.Options.SkipBad, each: func(string) {}, large: map[int64]bool{}}
	rows, err := fn.read(ctx, shard, checked, func(Batch) {})
	var fault *stream.Error
	if errors.As(err, &fault) && permanent(fault) {
		badCounter.Inc(ctx, 1)
		badFilesCounter.Inc(ctx, 1)
		bad(lineOf(fault) + " (the whole file is left out)")
		return nil
	}
	if err != nil {
		return fmt.Errorf("scaleout: %w", err)
	}
	learned := &faults{limit: checked.count, each: bad, large: checked.large, searched: true}
	again, err := fn.read(ctx, shard, learned, batch)
	badCounter.Inc(ctx, learned.count)
	if err == nil && (again != rows || learned.count != checked.count) {
		err = fmt.Errorf("there are %d samples and %d bad rows", again, learned.count)
	}
	if err != nil {
		return fmt.Errorf("scaleout: %s changed between two readings, the first of which found %d samples and %d bad rows: %w",
			shard.Path, rows, checked.count, err)
	}
	return nil
}

// permanent reports whether a fault is one of the file, and not of a disk or a network at the moment:
// that fails the bundle, which the runner repeats.
func permanent(fault *stream.Error) bool {
	if fault.Err == nil {
		return true
	}
	var corrupt flate.CorruptInputError
	var text *csv.ParseError
	if errors.As(fault.Err, &corrupt) || errors.As(fault.Err, &text) {
		return true
	}
	return slices.ContainsFunc([]error{
		fs.ErrNotExist, fs.ErrPermission, io.EOF, io.ErrUnexpectedEOF,
		gzip.ErrHeader, gzip.ErrChecksum, zip.ErrFormat, zip.ErrChecksum, zip.ErrAlgorithm,
	}, func(of error) bool { return errors.Is(fault.Err, of) })
}

// faults are the bad rows of a shard. A nil *faults accepts none.
type faults struct {
	limit int64
	each  func(line string)
	count int64

	// large are the samples that overflow, by the number of samples with known labels before each.
	// The first reading finds them, and the second, searched, looks them up.
	large    map[int64]bool
	searched bool
}

// A tooManyError says that a shard has more bad rows than the limit. It does not unwrap to the fault of
// a row, which is not one of the file.
type tooManyError struct {
	limit int64
	last  string
}

func (e *tooManyError) Error() string {
	return fmt.Sprintf("more than %d bad rows, the last of which is: %s; correct the data, or raise the limit", e.limit, e.last)
}

// add counts a bad row.
func (f *faults) add(fault *stream.Error) error {
	switch {
	case f == nil:
		return fault
	case f.count == f.limit:
		return &tooManyError{f.limit, lineOf(fault)}
	}
	f.count++
	f.each(lineOf(fault))
	return nil
}

// lineOf returns the text of a fault, which begins with the file.
func lineOf(fault *stream.Error) string { return strings.TrimPrefix(fault.Error(), "stream: ") }

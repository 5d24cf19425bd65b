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
// file that was set aside.
//
// A shard without samples has no batches: a file of no bytes or of empty lines, a text with only a
// header, an array whose first dimension is 0. Beam opens files of other file systems and reads them
// once from beginning to end, so that arrays in Fortran order cannot be read there, and .npz is copied
// to a temporary file.
//
//	memory: for each shard at work, a batch and the few megabytes of stream.Reader; with opt.SkipBad
//	above 0 also the nodes of the batch, 8k bytes a row.
//	panics: where TryRead returns an error.
//	errors, of the pipeline: the first bad row, by file,
//	line and column (stream.Error), or label unknown to the model; the first file that cannot be
//	opened, is cut off, has a wrong checksum, or does not fit the inputs of the model. With
//	opt.SkipBad above 0 these, and samples too large to be learned, are set aside, and more than
//	SkipBad in one shard are an error. A file that is set aside counts once, and none of its rows is
//	learned.
func Read(s beam.Scope, shards beam.PCollection, opt ReadOptions) (batches, bad beam.PCollection) {
	batches, bad, err := TryRead(s, shards, opt)
	if err != nil {
		panic(err)
	}
	return batches, bad
}

// TryRead is Read and returns an error for invalid options, a model file that cannot be read, or a
// PCollection of another type.
func TryRead(s beam.Scope, shards beam.PCollection, opt ReadOptions) (batches, bad beam.PCollection, err error) {
	s = s.Scope("scaleout.Read")
	if err := opt.check(); err != nil {
		return batches, bad, err
	}
	model, b, err := newModelRef(context.Background(), opt.Model)
	if err != nil {
		return batches, bad, err
	}
	opt.Batch = opt.rows(b.inputs())
	out, err := beam.TryParDo(s, &readFn{Model: model, Options: opt, base: b}, shards)
	if err != nil {
		return batches, bad, err
	}
	return out[0], out[1], nil
}

// A readFn reads shards. It keeps nothing between two of them.
type readFn struct {
	Model   modelRef
	Options ReadOptions

	base *base // as that of a statesFn
}

// Setup loads the model.
func (fn *readFn) Setup(ctx context.Context) (err error) {
	fn.base, err = fn.Model.load(ctx)
	return err
}

// ProcessElement hands out the batches of a shard, and what was set aside.
func (fn *readFn) ProcessElement(ctx context.Context, shard Shard, batch func(Batch), bad func(string)) error {
	if fn.Options.SkipBad == 0 {
		_, err := fn.read(ctx, shard, nil, nil, batch)
		return prefixed(err)
	}
	checked := &tally{limit: fn.Options.SkipBad}
	beyond := &large{found: map[int64]bool{}, limit: fn.Options.SkipBad}
	rows, err := fn.read(ctx, shard, beyond, checked.add, func(Batch) {})
	var fault *stream.Error
	if errors.As(err, &fault) && lasting(fault) {
		badCounter.Inc(ctx, 1)
		badFilesCounter.Inc(ctx, 1)
		bad(lineOf(fault) + " (the whole file is left out)")
		return nil
	}
	if err != nil {
		return prefixed(err)
	}
	learned := &tally{limit: checked.count, each: bad}
	beyond.known = true
	again, err := fn.read(ctx, shard, beyond, learned.add, batch)
	badCounter.Inc(ctx, learned.count)
	if err == nil && (again != rows || learned.count != checked.count) {
		err = fmt.Errorf("there are %d samples and %d bad rows", again, learned.count)
	}
	if err != nil {
		return fmt.Errorf("scaleout: %s has changed while it was read, or is read in another way than before, when it had %d samples and %d bad rows: %w", shard.Path, rows, checked.count, err)
	}
	return nil
}

// lasting reports whether a fault is one of the file, and not of a disk or a network at that moment:
// that fails the bundle, which the runner runs again.
func lasting(fault *stream.Error) bool {
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

// prefixed adds the name of the package to an error, if any.
func prefixed(err error) error {
	if err != nil {
		return fmt.Errorf("scaleout: %w", err)
	}
	return nil
}

// A tally counts the bad rows of a shard.
type tally struct {
	limit int64
	each  func(string) // receives each; may be nil
	count int64
}

// A tooManyError says that a shard has more bad rows than may be set aside. It does not unwrap to the
// fault of a row, which is not one of the file.
type tooManyError struct {
	limit int64
	last  string
}

func (e *tooManyError) Error() string {
	return fmt.Sprintf("more than %d bad rows, the last of which is: %s; mend the data, or raise the limit", e.limit, e.last)
}

// add counts a bad row.
func (t *tally) add(fault *stream.Error) error {
	if t.count == t.limit {
		return &tooManyError{t.limit, lineOf(fault)}
	}
	t.count++
	if t.each != nil {
		t.each(lineOf(fault))
	}
	return nil
}

// lineOf returns the text of a fault, which begins with the file.
func lineOf(fault *stream.Error) string { return strings.TrimPrefix(fault.Error(), "stream: ") }

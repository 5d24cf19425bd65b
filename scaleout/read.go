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

// Read reads shards, PCollection<Shard>, by package dataset/stream: idx, .npy, .npz and CSV, plain or
// gzip. It returns a PCollection<Batch>, and a PCollection<string> with a line for each row and file
// that was set aside, which names it and says what is wrong with it.
//
// A shard without samples has no batches: a file of no bytes or of empty lines, a text of a header
// alone, an array whose first dimension is 0. Images in idx files are scaled to [0,1], as stream does.
// Files of this machine are opened by their path; those of other file systems by Beam, and read once
// from their beginning to their end, so that arrays in Fortran order cannot be read from there, and
// .npz is copied to a temporary file.
//
//	memory: of a worker, for each shard at work, a batch and the few megabytes of stream.Reader; with
//	opt.SkipBad above 0 also the nodes of the batch, 8k bytes a row.
//	panics: where TryRead returns an error.
//	errors, of the pipeline: the first row that is bad, by file, line and column (stream.Error), also
//	for a label that is none of the model's classes; and likewise the first file that cannot be
//	opened, is cut off, has a wrong checksum, or does not fit the model by the number or the names of
//	its inputs. With opt.SkipBad above 0 these are set aside, and so are samples that are too large to be
//	learned, and the error is that one shard has more than that. A file that is set aside counts once, whatever the number of its rows, and none of them
//	is learned.
func Read(s beam.Scope, shards beam.PCollection, opt ReadOptions) (batches, bad beam.PCollection) {
	batches, bad, err := TryRead(s, shards, opt)
	if err != nil {
		panic(err)
	}
	return batches, bad
}

// TryRead is Read that returns an error where the pipeline cannot be built: for options that cannot be,
// a model file that cannot be read, a PCollection of another type.
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

// A readFn reads shards. Its outputs are all that it does, and it keeps nothing between two of them.
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

// lasting tells whether a fault is one of the file, which will have it when it is read again, and not of a disk or a
// network at that moment: for that a bundle fails, which the runner runs again.
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

// prefixed says that an error comes from here, unless it is none.
func prefixed(err error) error {
	if err != nil {
		return fmt.Errorf("scaleout: %w", err)
	}
	return nil
}

// A tally counts the bad rows of a shard.
type tally struct {
	limit int64
	each  func(string) // is told of each; may be nil
	count int64
}

// A tooManyError says that a shard has more bad rows than may be set aside. It does not unwrap to the
// fault of a row, so that nobody takes it for one of the file.
type tooManyError struct {
	limit int64
	last  string
}

func (e *tooManyError) Error() string {
	return fmt.Sprintf("more than %d bad rows, the last of which is: %s: mend the data, or raise the limit", e.limit, e.last)
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

// lineOf returns the line about a fault, which begins with the file.
func lineOf(fault *stream.Error) string { return strings.TrimPrefix(fault.Error(), "stream: ") }

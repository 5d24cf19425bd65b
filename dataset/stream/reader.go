package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"blskernel/dataset"
	"blskernel/mat"
)

const panicRows = "stream: number of rows below 1"

// A Batch is some consecutive samples. It belongs to the caller and shares nothing with the Reader.
type Batch struct {
	X      *mat.Dense // inputs, rows×Dim
	Y      *mat.Dense // targets that are numbers, rows×Outputs; nil for labels and where there are no targets
	Labels []string   // targets that are labels, one for each row; nil unless Options.Classes
	First  int64      // samples before the first of this batch, those that were skipped included
}

// A Reader delivers the samples of one or more sources in batches. It is for one goroutine.
type Reader struct {
	ctx     context.Context
	cancel  context.CancelFunc
	opt     Options
	paths   []string
	sizes   []int64 // bytes of each file, -1 where that is unknown
	known   []int64 // samples of each file, -1 where that is unknown
	first   source  // its schema is everyone's
	text    *csvLayout
	current source
	at      int // current's place in paths
	count   atomic.Int64
	passed  int64 // samples delivered or skipped
	largest int   // rows of the largest batch so far
	err     error // what ended the reading
}

// Open opens the sources that paths name, to be read one after the other. "-" is standard input. gzip
// is unpacked, whatever the name. A folder with MNIST's file names is its training set of images and
// labels, or the test set if opt.Test is set.
//
// The beginnings of all files are read now, so that what does not fit is found before hours of work:
// columns must agree in number, and in their names where files have a header. A later text without a
// header takes that of the first. A path that is no regular file, such as a named pipe, is looked at
// only when it is reached.
//
// ctx governs the Reader for all its life: once it is done, every call fails with an error that wraps
// context.Cause(ctx).
//
//	errors: *Error for what is wrong with a source; others for options that contradict each other and
//	for ctx.
func Open(ctx context.Context, paths []string, opt Options) (*Reader, error) {
	if err := opt.check(paths); err != nil {
		return nil, err
	}
	inner, cancel := context.WithCancel(ctx)
	r := &Reader{ctx: inner, cancel: cancel, opt: opt, paths: paths}
	for i, path := range paths {
		if err := r.look(i, path); err != nil {
			cancel()
			if r.current != nil {
				r.current.close()
			}
			return nil, err
		}
	}
	return r, nil
}

// look opens the first source to be read and later ones to be checked.
func (r *Reader) look(i int, path string) error {
	r.sizes = append(r.sizes, -1)
	r.known = append(r.known, -1)
	regular := false
	if path != stdinPath {
		info, err := os.Stat(path)
		if err != nil {
			return openFault(path, err)
		}
		if regular = info.Mode().IsRegular(); regular {
			r.sizes[i] = info.Size()
		}
		regular = regular || info.IsDir()
	}
	if i == 0 {
		s, err := r.open(path, &r.count)
		if err != nil {
			return err
		}
		r.first, r.current, r.known[0] = s, s, s.rows()
		if text, ok := s.(*csvSource); ok {
			r.text = text.layout
		}
		return nil
	}
	if !regular {
		return nil
	}
	s, err := r.open(path, new(atomic.Int64))
	if err != nil {
		return err
	}
	defer s.close()
	r.known[i] = s.rows()
	return agree(path, r.paths[0], s.schema(), r.first.schema())
}

// open opens the source at path, with its targets where they are a file of their own.
func (r *Reader) open(path string, count *atomic.Int64) (source, error) {
	if r.ctx.Err() != nil {
		return nil, canceled(r.ctx)
	}
	targetPath, opt := r.opt.TargetPath, r.opt
	if path != stdinPath {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			images, labels, err := dataset.FindMNIST(path, r.opt.Test)
			if err != nil {
				return nil, &Error{Path: path, What: "a folder must have the files of MNIST", Err: err}
			}
			path, opt.Format = images, IDX
			if targetPath == "" {
				targetPath = labels
			}
		}
	}
	if targetPath == "" {
		q := request{inputs: opt.Inputs, targets: opt.Targets}
		return openSource(r.ctx, path, &q, &opt, r.text, count)
	}
	x, err := openSource(r.ctx, path, &request{inputs: opt.Inputs}, &opt, r.text, count)
	if err != nil {
		return nil, err
	}
	opt.Format = Auto
	y, err := openSource(r.ctx, targetPath, &request{targets: opt.Targets, targetsOnly: true}, &opt, nil, new(atomic.Int64))
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	return newPair(x, y, display(path), display(targetPath))
}

// display returns a path as messages show it.
func display(path string) string {
	if path == stdinPath {
		return stdinName
	}
	return path
}

// Inputs returns the names of the columns of X, nil where the first source has none.
func (r *Reader) Inputs() []string { return append([]string(nil), r.first.schema().inputs...) }

// Targets returns the names of the targets, nil where the first source has none.
func (r *Reader) Targets() []string { return append([]string(nil), r.first.schema().targets...) }

// Dim returns d, the number of columns of X.
func (r *Reader) Dim() int { return r.first.schema().dim }

// Outputs returns the number of target columns: columns of Y, 1 for labels, 0 where there are no
// targets.
func (r *Reader) Outputs() int { return r.first.schema().outputs }

// Rows returns the number of samples of all sources together, those that were delivered included, or -1
// where it is not known before the end, as for a text.
func (r *Reader) Rows() int64 { return sum(r.known) }

// Bytes returns how many bytes of the sources have been read, and how many there are, -1 where that is
// not known, as for standard input. Packed files count as they are. Reading is ahead of Next by some
// megabytes at most, and what Skip jumps over in an array counts at the end of its file.
func (r *Reader) Bytes() (done, total int64) {
	if total = sum(r.sizes); total >= 0 && r.err == io.EOF {
		return total, total
	}
	read := r.count.Load()
	for i := range r.at {
		done += max(0, r.sizes[i])
	}
	if r.at < len(r.sizes) && r.sizes[r.at] >= 0 {
		// Some parts are read more than once, such as the directory of an archive.
		read = min(read, r.sizes[r.at])
	}
	return done + read, total
}

// sum adds counts, -1 where one of them is unknown.
func sum(counts []int64) int64 {
	total := int64(0)
	for _, n := range counts {
		if n < 0 {
			return -1
		}
		total += n
	}
	return total
}

// Next returns the next rows samples, fewer at the end of the last source only, and io.EOF after it. A
// batch goes on from one source to the next.
//
// Memory follows what has been read, not what rows or a header promises. After an error every further
// call returns that error; samples of the batch that were read before it are lost.
//
//	panics: unless rows >= 1.
//	errors: *Error that names the place of what is wrong; ErrClosed after Close; for a context that is
//	done an error that wraps its cause.
func (r *Reader) Next(rows int) (*Batch, error) {
	if rows < 1 {
		panic(panicRows)
	}
	shape := r.first.schema()
	var b block
	if hint := min(rows, r.largest); hint > 0 {
		b.x = make([]float64, 0, hint*shape.dim)
		if r.opt.Classes && shape.outputs > 0 {
			b.labels = make([]string, 0, hint)
		} else {
			b.y = make([]float64, 0, hint*shape.outputs)
		}
	}
	have := 0
	for have < rows {
		n, err := r.step(func(s source) (int64, error) {
			n, err := s.read(&b, rows-have)
			return int64(n), err
		})
		if err == io.EOF && have > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		have += int(n)
	}
	out := &Batch{X: mat.NewDense(have, shape.dim, b.x), Labels: b.labels, First: r.passed}
	if len(b.y) > 0 {
		out.Y = mat.NewDense(have, shape.outputs, b.y)
	}
	r.passed += int64(have)
	r.largest = max(r.largest, have)
	return out, nil
}

// step lets the current source do some work, goes on to the next source at the end of one, and keeps
// the error that ends the reading.
func (r *Reader) step(work func(source) (int64, error)) (int64, error) {
	for r.err == nil {
		if r.ctx.Err() != nil {
			r.err = canceled(r.ctx)
			break
		}
		n, err := work(r.current)
		if err == nil {
			return n, nil
		}
		if err == io.EOF {
			err = r.advance()
		}
		r.err = err
	}
	return 0, r.err
}

// advance closes the current source and opens the next; io.EOF if it was the last.
func (r *Reader) advance() error {
	if r.at+1 == len(r.paths) {
		return io.EOF
	}
	err := r.current.close()
	r.current = nil
	if err != nil {
		return readFault(r.ctx, display(r.paths[r.at]), err)
	}
	r.at++
	r.count.Store(0)
	s, err := r.open(r.paths[r.at], &r.count)
	if err != nil {
		return err
	}
	r.current = s
	r.known[r.at] = s.rows()
	return agree(display(r.paths[r.at]), display(r.paths[0]), s.schema(), r.first.schema())
}

// Skip passes the next rows samples, so that a run can be taken up where it was left. Texts are parsed
// on the way and their faults found; in arrays that are plain files it takes no time.
//
//	panics: unless rows >= 0.
//	errors: as Next, and *Error with io.ErrUnexpectedEOF where there are fewer samples.
func (r *Reader) Skip(rows int64) error {
	if rows < 0 {
		panic(panicRows)
	}
	for left := rows; left > 0; {
		n, err := r.step(func(s source) (int64, error) {
			n, err := s.skip(left)
			if n == 0 && err == nil {
				_, err = s.read(new(block), 1) // io.EOF, unless the end has a fault
			}
			return n, err
		})
		if err == io.EOF {
			return &Error{Path: display(r.paths[r.at]), Err: io.ErrUnexpectedEOF,
				What: fmt.Sprintf("the sources end after %d samples, but %d were to be passed: they are not those of the earlier run",
					r.passed, r.passed+left)}
		}
		if err != nil {
			return err
		}
		left -= n
		r.passed += n
	}
	return nil
}

// Close ends the reading, waits for the work that goes on in the background, except for a read of
// standard input that the operating system does not return, and closes the files. Further calls of Next
// and Skip return ErrClosed, and of Close nil.
func (r *Reader) Close() error {
	if errors.Is(r.err, ErrClosed) {
		return nil
	}
	r.cancel()
	r.err = ErrClosed
	if r.current == nil {
		return nil
	}
	err := r.current.close()
	r.current = nil
	return err
}

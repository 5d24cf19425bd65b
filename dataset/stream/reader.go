package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"blskernel/mat"
)

const (
	panicRows = "stream: number of rows below 1"
	panicSkip = "stream: negative number of rows"
)

// A Batch is some consecutive samples. It belongs to the caller and shares nothing with the Reader.
type Batch struct {
	X      *mat.Dense // inputs, rows×Dim
	Y      *mat.Dense // targets that are numbers, rows×Outputs; nil for labels and where there are no targets
	Labels []string   // targets that are labels, one for each row; nil unless Options.Classes
	First  int64      // samples before the first of this batch, those that were skipped or left out included
	places []stretch
}

// A Reader delivers the samples of one or more sources in batches. It is for one goroutine.
type Reader struct {
	ctx     context.Context
	cancel  context.CancelFunc
	opt     Options
	paths   []string
	sizes   []int64 // bytes of each file, -1 where that is unknown
	known   []int64 // samples of each file, -1 where that is unknown
	shape   schema  // of the first source, which is everyone's
	heading Heading // of the first source
	text    *csvLayout
	current *opened
	at      int   // current's place in paths
	taken   int64 // bytes of the sources before current
	begun   bool  // Next or Skip has been called
	passed  int64 // samples delivered, skipped or left out
	largest int   // rows of the largest batch so far
	err     error // what ended the reading
}

// Open opens the sources that paths name, to be read one after the other. "-" is standard input. gzip
// is unpacked, whatever the name. A folder with MNIST's file names is its training set of images and
// labels, or the test set if opt.Test is set.
//
// The beginnings of all files are read now, so that what does not fit is found before hours of work:
// columns must agree in number, and in their names where files have a header. A later text without a
// header takes that of the first. A path that is no regular file, such as a named pipe or what
// Options.Open opens, is looked at only when it is reached. The columns may be chosen later, by Select.
//
// ctx governs the Reader for all its life: once it is done, every call fails with an error that wraps
// context.Cause(ctx), also one that waits for a pipe that nobody writes to.
//
//	errors: *Error for what is wrong with a source; others for options that contradict each other and
//	for ctx.
func Open(ctx context.Context, paths []string, opt Options) (*Reader, error) {
	if err := opt.check(paths); err != nil {
		return nil, err
	}
	opt.Inputs, opt.Targets = slices.Clone(opt.Inputs), slices.Clone(opt.Targets)
	inner, cancel := context.WithCancel(ctx)
	r := &Reader{ctx: inner, cancel: cancel, opt: opt, paths: slices.Clone(paths),
		sizes: make([]int64, len(paths)), known: make([]int64, len(paths))}
	for i := range paths {
		if err := r.look(i); err != nil {
			if r.current != nil {
				err = errors.Join(err, r.current.close())
			}
			cancel()
			return nil, err
		}
	}
	return r, nil
}

// look opens the first source to be read and later ones to be checked.
func (r *Reader) look(i int) error {
	path := r.paths[i]
	r.sizes[i], r.known[i] = -1, -1
	regular := false
	if path != stdinPath && r.opt.Open == nil {
		info, err := os.Stat(path)
		if err != nil {
			return openFault(r.ctx, path, err)
		}
		if regular = info.Mode().IsRegular(); regular {
			r.sizes[i] = info.Size()
		}
		regular = regular || info.IsDir()
	}
	if i > 0 && !regular {
		return nil
	}
	o, err := r.open(path, i > 0)
	if err != nil {
		return err
	}
	if i == 0 {
		r.current = o
		r.settle()
		return nil
	}
	r.known[i] = o.source.rows()
	return errors.Join(agree(display(path), display(r.paths[0]), o.source.schema(), &r.shape), o.close())
}

// open opens the source at path.
func (r *Reader) open(path string, inline bool) (*opened, error) {
	o, err := openPath(r.ctx, path, &r.opt)
	if err != nil {
		return nil, err
	}
	if err := o.make(&r.opt, r.text, inline); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// Inputs returns the names of the columns of X, nil where the first source has none.
func (r *Reader) Inputs() []string { return append([]string(nil), r.shape.inputs...) }

// Targets returns the names of the targets, nil where the first source has none.
func (r *Reader) Targets() []string { return append([]string(nil), r.shape.targets...) }

// Dim returns d, the number of columns of X.
func (r *Reader) Dim() int { return r.shape.dim }

// Outputs returns the number of target columns: columns of Y, 1 for labels, 0 where there are no
// targets.
func (r *Reader) Outputs() int { return r.shape.outputs }

// Rows returns the number of samples of all sources together, those that were delivered or left out
// included, or -1 where it is not known before the end, as for a text.
func (r *Reader) Rows() int64 { return sum(r.known) }

// Bytes returns how many bytes of the sources the samples took that have been delivered, skipped or left
// out, with what stands before them, such as a header, and how many bytes there are, -1 where that is not
// known, as for standard input. What has been read ahead does not count. Of n samples that took done
// bytes, a text of total bytes has about n total/done.
//
// In plain texts and arrays done is exact. In gzip it is the place in the packed data, to some tens of
// kilobytes; in an .npz the share of its size that its samples have of all. A file of targets does not
// count. For files done depends on nothing but the samples, not on time.
func (r *Reader) Bytes() (done, total int64) {
	total = sum(r.sizes)
	switch {
	case r.err == io.EOF && total >= 0:
		return total, total
	case r.current != nil && r.err != io.EOF:
		return r.taken + r.current.taken(), total
	}
	return r.taken, total
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
// batch goes on from one source to the next, and over samples that Options.Bad leaves out.
//
// Memory follows what has been read, not what rows or a header promises. After an error every further
// call returns that error; samples of the batch that were read before it are lost.
//
//	panics: unless rows >= 1.
//	errors: *Error that names the place of what is wrong; that of Options.Bad; ErrClosed after Close; for
//	a context that is done an error that wraps its cause.
func (r *Reader) Next(rows int) (*Batch, error) {
	if rows < 1 {
		panic(panicRows)
	}
	r.begin()
	var b block
	if hint := min(rows, r.largest); hint > 0 {
		b.x = make([]float64, 0, hint*r.shape.dim)
		if r.opt.Classes && r.shape.outputs > 0 {
			b.labels = make([]string, 0, hint)
		} else {
			b.y = make([]float64, 0, hint*r.shape.outputs)
		}
	}
	var first int64
	for b.samples < rows {
		n, err := r.step(func(s source) (int64, error) {
			n, err := s.read(&b, rows-b.samples)
			return int64(n), err
		})
		if err == io.EOF && b.samples > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if int64(b.samples) == n {
			first = r.passed
		}
		r.passed += n
	}
	out := r.batch(&b)
	out.First = first
	r.largest = max(r.largest, b.samples)
	return out, nil
}

// begin is called by the first Next or Skip, after which there is no going back.
func (r *Reader) begin() {
	if !r.begun && r.current != nil {
		r.current.release()
	}
	r.begun = true
}

// batch makes a batch of what has been read.
func (r *Reader) batch(b *block) *Batch {
	out := &Batch{X: mat.NewDense(b.samples, r.shape.dim, b.x), Labels: b.labels, places: b.places}
	if len(b.y) > 0 {
		out.Y = mat.NewDense(b.samples, r.shape.outputs, b.y)
	}
	return out
}

// step lets the current source do some work, goes on to the next source at the end of one and behind bad
// samples, and keeps the error that ends the reading.
func (r *Reader) step(work func(source) (int64, error)) (int64, error) {
	for r.err == nil {
		if r.ctx.Err() != nil {
			r.err = canceled(r.ctx)
			break
		}
		n, err := work(r.current.source)
		if err == nil {
			return n, nil
		}
		switch bad, isBad := err.(*badSample); {
		case isBad:
			r.passed++
			r.err = errPanicked // which stays where Bad panics
			r.err = r.opt.Bad((*Error)(bad))
		case err == io.EOF:
			r.err = r.advance()
		default:
			r.err = err
		}
	}
	return 0, r.err
}

// advance closes the current source and opens the next; io.EOF if it was the last.
func (r *Reader) advance() error {
	taken := r.current.taken()
	if r.sizes[r.at] >= 0 {
		taken = r.sizes[r.at]
	}
	r.taken += taken
	if r.at+1 == len(r.paths) {
		return io.EOF
	}
	err := r.current.close()
	r.current = nil
	if err != nil {
		return readFault(r.ctx, display(r.paths[r.at]), err)
	}
	r.at++
	r.err = errPanicked // which stays where Options.Open panics
	o, err := r.open(r.paths[r.at], false)
	if err != nil {
		return err
	}
	o.release()
	r.current = o
	r.known[r.at] = o.source.rows()
	return agree(display(r.paths[r.at]), display(r.paths[0]), o.source.schema(), &r.shape)
}

// Skip passes the next rows samples, so that a run can be taken up where it was left. Texts are parsed
// on the way and their faults found; in arrays that are plain files it takes no time. With Options.Bad
// it passes bad samples as it does good ones, in texts too, so that Skip(b.First) comes to the batch b.
//
//	panics: unless rows >= 0.
//	errors: as Next, and *Error with io.ErrUnexpectedEOF where there are fewer samples.
func (r *Reader) Skip(rows int64) error {
	if rows < 0 {
		panic(panicSkip)
	}
	r.begin()
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
// standard input that the operating system does not return, or of what Options.Open has opened, and
// closes the files. Further calls of Next and Skip return ErrClosed, and of Close nil.
func (r *Reader) Close() error {
	if errors.Is(r.err, ErrClosed) {
		return nil
	}
	r.taken, _ = r.Bytes()
	r.cancel()
	r.err = ErrClosed
	if r.current == nil {
		return nil
	}
	err := r.current.close()
	r.current = nil
	return err
}

package stream

import (
	"context"
	"errors"
	"io"
	"slices"

	"blskernel/internal/io/names"
	"blskernel/internal/io/vfs"
	"blskernel/mat"
)

const panicRows = "stream: number of rows below 1"

// A Reader delivers the samples of one or more sources in batches. One goroutine may use it at a time.
// The zero value is closed.
type Reader struct {
	ctx     context.Context
	cancel  context.CancelFunc
	opt     Options
	paths   []string
	sizes   []int64 // bytes of each file, -1 if unknown
	known   []int64 // samples of each file, -1 if unknown
	about   info    // of the first source, with which the others agree
	current *files
	at      int   // index of the path of current
	taken   int64 // bytes of the sources before current
	begun   bool  // Next was called
	passed  int64 // samples delivered or left out
	largest int   // rows of the largest batch so far
	tally   Tally
	err     error // the error that ended the reading
}

// Open opens the sources that paths name, to be read one after the other. "-" is standard input.
// Gzipped files are unpacked, whatever their names. A folder with the files of MNIST stands for its
// training set, or with opt.Test for its test set.
//
// Open reads the beginnings of all files, so that a mismatch is found before hours of work. Columns
// must agree in number, and in their names if files have a header. A later file without a header takes
// the header of the first. Later pipes, and later sources of Options.Open, are opened only when they
// are reached. [Reader.Select] can choose other columns later.
//
// ctx is the context of all calls: once it is done, every call fails with an error that wraps
// context.Cause(ctx), even a call that waits for a pipe.
//
//	errors: *Error for a fault of a source, which wraps [ErrEmpty] if the source is empty; other
//	errors for contradictory options and for ctx.
func Open(ctx context.Context, paths []string, opt Options) (*Reader, error) {
	if err := opt.check(paths); err != nil {
		return nil, err
	}
	opt.Inputs, opt.Targets, opt.Exclude = slices.Clone(opt.Inputs), slices.Clone(opt.Targets), slices.Clone(opt.Exclude)
	inner, cancel := context.WithCancel(ctx)
	r := &Reader{ctx: inner, cancel: cancel, opt: opt, paths: slices.Clone(paths),
		sizes: make([]int64, len(paths)), known: make([]int64, len(paths))}
	for i := range paths {
		if err := r.probe(i); err != nil {
			if r.current != nil {
				r.current.close()
			}
			cancel()
			return nil, err
		}
	}
	return r, nil
}

// probe opens source 0 and leaves it open. It checks the columns of later files, and skips later pipes.
func (r *Reader) probe(i int) error {
	path := r.paths[i]
	r.sizes[i], r.known[i] = -1, -1
	regular := false
	if path != stdinPath && r.opt.Open == nil {
		info, err := vfs.Stat(r.opt.FS, path)
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
	f, err := r.open(path)
	if err != nil {
		return err
	}
	if i == 0 {
		r.current = f
		r.adoptSchema()
		return nil
	}
	defer f.close()
	r.known[i] = f.source.info().rows
	return r.checkSchema(i, f)
}

func (r *Reader) open(path string) (*files, error) {
	f, err := openPath(r.ctx, path, &r.opt)
	if err != nil {
		return nil, err
	}
	if f.source, err = f.make(&r.opt, r.about.layout); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// checkSchema returns an error unless f, the source with index i, has the columns of the first source.
func (r *Reader) checkSchema(i int, f *files) error {
	have, want, first := f.source.info(), &r.about, display(r.paths[0])
	fault := func(format string, args ...any) error {
		return located(display(r.paths[i]), Errorf(format, args...))
	}
	switch {
	case have.dim != want.dim:
		return fault("has %s, but %s has %d; give files with the same columns", names.Count(have.dim, "input"), first, want.dim)
	case have.outputs != want.outputs:
		return fault("has %s, but %s has %d; give files with the same columns", names.Count(have.outputs, "target"), first, want.outputs)
	case len(have.kept) != len(want.kept):
		return fault("has %s to keep, but %s has %d; give files with the same columns", names.Count(len(have.kept), "column"), first, len(want.kept))
	}
	all := [][2][]string{{have.inputs, want.inputs}, {have.targets, want.targets}}
	if a, b := have.layout, want.layout; a != nil && b != nil {
		all = append(all, [2][]string{namesOf(a.names, a.choice.weights), namesOf(b.names, b.choice.weights)},
			[2][]string{namesOf(a.names, a.choice.kept), namesOf(b.names, b.choice.kept)})
	}
	for _, both := range all {
		for k := range min(len(both[0]), len(both[1])) {
			if is, was := both[0][k], both[1][k]; is != was {
				return fault("has the column %s where %s has %s; put the columns in the same order, or select them by name",
					names.Shorten(is), first, names.Shorten(was))
			}
		}
	}
	return nil
}

// Inputs returns the names of the columns of X, or nil if the first source has no names.
func (r *Reader) Inputs() []string {
	return r.opt.Columns.InputNames(r.about.inputs)
}

// Tally returns counts of left-out samples, filled-in cells and unknown words in the batches so far.
func (r *Reader) Tally() Tally {
	return Tally{r.tally.Dropped, slices.Clone(r.tally.Filled), slices.Clone(r.tally.Unknown)}
}

// Targets returns the names of the targets, or nil if the first source has no names for them.
func (r *Reader) Targets() []string { return slices.Clone(r.about.targets) }

// Positions returns the positions, from 0, of the inputs, and of all columns but targets and weights.
func (r *Reader) Positions() (inputs, besides []int) {
	taken := map[int]bool{}
	for _, col := range r.about.taken {
		taken[col] = true
	}
	return slices.Clone(r.about.columns), rest(r.about.heading.Columns, taken)
}

// Kept returns the names of the columns of Options.Keep, or their numbers if they have no names.
func (r *Reader) Kept() []string { return slices.Clone(r.about.kept) }

// Dim returns d, the number of columns of X.
func (r *Reader) Dim() int {
	if r.opt.Columns != nil {
		return r.opt.Columns.Inputs()
	}
	return r.about.dim
}

// Outputs returns the number of target columns: the columns of Y, 1 for labels, 0 without targets.
func (r *Reader) Outputs() int { return r.about.outputs }

// Rows returns the number of samples of all sources, bad ones included, or -1 if it is unknown: for CSV
// without an array of targets, or before a later pipe or reader of Options.Open is opened.
func (r *Reader) Rows() int64 { return sum(r.known) }

// Bytes returns done, the bytes of the samples delivered or left out, headers included, and total, the
// bytes of all sources, or -1 if unknown. Data read ahead and files of targets are not included. If n
// samples took done bytes, a CSV file of total bytes has about n·total/done samples.
//
// In plain CSV files and arrays done is exact. In gzip it is the position in the packed data, to within
// a few tens of kilobytes. In an .npz it is the samples' share of the file. For files, done depends
// only on the samples, not on time.
func (r *Reader) Bytes() (done, total int64) {
	total = sum(r.sizes)
	switch {
	case r.err == io.EOF && total >= 0:
		return total, total
	case r.current != nil && r.err != io.EOF:
		return r.taken + r.current.source.taken(), total
	}
	return r.taken, total
}

// sum returns the sum of counts, or -1 if one of them is unknown.
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

// Next returns the next batch: rows samples, or fewer at the end of the last source, and then io.EOF. A
// batch continues from one source to the next, and across samples that Options.Bad leaves out.
//
// Memory grows with the data that was read, not with rows or a header. After an error every further
// call returns that error; the samples of the batch that were read before the error are lost.
//
//	panics: unless rows >= 1.
//	errors: *Error with the place of the fault; the error of Options.Bad; ErrClosed after Close;
//	once the context is done, an error that wraps its cause.
func (r *Reader) Next(rows int) (*Batch, error) {
	if rows < 1 {
		panic(panicRows)
	}
	if err := r.ended(); err != nil {
		return nil, err
	}
	if !r.begun && r.current != nil {
		r.current.forbidRewind()
	}
	if n := len(r.opt.Columns); !r.begun && n > 0 {
		r.tally.Filled, r.tally.Unknown = make([]int64, n), make([]int64, n)
	}
	r.begun = true
	hint := min(rows, r.largest)
	b := samples{places: make([]Place, 0, hint), numbers: make([]int64, 0, hint), passed: r.passed}
	if r.opt.Pixels {
		b.pixels = make([]byte, 0, hint*r.Dim())
	} else {
		b.x = make([]float64, 0, hint*r.Dim())
	}
	if !r.opt.Classes {
		b.y = make([]float64, 0, hint*r.about.outputs)
	}
	for len(b.places) < rows && r.err == nil {
		err := b.read(r.current.source, &r.opt, &r.tally)
		switch {
		case err == io.EOF:
			r.err = r.advance()
		case isBad(err) && r.opt.Bad != nil:
			r.err = r.opt.Bad(err.(*Error))
		default:
			r.err = err
		}
	}
	if r.err != nil && (r.err != io.EOF || len(b.places) == 0) {
		return nil, r.err
	}
	r.largest, r.passed = max(r.largest, len(b.places)), b.passed
	return r.batch(&b), nil
}

// ended returns the error that ended the reading, or ErrClosed for the zero value.
func (r *Reader) ended() error {
	if r.cancel == nil {
		return ErrClosed
	}
	return r.err
}

// batch makes a batch of the samples in b, at least one.
func (r *Reader) batch(b *samples) *Batch {
	rows := len(b.places)
	out := &Batch{Pixels: b.pixels, Labels: b.labels, Weights: b.w, Kept: b.kept, First: b.numbers[0] - 1, places: b.places, numbers: b.numbers}
	if !r.opt.Pixels {
		out.X = mat.NewDense(rows, r.Dim(), b.x)
	}
	if len(b.y) > 0 {
		out.Y = mat.NewDense(rows, r.about.outputs, b.y)
	}
	return out
}

// advance closes the current source and opens the next, or returns io.EOF after the last.
func (r *Reader) advance() error {
	taken := r.current.source.taken()
	if r.sizes[r.at] >= 0 {
		taken = r.sizes[r.at]
	}
	r.taken += taken
	if r.at+1 == len(r.paths) {
		return io.EOF
	}
	r.current.close()
	r.current = nil
	r.at++
	f, err := r.open(r.paths[r.at])
	if err != nil {
		return err
	}
	f.forbidRewind()
	r.current = f
	r.known[r.at] = f.source.info().rows
	return r.checkSchema(r.at, f)
}

// Close ends the reading and closes the files. It does not wait for a blocked Read of standard input or
// of a reader of Options.Open. After Close, Next returns ErrClosed and a further Close returns nil.
func (r *Reader) Close() error {
	if errors.Is(r.ended(), ErrClosed) {
		return nil
	}
	r.taken, _ = r.Bytes()
	r.cancel()
	r.err = ErrClosed
	if r.current != nil {
		r.current.close()
		r.current = nil
	}
	return nil
}

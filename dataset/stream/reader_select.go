package stream

import (
	"cmp"
	"io"
	"slices"
)

const panicBegun = "stream: Select, Peek and Survey must be called before Next"

// look returns the error that ended the reading, or nil. It panics unless rows >= 1, and after Next.
func (r *Reader) look(rows int) error {
	if rows < 1 {
		panic(panicRows)
	}
	if r.begun {
		panic(panicBegun)
	}
	return r.ended()
}

// A Heading holds the names and counts of columns, from the beginning of the first source.
type Heading struct {
	Format    Format   // as found; never FormatAuto
	HasHeader bool     // the first line of a CSV file names its columns, under the current selection
	Columns   int      // cells per line of a CSV file, or elements per sample of the array of X
	Names     []string // of all columns; nil without a header
	First     []string // cells of the first line of a CSV file, names or values; nil for arrays
	Shape     []int64  // of the array of X, samples first; nil for CSV files
	Arrays    []string // names of the arrays of an .npz, in its order; nil for other formats
}

// A Selection selects the columns to read. Its fields have the same meaning as in [Options].
type Selection struct {
	Header          Header
	Inputs, Targets []string
	Exclude         []string
	Weight          string
	Classes         bool
	Columns         Columns
	TargetNotations []Notation
	Missing         Missing
}

// Heading returns the heading of the first source.
func (r *Reader) Heading() Heading {
	h := r.about.heading
	h.Names, h.First, h.Shape, h.Arrays = slices.Clone(h.Names), slices.Clone(h.First), slices.Clone(h.Shape), slices.Clone(h.Arrays)
	return h
}

// Selection returns the current selection, from Options or the last Select.
func (r *Reader) Selection() Selection {
	o := &r.opt
	return Selection{o.Header, slices.Clone(o.Inputs), slices.Clone(o.Targets), slices.Clone(o.Exclude), o.Weight, o.Classes, o.Columns,
		slices.Clone(o.TargetNotations), o.Missing}
}

// Select chooses other columns of the same sources, for example after a look at the [Heading] or a
// Peek. It replays the beginning of a pipe, so that no sample is lost.
//
// With HeaderAuto, the header is detected anew, for s. Later sources are checked again, as by Open.
//
//	panics: after Next.
//	errors: as Open. The earlier selection then remains, except after Close and once ctx is done.
func (r *Reader) Select(s Selection) error {
	if err := r.look(1); err != nil {
		return err
	}
	before, o := r.opt, &r.opt
	o.Header, o.Weight, o.Classes, o.Columns, o.Missing = s.Header, s.Weight, s.Classes, s.Columns, s.Missing
	o.Inputs, o.Targets, o.Exclude = slices.Clone(s.Inputs), slices.Clone(s.Targets), slices.Clone(s.Exclude)
	o.TargetNotations = slices.Clone(s.TargetNotations)
	if err := o.checkColumns(); err != nil {
		r.opt = before
		return err
	}
	err := r.remake()
	for i := 1; i < len(r.paths) && err == nil; i++ {
		err = r.probe(i)
	}
	if err == nil {
		return nil
	}
	r.opt = before
	if r.err = r.remake(); r.err != nil {
		return r.err
	}
	for i := 1; i < len(r.paths); i++ {
		_ = r.probe(i) // Next reports a fault
	}
	return err
}

// Peek returns the batch that Next would return first, from one source only: the first, or if that has
// no sample, the next file that has one. It then rewinds the reader. It waits until a pipe has
// delivered enough samples, or ended, and keeps them in memory until the first Next.
//
// With Options.Bad it leaves out bad samples, at most rows of them, without calling Bad, since another
// selection may find no fault in them. In place of samples that MissingDrop leaves out it reads others.
//
//	panics: unless rows >= 1, and after Next.
//	errors: as Next; io.EOF if there is no sample. An *Error for a bad sample does not end the
//	Reader. With Options.Bad such an error is returned only if there is no good sample.
func (r *Reader) Peek(rows int) (*Batch, error) {
	if err := r.look(rows); err != nil {
		return nil, err
	}
	var b samples
	err := r.lookAt(rows, func(s source) (err error) {
		for before := len(b.places); err == nil && len(b.places) == before; {
			err = b.read(s, &r.opt, nil)
		}
		if isBad(err) && r.opt.Bad == nil {
			last := *err.(*Error)
			last.sample = false // so that lookAt stops
			return &last
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.batch(&b), nil
}

// lookAt calls read for samples of the first source that has any, until rows of them are good or rows
// are bad, and rewinds the reader. Without a good sample it returns the first error, or io.EOF.
func (r *Reader) lookAt(rows int, read func(source) error) error {
	var fault, err error
	good, bad := 0, 0
	look := func(s source) {
		for err = nil; good < rows && bad < rows && err == nil; {
			if err = read(s); err == nil {
				good++
			} else if isBad(err) {
				bad++
				fault, err = cmp.Or(fault, err), nil
			}
		}
	}
	look(r.current.source)
	for i := 1; i < len(r.paths) && r.sizes[i] >= 0 && err == io.EOF && good+bad == 0; i++ {
		var f *files
		if f, err = r.open(r.paths[i]); err == nil {
			look(f.source)
			f.close()
		}
	}
	if r.err = r.remake(); r.err != nil {
		return r.err
	}
	switch {
	case err != nil && err != io.EOF:
		return err
	case good > 0:
		return nil
	}
	return cmp.Or(fault, io.EOF)
}

// remake rewinds the first source and reopens it with the current options.
func (r *Reader) remake() error {
	if r.ctx.Err() != nil {
		return canceled(r.ctx)
	}
	if err := r.current.remake(&r.opt); err != nil {
		return err
	}
	r.adoptSchema()
	return nil
}

// adoptSchema takes the columns that all sources must share from the first source.
func (r *Reader) adoptSchema() {
	r.about = *r.current.source.info()
	r.known[0] = r.about.rows
}

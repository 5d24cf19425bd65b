package stream

import (
	"errors"
	"io"
	"slices"
)

const (
	panicSelect = "stream: Select after Next or Skip"
	panicPeek   = "stream: Peek after Next or Skip"
)

// A Heading is what the beginning of the first source tells.
type Heading struct {
	Format    Format   // as it was found; never FormatAuto
	HasHeader bool     // the first line of a text has the names of its columns, as the selection stands
	Columns   int      // cells of a line of a text, elements of a sample of the array of X
	Names     []string // of all columns; nil where there is no header
	First     []string // cells of the first line of a text, be they names or values; nil for arrays
	Arrays    []string // names of the arrays of an .npz, in their order; nil for other formats
}

// A Selection says which columns are read; its fields are those of [Options].
type Selection struct {
	Header          Header
	Inputs, Targets []string
	Classes         bool
}

// Heading returns what the beginning of the first source tells.
func (r *Reader) Heading() Heading {
	h := r.heading
	h.Names, h.First, h.Arrays = slices.Clone(h.Names), slices.Clone(h.First), slices.Clone(h.Arrays)
	return h
}

// Format returns the format of the first source as it was found, never FormatAuto.
func (r *Reader) Format() Format { return r.heading.Format }

// HasHeader reports whether the first source is a text whose first line has the names of the columns,
// as the present selection decides it.
func (r *Reader) HasHeader() bool { return r.heading.HasHeader }

// Selection returns the present selection: that of Options, or of the last Select.
func (r *Reader) Selection() Selection {
	return Selection{r.opt.Header, slices.Clone(r.opt.Inputs), slices.Clone(r.opt.Targets), r.opt.Classes}
}

// Select chooses other columns of the same sources, for callers that can choose only after they have
// seen the [Heading] or had a look by Peek. What has been read of a pipe or of standard input by then is
// given back, so that no sample is lost; nothing is opened twice.
//
// A header that is not given but found (HeaderAuto) is decided again, by s alone: the line
// "5.1,3.5,setosa" is a header while all columns are inputs, and a sample as soon as the third is the
// target. Other sources than the first are checked again as Open does.
//
//	panics: after Next or Skip.
//	errors: as Open. The earlier selection is in force then, except after Close and where ctx is done.
func (r *Reader) Select(s Selection) error {
	if r.begun {
		panic(panicSelect)
	}
	if r.err != nil {
		return r.err
	}
	before := r.opt
	r.opt.Header, r.opt.Inputs, r.opt.Targets, r.opt.Classes = s.Header, slices.Clone(s.Inputs), slices.Clone(s.Targets), s.Classes
	err := r.remake(false)
	for i := 1; i < len(r.paths) && err == nil; i++ {
		err = r.look(i)
	}
	if err == nil {
		return nil
	}
	r.opt = before
	if r.err = r.remake(false); r.err != nil {
		return r.err
	}
	for i := 1; i < len(r.paths); i++ {
		// Which was there before; what has become of it meanwhile is met when it is read.
		_ = r.look(i)
	}
	return err
}

// Peek returns the batch that Next would return first, but of the first source only, and goes back to
// the beginning. It waits until a pipe has given so many samples, or has ended, and keeps what it has
// read of one in memory until the first Next.
//
// With Options.Bad it leaves out the samples that cannot be used, and ends after rows of them, so that it
// does not read all of a file in which all are bad. It tells Bad nothing of them, which Next does: another
// selection may find no fault in them.
//
//	panics: unless rows >= 1, and after Next or Skip.
//	errors: as Next; io.EOF where there is no sample. An *Error for a fault in the samples does not end
//	the Reader: another selection may be without it. With Options.Bad that of the first bad sample is
//	returned where there is no other sample.
func (r *Reader) Peek(rows int) (*Batch, error) {
	if rows < 1 {
		panic(panicRows)
	}
	if r.begun {
		panic(panicPeek)
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.err = r.remake(true); r.err != nil {
		return nil, r.err
	}
	var b block
	var err error
	var out, before int // samples that are left out, and those of them before the first that is not
	var fault *Error    // of the first
	for b.samples < rows && out < rows && err == nil {
		_, err = r.current.source.read(&b, rows-b.samples)
		if bad, isBad := err.(*badSample); isBad {
			if err = nil; out == 0 {
				fault = (*Error)(bad)
			}
			if out++; b.samples == 0 {
				before = out
			}
		}
	}
	if r.err = r.remake(false); r.err != nil {
		return nil, r.err
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case b.samples == 0 && fault != nil:
		return nil, fault
	case b.samples == 0:
		return nil, err
	}
	batch := r.batch(&b)
	batch.First = int64(before)
	return batch, nil
}

// remake makes the source of the first path again, as the options stand.
func (r *Reader) remake(inline bool) error {
	if r.ctx.Err() != nil {
		return canceled(r.ctx)
	}
	if err := r.current.remake(&r.opt, nil, inline); err != nil {
		return err
	}
	r.settle()
	return nil
}

// settle takes from the first source what holds for all.
func (r *Reader) settle() {
	r.shape, r.heading, r.text = *r.current.source.schema(), r.current.heading(), r.current.layout()
	r.known[0] = r.current.source.rows()
}

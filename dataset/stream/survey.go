package stream

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	panicDescribe = "stream: Describe after Next"
	// mostLevelBytes bounds a level, so that a column of texts is an error.
	mostLevelBytes = 256
	// mostDescribed is the largest number of columns that are described if all are numbers and none
	// misses a cell: a model file has room for so many.
	mostDescribed = 1 << 14
)

// Describe looks at the first samples of the first source, at most rows of them, and returns how the
// chosen columns become inputs, for Select. It goes back to the beginning as Peek does, and does not
// look at targets. Bad samples do not count, and at most rows of them are passed.
//
// A column is one of words if no cell is a number, or at most half of them are. So is one of few
// different cells, each there twice on average, of which at least one in twenty is a word. In any
// other a word is bad. Levels are in the order of their bytes.
//
// With MissingMean the Fill of a column of numbers is their mean to seven digits, 0 without numbers,
// and that of words is the share of each level. Describe returns nil where no column has words or can
// miss a cell, as in arrays of integers, and for more than 2^14 columns of numbers that miss none.
//
//	panics: unless rows >= 1, and after Next.
//	errors: *Error for a column of dates, of more than MostLevels words or of text that is not
//	UTF-8, or with MissingDrop without any value; else as Peek.
func (r *Reader) Describe(rows int) (Columns, error) {
	if rows < 1 {
		panic(panicRows)
	}
	if r.begun {
		panic(panicDescribe)
	}
	if err := r.ended(); err != nil {
		return nil, err
	}
	v := survey{Missing: r.opt.Missing}
	var fault *Error
	var err error
	look := r.about.layout != nil || r.about.gaps
	if look {
		v.columns = make([]surveyed, r.about.dim)
		fault, err = v.look(r.current.source, rows)
	}
	if r.err = r.remake(); r.err != nil {
		return nil, r.err
	}
	switch {
	case err != nil || !look:
		return nil, err
	case v.rows == 0 && fault != nil:
		return nil, fault
	case v.rows == 0:
		return nil, io.EOF
	}
	columns, err := v.describe(&r.about)
	return columns, located(display(r.paths[0]), err)
}

// A survey is what the first samples tell about the columns of the inputs.
type survey struct {
	Missing
	rows    int
	columns []surveyed
}

// surveyed is what the first samples tell about one column.
type surveyed struct {
	numbers, words int
	mean           float64        // of the numbers
	seen           map[string]int // how often each cell occurs, up to the first beyond MostLevels
	many           bool           // there are more
	long           string         // the beginning of one that is too long
}

// look reads samples, and returns the fault of the first bad one.
func (v *survey) look(s source, rows int) (fault *Error, err error) {
	for bad := 0; v.rows < rows && bad < rows; {
		n, err := s.survey(v.columns, rows-v.rows)
		v.rows += n
		switch {
		case isBad(err):
			bad++
			if fault == nil {
				fault = err.(*Error)
			}
		case err == io.EOF:
			return fault, nil
		case err != nil:
			return fault, err
		}
	}
	return fault, nil
}

// number counts a number.
func (c *surveyed) number(x float64) {
	c.numbers++
	if x-x == 0 {
		n := float64(c.numbers)
		c.mean += x/n - c.mean/n // no sum overflows
	}
}

// cell counts a cell of a text.
func (c *surveyed) cell(cell string, in notation) {
	if isMissing(cell) {
		return
	}
	if in.isNumber(cell) {
		x, _ := in.value(cell)
		c.number(x)
	} else {
		c.words++
	}
	switch {
	case c.many:
	case len(cell) > mostLevelBytes:
		c.many, c.long = true, strings.Clone(cell[:mostLevelBytes])
	case c.seen[cell] > 0:
		c.seen[cell]++
	case len(c.seen) == MostLevels:
		c.many = true
	case c.seen == nil:
		c.seen = map[string]int{}
		fallthrough
	default:
		c.seen[strings.Clone(cell)] = 1 // not the whole record
	}
}

// isWords reports whether this is a column of words.
func (c *surveyed) isWords() bool {
	cells := c.numbers + c.words
	few := !c.many && 2*len(c.seen) <= cells && 20*c.words >= cells
	return c.words > 0 && (c.words >= c.numbers || few)
}

// describe returns the columns.
func (v *survey) describe(about *info) (Columns, error) {
	columns, words, missing := make(Columns, len(v.columns)), false, false
	for i := range v.columns {
		c := &v.columns[i]
		cells := c.numbers + c.words
		missing = missing || cells < v.rows
		var fault *Error
		switch {
		case cells == 0 && v.Missing == MissingDrop:
			fault = Errorf("has no value in the first %d rows, so that %v leaves them all out; leave the column out by %v", v.rows,
				Remedy{OptionMissing, MissingDrop.String()}, exclude)
		case c.isWords():
			words = true
			columns[i], fault = c.levels()
		default:
			columns[i].Fill = []float64{rounded(c.mean)}
		}
		if fault != nil {
			col := i
			if about.columns != nil {
				col = about.columns[i]
			}
			return nil, fault.in(col, nameOf(about.inputs, i))
		}
	}
	if !words && (v.Missing != MissingMean || len(columns) > mostDescribed && !missing) {
		return nil, nil
	}
	if v.Missing != MissingMean {
		for i := range columns {
			columns[i].Fill = nil
		}
	}
	return columns, nil
}

// levels returns a column of words.
func (c *surveyed) levels() (Column, *Error) {
	var out Column
	dates := 0
	for cell := range c.seen {
		out.Levels = append(out.Levels, cell)
		if isDate(cell) {
			dates++
		}
	}
	slices.Sort(out.Levels)
	if 2*dates > len(out.Levels) {
		return out, Errorf("has dates, such as %s; "+dateAdvice, shorten(out.Levels[slices.IndexFunc(out.Levels, isDate)]), exclude)
	}
	if c.many {
		return out, Errorf("has more than %d different words, or long texts, such as %s; leave it out by %v, or make numbers of it",
			MostLevels, shorten(append(out.Levels, c.long)[0]), exclude)
	}
	cells := float64(c.numbers + c.words)
	for _, level := range out.Levels {
		if !utf8.ValidString(level) {
			return out, Errorf("has the word %q, which is not UTF-8; save the file as UTF-8", shorten(level))
		}
		out.Fill = append(out.Fill, rounded(float64(c.seen[level])/cells))
	}
	return out, nil
}

// rounded returns v to seven digits, which take less room in a file.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	return v
}

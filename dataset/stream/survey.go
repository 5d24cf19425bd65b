package stream

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	panicDescribe = "stream: Survey or Describe after Next"
	// maxLevelBytes bounds a level, so that a column of texts is an error.
	maxLevelBytes = 256
	// maxNumericDescribed is the largest number of columns, all of numbers without missing cells,
	// that are described: as many as a model file holds.
	maxNumericDescribed = 1 << 14
)

// A Description describes the columns, from the first samples.
type Description struct {
	Rows    int        // samples that were looked at
	Columns Columns    // how the chosen columns become inputs
	Targets []Notation // how the numbers of the targets are written; nil where all are plain

	// RowNumbers are the inputs, from 0, that seem to number the rows: whole numbers that rise, or
	// fall, from each sample to the next. In a first column without a name, unique cells without
	// fractions are enough.
	RowNumbers []int
}

// Describe is [Reader.Survey] for the columns alone.
func (r *Reader) Describe(rows int) (Columns, error) {
	d, err := r.Survey(rows)
	if err != nil {
		return nil, err
	}
	return d.Columns, nil
}

// Survey reads at most rows samples of the first source and returns how the chosen columns become
// inputs and how numbers are written, for Select. It returns to the beginning as Peek does. It skips at
// most rows bad samples.
//
// A column has a [Notation] if all its cells are numbers in that and not without it: a comma before
// decimals, signs between thousands, % or the sign of a currency. Where a comma may be either, other
// columns decide. If a comma separates the cells of the text, decimals have a point.
//
// Any other column is one of words if at most half of its cells are numbers. So is a column of few
// different cells, each twice on average, of which at least one in twenty is a word. In any other
// column a word is bad. Levels are in byte order.
//
// With MissingMean the Fill of a column of numbers is their mean to seven digits, 0 without numbers;
// the Fill of a column of words is the share of each level. Columns is nil if no column has words, a
// Notation or possibly missing cells, as in arrays of integers, and for more than 2^14 columns of
// numbers without missing cells.
//
//	panics: unless rows >= 1, and after Next.
//	errors: one *Error for all columns of dates, of more than MostLevels words, of text that is not
//	UTF-8, with a comma that may be either, or with MissingDrop without any value, together with the
//	Description of the others. Else as Peek.
func (r *Reader) Survey(rows int) (*Description, error) {
	if rows < 1 {
		panic(panicRows)
	}
	if r.begun {
		panic(panicDescribe)
	}
	if err := r.ended(); err != nil {
		return nil, err
	}
	if r.about.layout == nil && !r.about.gaps && !r.about.textTargets {
		return &Description{}, nil
	}
	v, err := r.survey(rows, make([]Notation, r.about.dim))
	if err != nil {
		return nil, err
	}
	notations, unknown := v.notations(&r.about)
	targets, faults := notations[r.about.dim:], v.faults(&r.about, unknown)
	if inputs := notations[:r.about.dim]; slices.ContainsFunc(inputs, Notation.isSet) {
		if v, err = r.survey(rows, inputs); err != nil {
			return nil, err
		}
	}
	d := &Description{Rows: v.rows, RowNumbers: v.rowNumbers()}
	if slices.ContainsFunc(targets, Notation.isSet) {
		d.Targets = targets
	}
	if r.about.layout != nil || r.about.gaps {
		var wrong []columnFault
		d.Columns, wrong = v.describe(&r.about, notations)
		faults = append(wrong, faults...)
	}
	if len(faults) > 0 {
		return d, located(display(r.paths[0]), joined(faults))
	}
	return d, nil
}

// survey looks at the first rows, of inputs with these notations, and goes back to the beginning.
func (r *Reader) survey(rows int, inputs []Notation) (*survey, error) {
	v := survey{Missing: r.opt.Missing, inputs: make([]surveyed, r.about.dim), targets: make([]surveyed, r.about.outputs)}
	plain := r.opt.notation(Notation{})
	for _, columns := range [][]surveyed{v.inputs, v.targets} {
		for i := range columns {
			columns[i].in = plain
			if r.opt.signs() {
				columns[i].given = &plain
			}
		}
	}
	for i := range v.inputs {
		if inputs[i].isSet() {
			v.inputs[i].in, v.inputs[i].not = r.opt.notation(inputs[i]), allForms // which is known
		}
	}
	if l := r.about.layout; l != nil && l.names != nil && l.names[0] == "" && len(l.choice.inputs) > 0 && l.choice.inputs[0] == 0 {
		v.inputs[0].all = map[string]bool{}
	}
	fault, err := v.probe(r.current.source, rows)
	if r.err = r.remake(); r.err != nil {
		return nil, r.err
	}
	switch {
	case err != nil:
		return nil, err
	case v.rows == 0 && fault != nil:
		return nil, fault
	case v.rows == 0:
		return nil, io.EOF
	}
	return &v, nil
}

// A survey has the statistics of the first samples for the columns of inputs and targets.
type survey struct {
	Missing
	rows            int
	inputs, targets []surveyed
}

// surveyed has the statistics of the first samples for one column.
type surveyed struct {
	guess
	in notation

	numbers, words int
	mean           float64         // of the numbers
	seen           map[string]int  // how often each cell occurs, up to the first beyond MostLevels
	many           bool            // there are more
	long           string          // the beginning of one that is too long
	last           float64         // number
	fraction       bool            // one has a fraction
	rises, falls   bool            // a number is larger, smaller than the one before, or the same
	stays          bool            // two are the same
	all            map[string]bool // all cells, of a column that may have names of rows; nil for others
}

// probe reads samples, and returns the fault of the first bad one.
func (v *survey) probe(s source, rows int) (fault *Error, err error) {
	for bad := 0; v.rows < rows && bad < rows; {
		n, err := s.survey(v.inputs, v.targets, rows-v.rows)
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

// number adds x to the statistics.
func (c *surveyed) number(x float64) {
	c.numbers++
	if x-x == 0 {
		n := float64(c.numbers)
		c.mean += x/n - c.mean/n // no sum overflows
	}
	if c.numbers > 1 {
		c.rises, c.falls, c.stays = c.rises || x > c.last, c.falls || x < c.last, c.stays || x == c.last
	}
	c.last, c.fraction = x, c.fraction || x != math.Trunc(x)
}

// cell counts a cell of a text.
func (c *surveyed) cell(cell string) {
	if c.in.isMissing(cell) {
		return
	}
	c.add(cell)
	if x, err := c.in.value(cell); err == nil || errors.Is(err, strconv.ErrRange) {
		c.number(x)
	} else {
		c.words++
	}
	if c.all != nil {
		c.all[strings.Clone(cell)] = true
	}
	switch {
	case c.many:
	case len(cell) > maxLevelBytes:
		c.many, c.long = true, strings.Clone(cell[:maxLevelBytes])
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

// rowNumbers returns the inputs that seem to number the rows.
func (v *survey) rowNumbers() (inputs []int) {
	for i := range v.inputs {
		c := &v.inputs[i]
		ordered := c.words == 0 && c.rises != c.falls && !c.stays
		if v.rows > 1 && c.numbers+c.words == v.rows && !c.fraction && (ordered || len(c.all) == v.rows) {
			inputs = append(inputs, i)
		}
	}
	return inputs
}

// notations returns how the numbers of the inputs and of the targets are written, and which of them
// have commas that may stand for two things.
func (v *survey) notations(about *info) (all []Notation, unknown []int) {
	var guesses []*guess
	for _, columns := range [][]surveyed{v.inputs, v.targets} {
		for i := range columns {
			guesses = append(guesses, &columns[i].guess)
		}
	}
	comma := rune(0)
	if about.layout != nil {
		comma = about.layout.comma
	}
	e := evidenceOf(guesses)
	for i, g := range guesses {
		n, known := g.notation(e, comma)
		if !known {
			unknown = append(unknown, i)
		}
		all = append(all, n)
	}
	return all, unknown
}

// A columnFault says why a column cannot be read, and what to do: formats with arguments.
type columnFault struct {
	col          int
	name         string
	what, advice string
	says, args   []any
}

// faults returns the faults of columns whose commas may stand for two things: inputs, and behind them
// targets. Labels are not numbers.
func (v *survey) faults(about *info, unknown []int) (faults []columnFault) {
	for _, i := range unknown {
		f := columnFault{advice: "say which by %v or %v", args: []any{Remedy{OptionDecimal, ","}, Remedy{OptionThousands, ","}}}
		var c *surveyed
		if t := i - len(v.inputs); t < 0 {
			c, f.col, f.name = &v.inputs[i], about.columnOf(i), nameOf(about.inputs, i)
		} else {
			c, f.col, f.name = &v.targets[t], t, nameOf(about.targets, t)
			if l := about.layout; l != nil && t < len(l.choice.targets) {
				if f.col = l.choice.targets[t]; l.columns[f.col].kind == labelColumn {
					continue
				}
			}
		}
		f.what, f.says = "has commas that may stand before decimals or between thousands, such as %s", []any{shorten(c.odd)}
		faults = append(faults, f)
	}
	return faults
}

// columnOf returns the column of an input, from 0.
func (i *info) columnOf(input int) int {
	if i.columns != nil {
		return i.columns[input]
	}
	return input
}

// maxFaults bounds the columns that one message names.
const maxFaults = 16

func joined(faults []columnFault) *Error {
	if f := &faults[0]; len(faults) == 1 {
		return Errorf(f.what+"; "+f.advice, append(f.says, f.args...)...).in(f.col, f.name)
	}
	var formats, specs []string
	var args, commas []any
	for _, f := range faults[:min(len(faults), maxFaults)] {
		column := strconv.Itoa(f.col + 1)
		if f.name != "" {
			column = shorten(f.name)
		}
		formats = append(formats, "column %s "+f.what)
		args = append(append(args, column), f.says...)
		switch {
		case slices.Contains(f.args, any(exclude)):
			specs = append(specs, specOf(f.col, f.name))
		case len(f.args) > 0:
			commas = f.args
		}
	}
	if more := len(faults) - maxFaults; more > 0 {
		formats = append(formats, "and so on in %d more columns")
		args = append(args, more)
	}
	if specs != nil {
		formats = append(formats, "leave columns out by %v, or make numbers of them")
		args = append(args, Remedy{OptionExclude, strings.Join(specs, ",")})
	}
	if commas != nil {
		formats = append(formats, "say what the commas are by %v or %v")
	}
	return Errorf(strings.Join(formats, "; "), append(args, commas...)...)
}

// describe returns the columns, whose numbers are written in these notations.
func (v *survey) describe(about *info, notations []Notation) (Columns, []columnFault) {
	columns, special, missing := make(Columns, len(v.inputs)), false, false
	var faults []columnFault
	for i := range v.inputs {
		c := &v.inputs[i]
		cells := c.numbers + c.words
		missing = missing || cells < v.rows
		var fault *columnFault
		switch {
		case cells == 0 && v.Missing == MissingDrop:
			fault = &columnFault{advice: "leave the column out by %v", args: []any{exclude},
				what: "has no value in the first %d rows, so that %v leaves them all out", says: []any{v.rows, Remedy{OptionMissing, MissingDrop.String()}}}
		case c.isWords() && !c.ambiguous():
			special = true
			columns[i], fault = c.levels()
		default:
			columns[i].Fill, columns[i].Notation = []float64{rounded(c.mean)}, notations[i]
			special = special || notations[i].isSet()
		}
		if fault != nil {
			fault.col, fault.name = about.columnOf(i), nameOf(about.inputs, i)
			faults = append(faults, *fault)
		}
	}
	if !special && (v.Missing != MissingMean || len(columns) > maxNumericDescribed && !missing) {
		return nil, faults
	}
	if v.Missing != MissingMean {
		for i := range columns {
			columns[i].Fill = nil
		}
	}
	return columns, faults
}

func (c *surveyed) levels() (Column, *columnFault) {
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
		return out, &columnFault{advice: dateAdvice, args: []any{exclude},
			what: "has dates, such as %s", says: []any{shorten(out.Levels[slices.IndexFunc(out.Levels, isDate)])}}
	}
	if c.many {
		return out, &columnFault{advice: "leave it out by %v, or make numbers of it", args: []any{exclude},
			what: "has more than %d different words, or long texts, such as %s", says: []any{MostLevels, shorten(append(out.Levels, c.long)[0])}}
	}
	cells := float64(c.numbers + c.words)
	for _, level := range out.Levels {
		if !utf8.ValidString(level) {
			return out, &columnFault{what: "has the word %q, which is not UTF-8", says: []any{shorten(level)}, advice: "save the file as UTF-8"}
		}
		out.Fill = append(out.Fill, rounded(float64(c.seen[level])/cells))
	}
	return out, nil
}

// rounded returns v to seven digits, to save space in a file.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	return v
}

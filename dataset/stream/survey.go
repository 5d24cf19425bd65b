package stream

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

const (
	// maxLevelBytes is the largest size of a level. A column of longer text is an error.
	maxLevelBytes = 256
	// maxNumericDescribed is the largest number of columns that are described if all have numbers
	// and no missing cells. A model file can hold that many.
	maxNumericDescribed = 1 << 14
)

// A Description describes the columns, as far as the first samples show them.
type Description struct {
	Rows    int        // number of samples read
	Columns Columns    // how the chosen columns become inputs
	Targets []Notation // how the numbers of the targets are written; nil if all are plain

	// Gaps says for each of Columns whether an indicator of missing cells may help: at least one
	// cell in a hundred is missing, and at least one in a hundred is not.
	Gaps []bool

	// RowNumbers are the inputs, from 0, that seem to number the rows: whole numbers that rise, or
	// fall, from each sample to the next. In a column of words, or a first column without a name,
	// it is enough that all cells differ and none has a fraction.
	RowNumbers []int

	// Blank are the numbers, from 1, of the input columns that have no name in the header and no
	// value. A separator at the end of each line makes such a column.
	Blank []int
}

// Survey reads at most rows samples of the source that Peek reads, and describes for Select how the
// chosen columns become inputs and how numbers are written. Like Peek it rewinds the reader, and skips
// at most rows bad samples.
//
// A column has a [Notation] if all its cells are numbers with it, but not without it: a decimal comma,
// a thousands separator, % or a currency sign. If commas may be decimal or thousands separators, other
// columns decide. If commas separate the cells of the file, decimals have a point. The same holds for
// points that may all separate thousands, if some cells of the column have none, as in 872 and 1.471.
// If some cells have a comma and others a point, but none has both, nothing decides.
//
// Any other column is a column of words if at most half of its cells are numbers. It is also one if at
// least one cell in twenty is a word, and there are at most MaxLevels different cells, which occur at
// least twice on average. In all other columns a word is bad. Levels are in byte order, after a first
// level "" for words that come later. A column of words in Options.Columns stays as it is.
//
// With MissingMean the Fill of a column of numbers is their mean, or 0 without numbers. It is rounded
// to seven significant digits, or more if that would change it by over a thousandth of their range.
// The Fill of a column of words holds the share of each level. If no column has words or a Notation,
// Columns is nil without MissingMean, and for more than 2^14 columns without missing cells. For an
// array of integers Columns is nil unless Options.NA has a number.
//
//	panics: unless rows >= 1, and after Next.
//	errors: one *Error, together with the Description of the other columns, for all columns that
//	hold dates, more than MaxLevels words, words above 256 bytes or not in UTF-8, commas or points
//	that may be decimal or thousands separators, or, with MissingDrop, no value. It names columns
//	of a separate file of targets only if the inputs have no such fault. An *Error for more than
//	2^16 columns, unless Columns is nil. Otherwise as Peek.
func (r *Reader) Survey(rows int) (*Description, error) {
	if err := r.look(rows); err != nil {
		return nil, err
	}
	if r.about.layout == nil && !r.about.gaps && r.about.targetsIn == nil {
		return &Description{}, nil
	}
	v, err := r.survey(rows, nil)
	if err != nil {
		return nil, err
	}
	notations, faults := v.notations(r.opt.Classes)
	inputs, targets := notations[:r.about.dim], notations[r.about.dim:]
	if slices.ContainsFunc(inputs, Notation.isSet) {
		if v, err = r.survey(rows, inputs); err != nil {
			return nil, err
		}
	}
	d := &Description{Rows: v.rows, RowNumbers: v.rowNumbers(), Blank: v.blank()}
	if slices.ContainsFunc(targets, Notation.isSet) {
		d.Targets = targets
	}
	if r.about.layout != nil || r.about.gaps {
		var wrong []columnFault
		d.Columns, wrong = v.describe(r.opt.Missing, inputs, r.opt.Columns)
		faults = append(wrong, faults...)
		for i := range d.Columns {
			cells := v.columns[i].numbers + v.columns[i].words
			d.Gaps = append(d.Gaps, 100*min(cells, v.rows-cells) >= v.rows)
		}
	}
	switch {
	case len(faults) > 0:
		path := faults[0].Path
		fault := joined(slices.DeleteFunc(faults, func(f columnFault) bool { return f.Path != path }))
		fault.Path = cmp.Or(path, display(r.paths[0]))
		return d, fault
	case len(d.Columns) > maxDescribed:
		return d, located(display(r.paths[0]), Errorf("has %d input columns, but at most %d are allowed if some have words, units, separators or missing cells; "+
			"leave out columns with %v or, if missing cells are the only reason, rows with %v",
			len(d.Columns), maxDescribed, exclude, Remedy{OptionMissing, MissingDrop.String()}))
	}
	return d, nil
}

// survey returns the statistics of the first rows and rewinds the reader. known holds the notations
// that are already known for the inputs; it may be nil.
func (r *Reader) survey(rows int, known []Notation) (*survey, error) {
	v := survey{about: &r.about, columns: make([]surveyed, r.about.dim+r.about.outputs)}
	plain, forms := r.opt.notation(Notation{}), formNotations
	if r.opt.signs() {
		forms = []notation{plain}
	}
	for i := range v.columns {
		c := &v.columns[i]
		c.guess, c.in = newGuess(forms), plain
		if i < len(known) && known[i].isSet() {
			c.guess, c.in = newGuess(nil), r.opt.notation(known[i])
		}
	}
	if l := r.about.layout; l != nil && l.names != nil && l.names[0] == "" && len(l.choice.inputs) > 0 && l.choice.inputs[0] == 0 {
		v.columns[0].all = map[string]bool{}
	}
	err := r.lookAt(rows, func(s source) error {
		err := s.survey(v.columns[:r.about.dim], v.columns[r.about.dim:])
		if err == nil {
			v.rows++
		}
		return err
	})
	return &v, err
}

// A survey holds the statistics of the first samples.
type survey struct {
	about   *info
	rows    int
	columns []surveyed // of the inputs, followed by the targets
}

// surveyed holds the statistics of the first samples for one column.
type surveyed struct {
	guess
	in notation

	numbers, words int
	finite         int             // numbers that are neither infinite nor NaN
	mean, low      float64         // mean + low is the mean of the finite numbers
	least, most    float64         // of the finite numbers
	seen           map[string]int  // how often each cell occurs, for up to MaxLevels different cells
	many           bool            // there are more different cells, or one of more than maxLevelBytes
	long           string          // the beginning of a cell that is too long
	last           float64         // the last number
	fraction       bool            // a number has a fraction
	rises, falls   bool            // a number is larger, or smaller, than the one before
	stays          bool            // a number is the same as the one before
	all            map[string]bool // all cells of a column that may hold names of rows; nil for others
}

func (c *surveyed) number(x float64) {
	c.numbers++
	if x-x == 0 {
		c.finite++
		n := float64(c.finite)
		step := x/n - c.mean/n - c.low/n // no sum overflows
		next := c.mean + step
		c.low += step - (next - c.mean) // else large numbers lose small steps
		c.mean = next
		if c.finite == 1 {
			c.least, c.most = x, x
		}
		c.least, c.most = min(c.least, x), max(c.most, x)
	}
	if c.numbers > 1 {
		c.rises, c.falls, c.stays = c.rises || x > c.last, c.falls || x < c.last, c.stays || x == c.last
	}
	c.last, c.fraction = x, c.fraction || x != math.Trunc(x)
}

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
	case len(c.seen) == MaxLevels:
		c.many = true
	case c.seen == nil:
		c.seen = map[string]int{}
		fallthrough
	default:
		c.seen[strings.Clone(cell)] = 1 // not the whole record
	}
}

func (c *surveyed) isWords() bool {
	cells := c.numbers + c.words
	few := !c.many && 2*len(c.seen) <= cells && 20*c.words >= cells
	return c.words > 0 && (c.words >= c.numbers || few)
}

// rowNumbers returns the inputs that seem to number the rows.
func (v *survey) rowNumbers() (inputs []int) {
	for i := range v.about.dim {
		c := &v.columns[i]
		ordered := c.words == 0 && c.rises != c.falls && !c.stays
		names := c.isWords() && !c.many && len(c.seen) == v.rows
		if v.rows > 1 && c.numbers+c.words == v.rows && !c.fraction && (ordered || names || len(c.all) == v.rows) {
			inputs = append(inputs, i)
		}
	}
	return inputs
}

// blank returns the numbers, from 1, of the input columns that have neither a name nor a value.
func (v *survey) blank() (columns []int) {
	for i := range v.about.inputs {
		col, name := v.about.column(i)
		if c := &v.columns[i]; name == "" && c.numbers+c.words == 0 {
			columns = append(columns, col+1)
		}
	}
	return columns
}

// notations returns how the numbers of the columns are written, and the faults of columns whose commas
// or points may be either separator. A fault in a separate file of targets has the Path of that file.
// labels says that the targets are labels, which have no such faults.
func (v *survey) notations(labels bool) (all []Notation, faults []columnFault) {
	decimals, thousands := v.evidence()
	for i := range v.columns {
		layout, path, comma := v.about.layout, "", rune(0)
		if l := v.about.targetsIn; l != nil && i >= v.about.dim {
			layout, path = l, l.path
		}
		if layout != nil {
			comma = layout.comma
		}
		n, known := v.columns[i].notation(decimals, thousands, comma)
		if all = append(all, n); known || labels && i >= v.about.dim {
			continue
		}
		c := &v.columns[i]
		signs, sign, cell := "commas", ",", c.odd
		if c.can(pointThousands) && !c.commas() {
			signs, sign, cell = "points", ".", c.pointed
		}
		advice, args := "declare them with %v or %v", []any{Remedy{OptionDecimal, sign}, Remedy{OptionThousands, sign}}
		if c.mixed() { // if sign is decimal, the other sign makes no number
			advice, args = "correct such cells, or declare them with %v", args[1:]
		}
		what := Errorf("has %s that may be decimal or thousands separators, as in %s", signs, names.Shorten(cell))
		what.Path = path
		faults = append(faults, columnFault{what.in(v.about.column(i)), advice, args})
	}
	return all, faults
}

// A columnFault says why a column cannot be read, with Column and Name. advice is a format for what to
// do, and args are its arguments, among them Remedies.
type columnFault struct {
	*Error
	advice string
	args   []any
}

// maxFaults bounds the columns that one message names.
const maxFaults = 16

func joined(faults []columnFault) *Error {
	if f := &faults[0]; len(faults) == 1 {
		return Errorf(f.format+"; "+f.advice, slices.Concat(f.Error.args, f.args)...).in(f.Column-1, f.Name)
	}
	var formats, specs []string
	var args, signs []any
	for _, f := range faults[:min(len(faults), maxFaults)] {
		column := strconv.Itoa(f.Column)
		if f.Name != "" {
			column = names.Shorten(f.Name)
		}
		format := "column %s " + f.format
		if f.args == nil {
			format += " (" + f.advice + ")"
		}
		formats = append(formats, format)
		args = append(append(args, column), f.Error.args...)
		switch {
		case slices.Contains(f.args, any(exclude)):
			specs = append(specs, specOf(f.Column-1, f.Name))
		case signs != nil && len(f.args) > 0 && !slices.Equal(signs, f.args): // Thousands decides both separators
			signs = []any{Remedy{OptionThousands, ","}, Remedy{OptionThousands, "."}}
		case len(f.args) > 0:
			signs = f.args
		}
	}
	if more := len(faults) - maxFaults; more > 0 {
		formats = append(formats, "%s such faults")
		args = append(args, names.Count(more, "more column has", "more columns have"))
	}
	if specs != nil {
		formats = append(formats, "leave columns out with %v, or turn them into numbers")
		args = append(args, Remedy{OptionExclude, strings.Join(specs, ",")})
	}
	if signs != nil {
		formats = append(formats, "declare the separators with %v"+strings.Repeat(" or %v", len(signs)-1))
	}
	return Errorf(strings.Join(formats, "; "), append(args, signs...)...)
}

// describe returns the Columns for inputs with numbers in the given notations, and the faults of
// inputs that cannot be read. how is the treatment of missing cells. Columns of words in known stay.
func (v *survey) describe(how Missing, notations []Notation, known Columns) (Columns, []columnFault) {
	columns, special, missing := make(Columns, len(notations)), false, false
	var faults []columnFault
	for i := range columns {
		c := &v.columns[i]
		cells := c.numbers + c.words
		missing = missing || cells < v.rows
		var fault *columnFault
		switch {
		case known != nil && known[i].Levels != nil:
			special, columns[i] = true, known[i]
		case cells == 0 && how == MissingDrop:
			fault = &columnFault{Errorf("has no value in the first %s, so that %v leaves out every row", names.Count(v.rows, "row"), Remedy{OptionMissing, MissingDrop.String()}),
				"leave the column out with %v", []any{exclude}}
		case c.isWords() && !c.ambiguous():
			special = true
			columns[i], fault = c.levels()
		default:
			columns[i].Fill, columns[i].Notation = []float64{c.fill()}, notations[i]
			special = special || notations[i].isSet()
		}
		if fault != nil {
			fault.in(v.about.column(i))
			faults = append(faults, *fault)
		}
	}
	if !special && (how != MissingMean || len(columns) > maxNumericDescribed && !missing) {
		return nil, faults
	}
	if how != MissingMean {
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
	switch invalid := slices.IndexFunc(out.Levels, func(level string) bool { return !utf8.ValidString(level) }); {
	case 2*dates > len(out.Levels):
		return out, &columnFault{Errorf("has dates, such as %s", names.Shorten(out.Levels[slices.IndexFunc(out.Levels, isDate)])), dateAdvice, []any{exclude}}
	case c.long != "":
		return out, &columnFault{Errorf("has text of more than %d bytes, such as %s", maxLevelBytes, names.Shorten(c.long)),
			"leave it out with %v, or turn it into numbers", []any{exclude}}
	case c.many:
		return out, &columnFault{Errorf("has words and more than %d different values, such as %s", MaxLevels, names.Shorten(out.Levels[0])),
			"leave it out with %v, or turn it into numbers", []any{exclude}}
	case invalid >= 0:
		return out, &columnFault{Errorf("has the word %s, which is not UTF-8", names.Shorten(out.Levels[invalid])), "save the file as UTF-8", nil}
	}
	out.Levels = slices.Insert(out.Levels, 0, "")
	for _, level := range out.Levels {
		out.Fill = append(out.Fill, rounded(float64(c.seen[level])/float64(c.numbers+c.words), 7))
	}
	return out, nil
}

// fill returns the mean of the numbers, rounded within their range and by at most a thousandth of it.
func (c *surveyed) fill() float64 {
	mean := max(c.least, min(c.mean+c.low, c.most))
	for digits := 7; digits < 17; digits++ {
		if v := rounded(mean, digits); c.least <= v && v <= c.most && math.Abs(v-mean) <= (c.most-c.least)/1000 {
			return v
		}
	}
	return mean
}

// rounded returns v rounded to the given number of significant digits, to save space in a file.
func rounded(v float64, digits int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return v
}

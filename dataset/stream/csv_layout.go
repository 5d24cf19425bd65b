package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A csvLayout says what the columns of a text are.
type csvLayout struct {
	path    string // for messages
	comma   rune
	first   []string // cells of the first line
	header  bool     // those are names
	names   []string // of the columns; nil without a header here and in the first of several texts
	width   int      // cells of a record
	choice  choice
	classes bool
	aside   bool               // Options.Bad is set: parsing goes on after a bad record
	fills   bool               // a missing input is NaN
	drop    bool               // and so is a missing target or weight; a label may be empty
	words   []map[string]int32 // of each input the levels of words; nil for numbers
	notation
	surveyed []int // the columns of the inputs, whose cells are read as texts for Describe
	inputs   int   // numbers of a sample in X
	numbers  int   // and in Y; 0 for labels
	weights  int   // weights of a sample, 0 or 1
	role     []columnRole
	last     int // the last column that is used
}

// A columnRole says what a column is: an input has 1 + its position in X, a target minus 1 + its
// position in Y.
type columnRole int32

const (
	unused    columnRole = 0
	labelRole columnRole = 1<<31 - 1

	weightRole = labelRole - 1 // of the weight
	wordRole   = 1 << 30       // 1<<30 + i for the words of input i
)

// validComma reports whether encoding/csv can separate cells by r, and no number has it.
func validComma(r rune) bool {
	return r != 0 && utf8.ValidRune(r) && r != utf8.RuneError && !strings.ContainsRune("\"\r\n.+-_", r) &&
		!unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// findComma returns the separator of the first line that is not blank: outside of quotation marks a
// tab, else a semicolon, else a comma, but where that is the decimal sign. Cells separated by
// semicolons often have decimal commas.
func findComma(text []byte, decimal rune) rune {
	comma, quoted := ',', false
	if decimal == ',' {
		comma = ';'
	}
	for _, c := range bytes.TrimLeft(text, "\r\n") {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\t':
			return '\t'
		case c == ';':
			comma = ';'
		case c == '\n':
			return comma
		}
	}
	return comma
}

// errMore says that the beginning of a text does not tell its layout.
var errMore = errors.New("more of the text is needed")

// readLayout finds the layout of a text that begins with chunk, whose first line has the given number,
// and how many bytes of chunk its header takes; errMore if chunk has blank lines only, or if the second
// record matters and chunk, unless it is whole, has only one. first is the layout of the first of
// several texts, nil for that text itself.
func readLayout(path string, chunk []byte, whole bool, line int64, q *request, opt *Options, first *csvLayout) (*csvLayout, int, error) {
	l := &csvLayout{path: path, comma: opt.Comma, classes: opt.Classes || opt.survey, aside: opt.Bad != nil || opt.survey,
		fills: opt.fills() && !q.targetsOnly, drop: opt.Missing == MissingDrop || opt.survey, notation: opt.notation()}
	if l.comma == 0 {
		l.comma = findComma(chunk, l.decimal)
	}
	if begin := crowded(chunk, l.comma); begin >= 0 && len(bytes.Trim(chunk[:begin], "\r\n")) == 0 {
		return nil, 0, l.crowdedFault(chunk[:begin], line)
	}
	r := newCSVReader(chunk, l.comma)
	cells, err := r.Read()
	if err == io.EOF {
		return nil, 0, errMore
	}
	if err != nil {
		fault, _ := l.syntaxFault(err, line)
		return nil, 0, fault
	}
	cells = slices.Clone(cells)
	for i, cell := range cells {
		cells[i] = trim(cell)
	}
	l.first, l.width = cells, len(cells)
	offset, end := 0, int(r.InputOffset())
	second := func() ([]string, error) {
		cells, err := newCSVReader(chunk[end:], l.comma).Read()
		if err == io.EOF && !whole {
			return nil, errMore
		}
		return cells, nil // none after a bad record
	}
	if l.header, err = l.isHeader(q, opt, first, second); err != nil {
		return nil, 0, err
	}
	switch {
	case l.header:
		// No name has a carriage return, and CR line ends would make the whole file the header.
		if col := slices.IndexFunc(cells, func(cell string) bool { return strings.Contains(cell, "\r") }); col >= 0 {
			at, _ := r.FieldPos(col)
			fault := faultf("is %s, with a carriage return without a line feed; end the lines with LF or CRLF", shorten(cells[col]))
			fault.Line, fault.Column = line+int64(at)-1, col+1
			return nil, 0, fault
		}
		l.names, offset = cells, end
	case first != nil && first.names != nil:
		if l.width != first.width {
			return nil, 0, faultf("has no header and %d columns, but %s has %d", l.width, first.path, first.width)
		}
		l.names = first.names
	}
	if l.choice, err = q.choose(l.names, l.width); err != nil {
		return nil, 0, err
	}
	if err := checkLabels(opt, len(l.choice.targets)); err != nil {
		return nil, 0, err
	}
	if !q.targetsOnly {
		if err := opt.checkColumns(len(l.choice.inputs), true); err != nil {
			return nil, 0, err
		}
		l.assignWords(opt.Columns)
	}
	if opt.survey {
		l.surveyed = l.choice.inputs
		l.choice = choice{targets: l.choice.inputs} // they are read as texts
	}
	l.assign()
	return l, offset, nil
}

// isHeader decides whether the cells of the first line are names. second returns those of the next
// record.
func (l *csvLayout) isHeader(q *request, opt *Options, first *csvLayout, second func() ([]string, error)) (bool, error) {
	if opt.Header != HeaderAuto {
		return opt.Header == HeaderPresent, nil
	}
	var c choice
	switch {
	case first != nil:
		c = first.choice
	case q.named():
		return true, nil
	default:
		var err error
		if c, err = q.choose(nil, l.width); err != nil {
			return false, err
		}
	}
	columns := c.inputs
	if q.targetsOnly && !opt.Classes {
		columns = c.targets
	}
	numbers, words := 0, 0
	for i, col := range columns {
		switch {
		case col >= l.width || isMissing(l.first[col]):
		case l.isNumber(l.first[col]):
			numbers++
		case len(opt.Columns) != len(columns) || opt.Columns[i].Levels == nil:
			words++
		case slices.Contains(opt.Columns[i].Levels, l.first[col]):
			return false, nil
		}
	}
	if words == 0 || numbers == 0 || len(opt.Columns) == len(columns) {
		return words > 0 || first != nil && slices.Equal(l.first, first.names) || numbers == 0 && opt.Columns.words(), nil
	}
	return l.unlike(columns, second)
}

// unlike reports whether words of the first line stand over numbers, or numbers over words. If not, it
// is a sample: a header has no numbers.
func (l *csvLayout) unlike(columns []int, second func() ([]string, error)) (bool, error) {
	next, err := second()
	if err != nil {
		return false, err
	}
	for _, col := range columns {
		if col >= len(next) || col >= l.width || isMissing(l.first[col]) || isMissing(trim(next[col])) {
			continue
		}
		if l.isNumber(l.first[col]) != l.isNumber(trim(next[col])) {
			return true, nil
		}
	}
	return len(next) == 0, nil
}

// assign sets inputs, numbers, role and last from choice.
func (l *csvLayout) assign() {
	l.role = make([]columnRole, l.width)
	l.inputs = len(l.choice.inputs)
	for i, col := range l.choice.inputs {
		l.role[col] = columnRole(i + 1)
		if l.words != nil && l.words[i] != nil {
			l.role[col] = wordRole + columnRole(i)
		}
		l.last = max(l.last, col)
	}
	if !l.classes {
		l.numbers = len(l.choice.targets)
	}
	for i, col := range l.choice.targets {
		l.role[col] = -columnRole(i + 1)
		if l.classes {
			l.role[col] = labelRole
		}
		l.last = max(l.last, col)
	}
	l.weights = len(l.choice.weights)
	for _, col := range l.choice.weights {
		l.role[col] = weightRole
		l.last = max(l.last, col)
	}
}

// assignWords sets words.
func (l *csvLayout) assignWords(columns Columns) {
	if !columns.words() {
		return
	}
	l.words = make([]map[string]int32, len(columns))
	for i, c := range columns {
		if c.Levels == nil {
			continue
		}
		l.words[i] = make(map[string]int32, len(c.Levels))
		for k, level := range c.Levels {
			l.words[i][level] = int32(k)
		}
	}
}

func (l *csvLayout) info() info {
	i := info{heading: Heading{HasHeader: l.header, Columns: l.width, First: l.first}, rows: -1, layout: l,
		inputs: namesOf(l.names, l.choice.inputs), columns: l.choice.inputs, dim: len(l.choice.inputs),
		targets: namesOf(l.names, l.choice.targets), outputs: len(l.choice.targets)}
	if l.surveyed != nil {
		i.inputs, i.columns, i.dim = namesOf(l.names, l.surveyed), l.surveyed, len(l.surveyed)
	}
	if l.header {
		i.heading.Names = l.first
	}
	return i
}

// trim removes the spaces and tabs around a cell, which are no part of it.
func trim(cell string) string { return strings.Trim(cell, " \t") }

// syntaxFault returns the error for what encoding/csv refuses in a text that begins with the given
// line, and the line on which the record begins.
func (l *csvLayout) syntaxFault(err error, line int64) (*Error, int64) {
	parse := err.(*csv.ParseError) // the text is in memory
	first := line + int64(parse.StartLine) - 1
	e := &Error{Path: l.path, Line: line + int64(parse.Line) - 1}
	if errors.Is(err, csv.ErrBareQuote) {
		e.What = fmt.Sprintf("a quotation mark at byte %d of the line, within a cell that does not begin with one; "+
			"put the cell into quotation marks and double this one", parse.Column)
		return e, first
	}
	// A forgotten quotation mark is found lines later, at the next one or at the end of the text.
	found := fmt.Sprintf("byte %d of the line", parse.Column)
	if parse.StartLine != parse.Line {
		found = fmt.Sprintf("byte %d of line %d", parse.Column, e.Line)
	}
	e.Line = first
	e.What = fmt.Sprintf("a quotation mark is not closed, or more of its cell follows it, as found at %s; "+
		"a cell ends with its quotation mark, and one within is doubled", found)
	return e, first
}

// paired reports whether a record that encoding/csv refuses has an even number of quotation marks, so
// that for a cutter too the next record begins after its line end.
func paired(record []byte) bool { return bytes.Count(record, []byte{'"'})%2 == 0 }

// crowdedFault returns the error for the record that follows the bytes before, which begin on a line.
func (l *csvLayout) crowdedFault(before []byte, line int64) *Error {
	return &Error{Path: l.path, Line: line + int64(bytes.Count(before, []byte{'\n'})),
		What: fmt.Sprintf("the line has more than %d cells, separated by %q; a text has one sample in each line", maxCells, l.comma)}
}

// widthFault returns the error for a record with another number of cells than the first.
func (l *csvLayout) widthFault(cells int) *Error {
	return faultf("the line has %d cells, but the first line has %d, separated by %q", cells, l.width, l.comma)
}

package stream

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A csvLayout has the columns of a text.
type csvLayout struct {
	path    string // for messages
	comma   rune
	first   []string // cells of the first line
	header  bool     // those are names
	offset  int      // bytes of the header
	names   []string // of the columns; nil without a header here and in the first of several texts
	width   int      // cells of a record; 0 before the first
	choice  choice
	columns []csvColumn        // up to the last that is used
	levels  []map[string]int32 // of each input; nil for numbers
	sample  shape
	notation
	aside bool // Options.Bad is set: parsing goes on after a bad record
	fills bool // a missing input is NaN
	drop  bool // and so is a missing target or weight; a label may be empty
}

// A csvColumn says how the cells of one column are read.
type csvColumn struct {
	kind  columnKind
	index int       // of an input in X, of a target in Y
	in    *notation // of its numbers and missing cells
	keep  int       // place among the kept columns, from 1; 0 for none
}

type columnKind uint8

const (
	unused       columnKind = iota
	inputColumn             // numbers in X
	targetColumn            // numbers in Y
	weightColumn            // numbers that are not negative
	wordColumn              // in X, as the indices of their levels
	labelColumn             // texts
)

func (k columnKind) number() bool { return inputColumn <= k && k <= weightColumn }

// A textHead is whole records from the beginning of a text.
type textHead struct {
	chunk []byte
	line  int64 // number of the first line
	whole bool  // the text ends with chunk
}

// validComma reports whether encoding/csv can separate cells by r, and r is in no number.
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

// errMore says that the beginning of a text is too short to show its layout.
var errMore = errors.New("more of the text is needed")

// readLayout finds the layout of the text at path. It returns errMore if head has only blank lines, or
// lacks a second record that matters. first is the layout of the first of several texts, nil for the
// first itself.
func readLayout(path string, head textHead, q *request, opt *Options, first *csvLayout) (*csvLayout, error) {
	l := &csvLayout{path: path, comma: opt.Comma, notation: opt.notation(Notation{}),
		aside: opt.Bad != nil, fills: opt.fills(), drop: opt.Missing == MissingDrop}
	if l.comma == 0 {
		l.comma = findComma(head.chunk, l.decimal)
	}
	r := l.records(head.chunk, head.line)
	cells, err := r.next()
	switch {
	case err == io.EOF:
		return nil, errMore
	case err != nil:
		return nil, err
	}
	for _, cell := range cells {
		l.first = append(l.first, trim(cell))
	}
	rest := textHead{chunk: head.chunk[r.InputOffset():], whole: head.whole}
	if l.header, err = l.isHeader(q, opt, first, rest); err != nil {
		return nil, err
	}
	switch {
	case l.header:
		// No name has a carriage return, and CR line ends would make the whole file the header.
		if col := slices.IndexFunc(l.first, func(cell string) bool { return strings.Contains(cell, "\r") }); col >= 0 {
			fault := Errorf("is %s, with a carriage return without a line feed; end the lines with LF or CRLF", shorten(l.first[col]))
			fault.Line, fault.Column = r.lineOf(col), col+1
			return nil, fault
		}
		l.names, l.offset = l.first, int(r.InputOffset())
	case first != nil && first.names != nil:
		if l.width != first.width {
			return nil, Errorf("has no header and %d columns, but %s has %d", l.width, first.path, first.width)
		}
		l.names = first.names
	}
	if l.choice, err = q.choose(l.names, l.width); err != nil {
		return nil, err
	}
	if err := opt.checkChoice(q, len(l.choice.inputs), len(l.choice.targets), true); err != nil {
		return nil, err
	}
	l.assign(opt)
	return l, nil
}

// isHeader decides whether the cells of the first line are names. rest is the text after them.
func (l *csvLayout) isHeader(q *request, opt *Options, first *csvLayout, rest textHead) (bool, error) {
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
		case col >= l.width || l.isMissing(l.first[col]):
		case l.looksNumber(l.first[col]):
			numbers++
		case len(opt.Columns) != len(columns) || opt.Columns[i].Levels == nil:
			words++
		case slices.Contains(opt.Columns[i].Levels, l.first[col]):
			return false, nil
		}
	}
	if words == 0 || numbers == 0 || len(opt.Columns) == len(columns) {
		return words > 0 || first != nil && slices.Equal(l.first, first.names) || numbers == 0 && opt.Columns.categorical(), nil
	}
	return l.unlike(columns, rest)
}

// unlike reports whether the first line has words above numbers, or numbers above words. If not, it is
// a sample: a header has no numbers.
func (l *csvLayout) unlike(columns []int, rest textHead) (bool, error) {
	next, err := newCSVReader(rest.chunk, l.comma).Read()
	if err == io.EOF && !rest.whole {
		return false, errMore
	}
	for _, col := range columns {
		if col >= len(next) || col >= l.width {
			continue
		}
		over, under := l.first[col], trim(next[col])
		if !l.isMissing(over) && !l.isMissing(under) && l.looksNumber(over) != l.looksNumber(under) {
			return true, nil
		}
	}
	return len(next) == 0, nil
}

// looksNumber reports whether a cell is a number in the notation of the text, or in one that Survey
// recognises.
func (l *csvLayout) looksNumber(cell string) bool {
	if l.isNumber(cell) {
		return true
	}
	var g guess
	g.add(cell)
	return g.number()
}

// assign sets columns and sample from choice.
func (l *csvLayout) assign(opt *Options) {
	used := slices.Concat(l.choice.inputs, l.choice.targets, l.choice.weights, l.choice.kept)
	l.columns = make([]csvColumn, slices.Max(used)+1)
	assign := func(kind columnKind, columns []int, notationOf func(i int) Notation) int {
		for i, col := range columns {
			l.columns[col] = csvColumn{kind: kind, index: i, in: &l.notation}
			if of := notationOf(i); of != (Notation{}) {
				n := opt.notation(of)
				l.columns[col].in = &n
			}
		}
		return len(columns)
	}
	plain := func(int) Notation { return Notation{} }
	ofInput, ofTarget := plain, plain
	if opt.Columns != nil {
		ofInput = func(i int) Notation { return opt.Columns[i].Notation }
	}
	if len(opt.TargetNotations) == len(l.choice.targets) {
		ofTarget = func(i int) Notation { return opt.TargetNotations[i] }
	}
	l.sample.x = assign(inputColumn, l.choice.inputs, ofInput)
	l.sample.w = assign(weightColumn, l.choice.weights, plain)
	if opt.Classes {
		l.sample.labels = assign(labelColumn, l.choice.targets, plain)
	} else {
		l.sample.y = assign(targetColumn, l.choice.targets, ofTarget)
	}
	for i, col := range l.choice.kept {
		l.columns[col].keep = i + 1
	}
	l.sample.kept = len(l.choice.kept)
	l.levels = make([]map[string]int32, len(opt.Columns))
	for i, col := range l.choice.inputs {
		if opt.Columns == nil || opt.Columns[i].Levels == nil {
			continue
		}
		l.columns[col].kind, l.levels[i] = wordColumn, map[string]int32{}
		for k, level := range opt.Columns[i].Levels {
			l.levels[i][level] = int32(k)
		}
	}
}

func (l *csvLayout) info() info {
	i := info{heading: Heading{HasHeader: l.header, Columns: l.width, First: l.first}, rows: -1, layout: l,
		inputs: namesOf(l.names, l.choice.inputs), columns: l.choice.inputs, dim: len(l.choice.inputs),
		targets: namesOf(l.names, l.choice.targets), outputs: len(l.choice.targets), kept: keptNames(l.names, l.choice.kept)}
	if l.header {
		i.heading.Names = l.first
	}
	return i
}

// trim removes the spaces and tabs around a cell, which are no part of it.
func trim(cell string) string { return strings.Trim(cell, " \t") }

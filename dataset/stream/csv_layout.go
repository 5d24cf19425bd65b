package stream

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

type csvLayout struct {
	path    string // for messages
	comma   rune
	first   []string // cells of the first line
	header  bool     // the first line has names
	names   []string // of the columns, from the header of this file, else of the first of several files; else nil
	width   int      // cells of a record
	choice  choice
	outputs int         // columns of Y
	columns []csvColumn // up to the last that is used
	notation
	known []string // labels that are never read as missing
	fixed bool     // no error suggests leaving out an input
	fills bool     // a missing input is NaN
	drop  bool     // a missing target or weight is NaN; a missing label is empty
}

type csvColumn struct {
	kind  columnKind
	index int      // column of X for an input, of Y for a target
	in    notation // of its numbers and missing cells
	keep  int      // place among the kept columns, from 1; 0 for none

	levels map[string]int // the indices of the levels of a column of words, but not of Options.NA
}

type columnKind uint8

const (
	unused       columnKind = iota
	inputColumn             // numbers in X
	targetColumn            // numbers in Y
	weightColumn            // numbers that are not negative
	wordColumn              // words, read as the indices of their levels
	labelColumn             // labels, which stay text
)

// validComma reports whether r may be Options.Comma. encoding/csv accepts each such r as the separator.
func validComma(r rune) bool {
	return r != 0 && utf8.ValidRune(r) && r != utf8.RuneError && !strings.ContainsRune("\"\r\n.+-_", r) &&
		!unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// findComma returns the separator of a record: a tab outside quotation marks, else a semicolon, else a
// comma. If the comma is the decimal sign, a semicolon takes its place. Semicolons are preferred since
// they often separate cells with decimal commas.
func findComma(record []byte, decimal rune) rune {
	comma, quoted := ',', false
	if decimal == ',' {
		comma = ';'
	}
	for _, c := range record {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\t':
			return '\t'
		case c == ';':
			comma = ';'
		}
	}
	return comma
}

// readLayout finds the layout of a CSV file from its first record and, if that may be a header, the
// next good one. first is the layout of the first of several files, or nil for the first file itself.
func readLayout(t *recordReader, opt *Options, first *csvLayout) (*csvLayout, error) {
	l := &csvLayout{path: t.in.path, notation: opt.notation(Notation{}), known: opt.Labels, fixed: opt.Fixed, fills: opt.fills(), drop: opt.Missing == MissingDrop}
	if err := t.read(); err != nil {
		return nil, err
	}
	t.comma = cmp.Or(opt.Comma, findComma(t.record, opt.Decimal))
	cells, err := t.split()
	if err != nil {
		return nil, err
	}
	l.comma, l.width, l.first = t.comma, t.width, make([]string, 0, len(cells))
	for _, cell := range cells {
		l.first = append(l.first, trim(cell))
	}
	// A name has no carriage return. A file whose lines end with CR alone would be one long header.
	col := slices.IndexFunc(l.first, func(cell string) bool { return strings.Contains(cell, "\r") })
	line := t.lineOf(max(0, col))
	if l.header, err = l.isHeader(opt, first, t); err != nil {
		return nil, err
	}
	switch {
	case l.header && col >= 0:
		fault := Errorf("is %s, with a carriage return but no line feed; end the lines with LF or CRLF", names.Shorten(l.first[col]))
		fault.Line, fault.Column = line, col+1
		return nil, fault
	case l.header:
		l.names = l.first
	case first != nil && first.names != nil:
		if l.width != first.width {
			return nil, Errorf("has no header and %s, but %s has %d; give files with the same columns", names.Count(l.width, "column"), first.path, first.width)
		}
		l.names = first.names
	}
	if l.choice, err = opt.choose(l.names, l.width); err != nil {
		return nil, err
	}
	if err := opt.checkChoice(len(l.choice.inputs), len(l.choice.targets), true); err != nil {
		return nil, err
	}
	l.assign(opt)
	return l, nil
}

// isHeader reports whether the first line, which t has read, is a header. For first see readLayout.
func (l *csvLayout) isHeader(opt *Options, first *csvLayout, t *recordReader) (bool, error) {
	if opt.Header != HeaderAuto {
		return opt.Header == HeaderPresent, nil
	}
	var c choice
	switch {
	case first != nil:
		c = first.choice
	case opt.named():
		return true, nil
	default:
		var err error
		if c, err = opt.choose(nil, l.width); err != nil {
			return false, err
		}
	}
	if first != nil && first.names != nil && slices.Equal(l.first, first.names) {
		return true, nil
	}
	columns := c.inputs
	if opt.targetsOnly {
		columns = c.targets
	}
	numbers, words, levels, others := 0, 0, 0, 0 // others are words in columns with levels
	var plain []int                              // the columns of numbers
	for i, col := range columns {
		ofWords := len(opt.Columns) == len(columns) && opt.Columns[i].Levels != nil
		if !ofWords {
			plain = append(plain, col)
		}
		switch {
		case col >= l.width || l.isMissing(l.first[col]):
		case l.looksNumber(l.first[col]):
			numbers++
		case !ofWords:
			words++
		case slices.Contains(opt.Columns[i].Levels, l.first[col]):
			levels++
		default:
			others++
		}
	}
	switch {
	case opt.targetsOnly && opt.Classes: // a name above words looks like a label
		if words == 0 || slices.Contains(l.known, l.first[columns[0]]) {
			return false, nil
		}
		next := second(t)
		return next != nil && l.unlike(columns, next), nil
	case levels > 0: // a name may equal a level of its column, but such a header has no numbers
		return words > 0 && numbers == 0 && !opt.Fixed, nil
	case words == 0 || numbers == 0:
		return words > 0 || numbers == 0 && others > 0, nil
	}
	next := second(t)
	return next == nil && first == nil || next != nil && l.unlike(plain, next), nil
}

// second returns the cells of the first good record after the first record, or nil if none of the next
// hundred records is good.
func second(t *recordReader) []string {
	for range 100 {
		cells, err := t.next() // an error recurs in a later read
		if err == nil {
			return cells
		}
		if !isBad(err) {
			break
		}
	}
	return nil
}

// unlike reports whether one of columns has a word in the first line above a number in next, or a
// number above a word.
func (l *csvLayout) unlike(columns []int, next []string) bool {
	return slices.ContainsFunc(columns, func(col int) bool {
		if col >= l.width {
			return false
		}
		over, under := l.first[col], trim(next[col])
		return !l.isMissing(over) && !l.isMissing(under) && l.looksNumber(over) != l.looksNumber(under)
	})
}

// looksNumber reports whether a cell is a number in the file's notation or in one that Survey detects.
func (l *csvLayout) looksNumber(cell string) bool {
	if l.isNumber(cell) {
		return true
	}
	g := newGuess(formNotations)
	g.add(cell)
	return g.number()
}

func (l *csvLayout) assign(opt *Options) {
	c := &l.choice
	l.columns = make([]csvColumn, slices.Max(slices.Concat(c.inputs, c.targets, c.weights, c.kept))+1)
	for i, col := range c.inputs {
		column := csvColumn{kind: inputColumn, index: i, in: l.notation}
		if opt.Columns != nil {
			column.in = opt.notation(opt.Columns[i].Notation)
			if words := opt.Columns[i].Levels; words != nil {
				column.kind, column.levels = wordColumn, map[string]int{}
				for k, word := range words {
					if word != "" && !slices.Contains(opt.NA, word) {
						column.levels[word] = k
					}
				}
			}
		}
		l.columns[col] = column
	}
	for _, col := range c.weights {
		l.columns[col] = csvColumn{kind: weightColumn, in: l.notation}
	}
	for i, col := range c.targets {
		column := csvColumn{kind: targetColumn, index: i, in: l.notation}
		if opt.Classes {
			column.kind = labelColumn
		} else if len(opt.TargetNotations) == len(c.targets) {
			column.in = opt.notation(opt.TargetNotations[i])
		}
		l.columns[col] = column
	}
	if !opt.Classes {
		l.outputs = len(c.targets)
	}
	for i, col := range c.kept {
		l.columns[col].keep = i + 1
	}
}

func (l *csvLayout) info() info {
	i := info{heading: Heading{HasHeader: l.header, Columns: l.width, First: l.first}, rows: -1, layout: l,
		inputs: namesOf(l.names, l.choice.inputs), columns: l.choice.inputs, dim: len(l.choice.inputs),
		targets: namesOf(l.names, l.choice.targets), outputs: len(l.choice.targets), ofTargets: l.choice.targets,
		taken: slices.Concat(l.choice.targets, l.choice.weights), kept: keptNames(l.names, l.choice.kept)}
	if l.header {
		i.heading.Names = l.first
	}
	return i
}

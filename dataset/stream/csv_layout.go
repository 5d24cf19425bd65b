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

// maxCells bounds the cells of a record. What is known of each column takes about a hundred bytes, so that a few kilobytes
// of gzip with nothing but separators in them would else take gigabytes.
const maxCells = 1 << 20

// A csvLayout says what the columns of a text are.
type csvLayout struct {
	path    string // for messages
	comma   rune
	first   []string // cells of the first line
	header  bool     // which are names
	names   []string // of the columns, nil without a header here and in the first of several texts
	width   int      // cells of a record
	choice  choice
	classes bool
	role    []int32 // of each column, see the constants
	last    int     // the last column that is used
}

// Roles of columns: an input has 1 + its position in X, a target minus 1 + its position in Y.
const (
	unused    int32 = 0
	labelRole int32 = 1<<31 - 1
)

// validComma reports whether encoding/csv can separate cells by r, and no number has it.
func validComma(r rune) bool {
	return r != 0 && utf8.ValidRune(r) && r != utf8.RuneError && !strings.ContainsRune("\"\r\n.+-_", r) &&
		!unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// findComma returns the separator that the first line of text that is not blank tells, outside of
// quotation marks: a tab if there is any, else a semicolon, else a comma. A semicolon comes before a
// comma because cells that are separated by semicolons often have decimal commas.
func findComma(text []byte) rune {
	text = bytes.TrimLeft(text, "\r\n")
	semicolon, quoted := false, false
	for _, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\t':
			return '\t'
		case c == ';':
			semicolon = true
		case c == '\n':
			if semicolon {
				return ';'
			}
			return ','
		}
	}
	if semicolon {
		return ';'
	}
	return ','
}

// readLayout finds the layout of a text that begins with piece, whose first line has the number given,
// and how many bytes of piece its header takes; io.EOF if piece has blank lines only. first is the
// layout of the first of several texts, nil for that one itself.
func readLayout(path string, piece []byte, line int64, q *request, opt *Options, first *csvLayout) (*csvLayout, int, error) {
	l := &csvLayout{path: path, comma: opt.Comma, classes: opt.Classes}
	if l.comma == 0 {
		l.comma = findComma(piece)
	}
	if begin := crowded(piece, l.comma); begin >= 0 && len(bytes.Trim(piece[:begin], "\r\n")) == 0 {
		return nil, 0, l.crowdedFault(piece[:begin], line)
	}
	r := csv.NewReader(bytes.NewReader(piece))
	r.Comma = l.comma
	r.FieldsPerRecord = -1
	cells, err := r.Read()
	if err == io.EOF {
		return nil, 0, io.EOF
	}
	if err != nil {
		return nil, 0, l.syntaxFault(err, line)
	}
	for i, cell := range cells {
		cells[i] = trim(cell)
	}
	l.first, l.width = cells, len(cells)
	if l.header, err = isHeader(cells, q, opt, first); err != nil {
		return nil, 0, err
	}
	offset := 0
	switch {
	case l.header:
		// A name does not have one, and the line ends of old texts would make the whole file the header.
		if col := slices.IndexFunc(cells, func(cell string) bool { return strings.Contains(cell, "\r") }); col >= 0 {
			at, _ := r.FieldPos(col)
			return nil, 0, &Error{Line: line + int64(at) - 1, Column: col + 1,
				What: fmt.Sprintf("%s has a carriage return without a line feed in it: end the lines with LF or CRLF", shorten(cells[col]))}
		}
		l.names = cells
		offset = int(r.InputOffset())
	case first != nil && first.names != nil:
		if l.width != first.width {
			return nil, 0, &Error{What: fmt.Sprintf("has no header and %d columns, but %s has %d", l.width, first.path, first.width)}
		}
		l.names = first.names
	}
	if l.choice, err = q.choose(l.names, l.width); err != nil {
		return nil, 0, err
	}
	if err := checkLabels(opt, len(l.choice.targets)); err != nil {
		return nil, 0, err
	}
	l.assign()
	return l, offset, nil
}

// isHeader decides whether the cells of the first line are names.
func isHeader(cells []string, q *request, opt *Options, first *csvLayout) (bool, error) {
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
		if c, err = q.choose(nil, len(cells)); err != nil {
			return false, err
		}
	}
	numbers := c.inputs
	if q.targetsOnly && !opt.Classes {
		numbers = c.targets
	}
	for _, col := range numbers {
		if col < len(cells) && !isMissing(cells[col]) && !isNumber(cells[col]) {
			return true, nil
		}
	}
	return false, nil
}

// assign sets role and last from choice.
func (l *csvLayout) assign() {
	l.role = make([]int32, l.width)
	for i, col := range l.choice.inputs {
		l.role[col] = int32(i + 1)
		l.last = max(l.last, col)
	}
	for i, col := range l.choice.targets {
		l.role[col] = -int32(i + 1)
		if l.classes {
			l.role[col] = labelRole
		}
		l.last = max(l.last, col)
	}
}

func (l *csvLayout) schema() schema {
	return schema{inputs: namesOf(l.names, l.choice.inputs), dim: len(l.choice.inputs),
		targets: namesOf(l.names, l.choice.targets), outputs: len(l.choice.targets)}
}

// syntaxFault makes the error for what encoding/csv refuses in a piece whose first line has the number
// given.
func (l *csvLayout) syntaxFault(err error, line int64) error {
	e := &Error{Path: l.path}
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		e.What, e.Err = "cannot be parsed", err
		return e
	}
	e.Line = line + int64(parse.Line) - 1
	switch {
	case errors.Is(parse.Err, csv.ErrBareQuote):
		e.What = fmt.Sprintf("a quotation mark at byte %d of the line, within a cell that does not begin with one: put the cell into quotation marks and write this one twice", parse.Column)
	case errors.Is(parse.Err, csv.ErrQuote):
		// Where a quotation mark was forgotten is found out lines later, at the next one or at the end of the text.
		found := fmt.Sprintf("byte %d of the line", parse.Column)
		if parse.StartLine != parse.Line {
			found = fmt.Sprintf("byte %d of line %d", parse.Column, e.Line)
		}
		e.Line = line + int64(parse.StartLine) - 1
		e.What = fmt.Sprintf("a quotation mark that is not closed, or is followed by more of its cell, as is found at %s: a cell ends with its quotation mark, and one within is written twice", found)
	default:
		e.What, e.Err = "cannot be parsed", parse.Err
	}
	return e
}

// crowded returns where the first record of text begins that has more than maxCells cells, -1 if there is none. Records
// and cells are told by quotation marks as in cutter, without memory for them.
func crowded(text []byte, comma rune) int {
	if len(text) < maxCells {
		return -1
	}
	separator := []byte(string(comma))
	begin, cells, quoted := 0, 1, false
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '"')
		end := len(text)
		if next >= 0 {
			end = at + next
		}
		for part := text[at:end]; !quoted; {
			line := bytes.IndexByte(part, '\n')
			row := part
			if line >= 0 {
				row = part[:line]
			}
			if cells += bytes.Count(row, separator); cells > maxCells {
				return begin
			}
			if line < 0 {
				break
			}
			part = part[line+1:]
			begin, cells = end-len(part), 1
		}
		if next < 0 {
			return -1
		}
		at = end + 1
		quoted = !quoted
	}
}

// crowdedFault is the error for the record behind the part of a piece whose first line has the number given.
func (l *csvLayout) crowdedFault(before []byte, line int64) error {
	return &Error{Path: l.path, Line: line + int64(bytes.Count(before, []byte{'\n'})),
		What: fmt.Sprintf("the line has more than %d cells, with %q between them: is this a text with one sample in each line?", maxCells, l.comma)}
}

// widthFault is the error for a record on line that has another number of cells than the first.
func (l *csvLayout) widthFault(line int64, cells int) error {
	return &Error{Path: l.path, Line: line,
		What: fmt.Sprintf("the line has %d cells, but the first line has %d, with %q between them", cells, l.width, l.comma)}
}

// trim removes the spaces and tabs around a cell, which are no part of it.
func trim(cell string) string { return strings.Trim(cell, " \t") }

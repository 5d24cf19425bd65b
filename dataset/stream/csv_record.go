package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// A recordReader reads the raw cells of a text, record by record, by encoding/csv.
type recordReader struct {
	*csv.Reader
	layout *csvLayout
	text   []byte
	start  int64 // number of the first line of the text
	line   int64 // of the record
	end    error // follows the last record
}

// records returns a reader of the records in text, which begins with the given line.
func (l *csvLayout) records(text []byte, line int64) *recordReader {
	r := &recordReader{layout: l, text: text, start: line, end: io.EOF}
	if begin := tooManyCells(text, l.comma); begin >= 0 {
		r.text, r.end = text[:begin], l.tooManyCellsFault(text[:begin], line)
	}
	r.Reader = newCSVReader(r.text, l.comma)
	return r
}

func newCSVReader(text []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	return r
}

// next returns the cells of the next record, valid until the next call. Its error is io.EOF, the *Error
// of a bad record, which is passed, or one that ends the text. The first record sets the width.
func (r *recordReader) next() ([]string, error) {
	from, l := r.InputOffset(), r.layout
	cells, err := r.Read()
	if err == io.EOF {
		return nil, r.end
	}
	if err != nil {
		var fault *Error
		fault, r.line = l.syntaxFault(err, r.start)
		fault.sample = balancedQuotes(r.text[from:r.InputOffset()])
		return nil, fault
	}
	r.line = r.lineOf(0)
	if l.width == 0 {
		l.width = len(cells)
	}
	if len(cells) != l.width {
		fault := l.widthFault(len(cells))
		fault.Path, fault.Line, fault.sample = l.path, r.line, true
		return nil, fault
	}
	return cells, nil
}

// lineOf returns the number of the line on which a cell of the record begins.
func (r *recordReader) lineOf(col int) int64 {
	line, _ := r.FieldPos(col)
	return r.start + int64(line) - 1
}

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

// balancedQuotes reports whether a record that encoding/csv refuses has balanced quotation marks, so
// that for a cutter too the next record begins after its line end.
func balancedQuotes(record []byte) bool { return bytes.Count(record, []byte{'"'})%2 == 0 }

// tooManyCellsFault returns the error for the record that follows the bytes before, which begin on a
// line.
func (l *csvLayout) tooManyCellsFault(before []byte, line int64) *Error {
	return &Error{Path: l.path, Line: line + int64(bytes.Count(before, []byte{'\n'})),
		What: fmt.Sprintf("the line has more than %d cells, separated by %q; a text has one sample in each line", maxCells, l.comma)}
}

// widthFault returns the error for a record with another number of cells than the first.
func (l *csvLayout) widthFault(cells int) *Error {
	return Errorf("the line has %d cells, but the first line has %d, separated by %q", cells, l.width, l.comma)
}

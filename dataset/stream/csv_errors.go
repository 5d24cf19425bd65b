package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
)

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
// that for a cutter too the next record begins behind its line end.
func paired(record []byte) bool { return bytes.Count(record, []byte{'"'})%2 == 0 }

// crowdedFault returns the error for the record behind before, whose first line has the given number.
func (l *csvLayout) crowdedFault(before []byte, line int64) *Error {
	return &Error{Path: l.path, Line: line + int64(bytes.Count(before, []byte{'\n'})),
		What: fmt.Sprintf("the line has more than %d cells, separated by %q; a text has one sample in each line", maxCells, l.comma)}
}

// widthFault returns the error for a record with another number of cells than the first.
func (l *csvLayout) widthFault(line int64, cells int) *Error {
	return &Error{Path: l.path, Line: line,
		What: fmt.Sprintf("the line has %d cells, but the first line has %d, separated by %q", cells, l.width, l.comma)}
}

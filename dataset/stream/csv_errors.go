package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
)

// A badRecord is where a bad record of a chunk stands. passBad finds its fault again: a chunk has memory
// for many such records, but not for as many errors.
type badRecord struct {
	row        int32 // samples of the chunk before it
	begin, end int32 // bytes of text
}

// badRecords are those of a chunk.
type badRecords struct {
	all     []badRecord
	last    *Error // the fault of the last
	passed  int    // those that the caller was told of, or skipped
	counted int32  // bytes of text before which line ends are counted
	line    int64  // number of the line there
}

func (b *badRecords) clear(line int64) { *b = badRecords{all: b.all[:0], line: line} }

func (b *badRecords) left() bool { return b.passed < len(b.all) }

// end returns the bytes of text up to the end of the last that was passed, 0 if none was.
func (b *badRecords) end() int32 {
	if b.passed == 0 {
		return 0
	}
	return b.all[b.passed-1].end
}

// leaveOut records a bad record in text[begin:end] and removes the parts of its sample. It reports
// whether parsing goes on; else the fault is the last.
func (l *csvLayout) leaveOut(c *csvChunk, fault *Error, begin, end int64) bool {
	s := &c.samples
	s.x, s.y = s.x[:c.rows*l.inputs], s.y[:c.rows*l.numbers]
	s.labels = s.labels[:c.rows*(len(l.choice.targets)-l.numbers)]
	c.bad.last = fault
	c.bad.all = append(c.bad.all, badRecord{int32(c.rows), int32(begin), int32(end)})
	return l.aside
}

// samplesFrom returns how many samples come, from one on, before the next bad record or the end.
func (c *csvChunk) samplesFrom(at int) int {
	if c.bad.left() {
		return int(c.bad.all[c.bad.passed].row) - at
	}
	return c.rows - at
}

// passBad passes the next bad record and returns its fault.
func (l *csvLayout) passBad(c *csvChunk) *badSample {
	b := &c.bad
	b.passed++
	record := b.all[b.passed-1]
	b.line += int64(bytes.Count(c.text[b.counted:record.begin], []byte{'\n'}))
	b.counted = record.begin
	alone := csvChunk{text: c.text[record.begin:record.end], line: b.line}
	l.parse(&alone)
	return (*badSample)(alone.bad.last)
}

// syntaxFault returns the error for what encoding/csv refuses; line is the number of its first line.
func (l *csvLayout) syntaxFault(err error, line int64) *Error {
	e := &Error{Path: l.path, What: "cannot be parsed", Err: err}
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return e
	}
	e.Line, e.Err = line+int64(parse.Line)-1, parse.Err
	switch {
	case errors.Is(parse.Err, csv.ErrBareQuote):
		e.Err = nil
		e.What = fmt.Sprintf("a quotation mark at byte %d of the line, within a cell that does not begin with one; "+
			"put the cell into quotation marks and double this one", parse.Column)
	case errors.Is(parse.Err, csv.ErrQuote):
		// A forgotten quotation mark is found lines later, at the next one or at the end of the
		// text.
		found := fmt.Sprintf("byte %d of the line", parse.Column)
		if parse.StartLine != parse.Line {
			found = fmt.Sprintf("byte %d of line %d", parse.Column, e.Line)
		}
		e.Line, e.Err = line+int64(parse.StartLine)-1, nil
		e.What = fmt.Sprintf("a quotation mark is not closed, or more of its cell follows it, as found at %s; "+
			"a cell ends with its quotation mark, and one within is doubled", found)
	}
	return e
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

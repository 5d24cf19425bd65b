package stream

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"blskernel/internal/io/names"
)

const (
	maxRecord = 1 << 24 // bytes of a record, which may have several lines
	// maxCells bounds the cells of a record: a column takes a hundred bytes, so a few kilobytes of
	// packed separators could otherwise take gigabytes.
	maxCells = 1 << 20
)

// utf8Mark is the byte order mark that some programs write at the start of a text file.
const utf8Mark = "\xef\xbb\xbf"

// A recordReader reads a CSV file record by record.
//
// A record ends at the first line end before which it has an even number of quotation marks. Every
// well-formed record ends there. In a malformed file, the record with the first fault still starts in
// the right place, so the error names the right line.
type recordReader struct {
	in     *input
	comma  rune
	width  int      // cells of a record; 0 before the first
	record []byte   // with its line end
	marked bool     // record has quotation marks
	cells  []string // of record
	blanks int64    // blank lines before record that are empty cells, in a file of one column
	line   int64    // of record, from 1; if blanks > 0, of the first of these lines
	lines  int64    // line ends up to the end of record
	end    int64    // bytes of the file up to the end of record

	quoted *csv.Reader // of records with quotation marks, from feed
	feed   bytes.Reader
}

// newRecordReader returns a reader at the beginning of a file, after the byte order mark if it has one.
func newRecordReader(in *input) recordReader {
	t := recordReader{in: in}
	if head, _ := in.r.Peek(len(utf8Mark)); string(head) == utf8Mark {
		n, _ := in.r.Discard(len(utf8Mark))
		t.end = int64(n)
	}
	return t
}

// next returns the cells of the next record, valid until the next call. Its error is io.EOF, the *Error
// of a bad record, which is skipped, or an error that is final. The first record sets the width.
func (t *recordReader) next() ([]string, error) {
	if t.blanks > 0 {
		t.blanks--
		t.line++
	} else if err := t.read(); err != nil {
		return nil, err
	}
	if t.blanks > 0 {
		return emptyCell, nil
	}
	return t.split()
}

var emptyCell = []string{""}

// read reads the next record that is not blank. In a file of one column it counts the blank lines
// before that record, since each is an empty cell. Memory grows with the bytes that arrive.
func (t *recordReader) read() error {
	for {
		if t.in.ctx.Err() != nil {
			return canceled(t.in.ctx)
		}
		err := t.readAny()
		switch {
		case err != nil:
			t.blanks = 0
			return err
		case len(t.text()) > 0:
			t.line -= t.blanks
			return nil
		case t.width == 1:
			t.blanks++
		}
	}
}

func (t *recordReader) readAny() error {
	t.record, t.line = t.record[:0], t.lines+1
	for marks := 0; ; {
		piece, err := t.in.r.ReadSlice('\n')
		t.record = append(t.record, piece...)
		t.end += int64(len(piece))
		marks += bytes.Count(piece, []byte{'"'})
		t.marked = marks > 0
		switch {
		case len(t.record) > maxRecord:
			return t.tooLong()
		case err == nil:
			t.lines++
			if marks%2 == 0 {
				return nil
			}
		case err == io.EOF && len(t.record) > 0:
			return nil
		case err == io.EOF:
			return io.EOF
		case err != bufio.ErrBufferFull:
			return readFault(t.in.ctx, t.in.path, err)
		}
	}
}

func (t *recordReader) text() []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(t.record, []byte("\n")), []byte("\r"))
}

func (t *recordReader) tooLong() *Error {
	e := t.fault("the line is longer than %d bytes; put each sample on a line of its own", maxRecord)
	if open := bytes.LastIndexByte(t.record, '"'); open >= 0 && !balancedQuotes(t.record) {
		e = t.fault("a quotation mark is not closed within %d bytes; close it, or double it if it is part of a cell", maxRecord)
		e.Line += int64(bytes.Count(t.record[:open], []byte{'\n'}))
	}
	e.sample = false
	return e
}

// split returns the cells of the record. encoding/csv splits records with quotation marks. Other
// records are split only if they have as many cells as the first. See next for the errors.
func (t *recordReader) split() (cells []string, err error) {
	comma := string(t.comma)
	n := 1 + bytes.Count(t.record, []byte(comma))
	switch {
	case n > maxCells && (t.marked || t.width == 0):
		return nil, t.fault("the line has at least %d separators %q; put each sample on a line of its own", maxCells, t.comma)
	case t.marked:
		if cells, err = t.unquote(); err != nil {
			return nil, err
		}
		n = len(cells)
	case n == t.width || t.width == 0:
		t.cells = slices.Grow(t.cells[:0], n)
		for cell, rest, more := "", string(t.text()), true; more; {
			cell, rest, more = strings.Cut(rest, comma)
			t.cells = append(t.cells, cell)
		}
		cells = t.cells
	}
	if t.width == 0 {
		t.width = n
	}
	if n != t.width {
		also := ""
		if n > t.width {
			also = ", or correct the first line if it lacks a name"
		}
		return nil, t.fault("the line has %s, but the first line has %d, separated by %q; correct or remove the line%s", names.Count(n, "cell"), t.width, t.comma, also)
	}
	return cells, nil
}

func (t *recordReader) unquote() ([]string, error) {
	if t.quoted == nil {
		t.quoted = csv.NewReader(&t.feed)
		t.quoted.Comma, t.quoted.FieldsPerRecord, t.quoted.ReuseRecord = t.comma, -1, true
	}
	t.feed.Reset(t.record)
	from := t.quoted.InputOffset()
	cells, err := t.quoted.Read()
	if err == nil {
		return cells, nil
	}
	parse := err.(*csv.ParseError) // no other error is possible, since the record is in memory
	fault := t.fault("")
	// If the number of marks up to the fault is odd, the beginning of the next record is unknown.
	fault.sample = balancedQuotes(t.record[:t.quoted.InputOffset()-from])
	t.quoted = nil // it may have buffered more of the record
	line := t.line + int64(parse.Line-parse.StartLine)
	if errors.Is(err, csv.ErrBareQuote) {
		fault.Line = line
		fault.What = fmt.Sprintf("a quotation mark at byte %d of the line is within a cell that is not quoted; "+
			"put the cell in quotation marks and double this mark", parse.Column)
		return nil, fault
	}
	// A missing quotation mark is noticed only later: at the next one or at the end of the file.
	found := fmt.Sprintf("byte %d of the line", parse.Column)
	if line != t.line {
		found = fmt.Sprintf("byte %d of line %d", parse.Column, line)
	}
	fault.What = fmt.Sprintf("a quotation mark is not closed, or the closing one is not at the end of its cell (noticed at %s); "+
		"end the cell with its quotation mark, and double any mark within", found)
	return nil, fault
}

// lineOf returns the number of the line on which cell col of the record begins.
func (t *recordReader) lineOf(col int) int64 {
	if !t.marked || t.blanks > 0 {
		return t.line
	}
	first, _ := t.quoted.FieldPos(0)
	line, _ := t.quoted.FieldPos(col)
	return t.line + int64(line-first)
}

// fault returns the error for a bad record, which next skips.
func (t *recordReader) fault(format string, args ...any) *Error {
	e := Errorf(format, args...)
	e.Path, e.Line, e.sample = t.in.path, t.line, true
	return e
}

func balancedQuotes(text []byte) bool { return bytes.Count(text, []byte{'"'})%2 == 0 }

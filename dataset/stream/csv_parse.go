package stream

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A csvChunk is whole records of a text and the samples in them.
type csvChunk struct {
	buf     []byte // storage of text
	text    []byte // the records
	line    int64  // number of the first line
	before  int    // bytes of the header before text
	from    int64  // bytes of the file before the chunk
	to      int64  // and up to its end
	records []csvRecord
	samples samples // of the good records; parts of another may follow an error
	rows    int     // good records
	fault   *Error  // of the last bad record
	err     error   // ends the text here
	done    chan struct{}
}

// A csvRecord is the position of a record in a chunk. The fault of a bad record is computed again on
// demand: a chunk has memory for many records, but not for as many errors.
type csvRecord struct {
	line int32 // of the first cell, counted from the first line of the chunk
	end  int32 // bytes of text
	bad  bool
}

func newCSVChunk() *csvChunk { return &csvChunk{done: make(chan struct{}, 1)} }

// add records a sample that begins on line and ends after end bytes of the text, or a bad one with its
// fault, whose parts it removes. It reports whether parsing goes on.
func (l *csvLayout) add(c *csvChunk, line, end int64, fault *Error) bool {
	c.records = append(c.records, csvRecord{int32(line - c.line), int32(end), fault != nil})
	if fault == nil {
		c.rows++
		return true
	}
	c.fault = fault
	s, of := &c.samples, &l.sample
	s.x, s.y, s.w = s.x[:c.rows*of.x], s.y[:c.rows*of.y], s.w[:c.rows*of.w]
	s.labels, s.kept = s.labels[:c.rows*of.labels], s.kept[:min(len(s.kept), c.rows*of.kept)]
	return l.aside
}

// parse reads all records of c, or those up to the first bad one unless bad samples are set aside.
//
// Without quotation marks a record is a line, and separators divide its cells; with them encoding/csv
// reads the chunk. TestCSVAgainstEncodingCSV and FuzzCSV compare the two.
func (l *csvLayout) parse(c *csvChunk) {
	c.rows, c.records = 0, c.records[:0]
	c.samples = c.samples.slice(0, 0, l.sample)
	if l.comma >= utf8.RuneSelf || bytes.IndexByte(c.text, '"') >= 0 {
		c.err = l.parseQuoted(c)
	} else {
		l.parsePlain(c)
	}
}

// parsePlain reads a chunk without quotation marks.
func (l *csvLayout) parsePlain(c *csvChunk) {
	text := string(c.text) // cells are parts of it, for which nothing is allocated
	end := int64(0)
	for line := c.line; text != ""; line++ {
		row, rest, ended := strings.Cut(text, "\n")
		if end += int64(len(row)); ended {
			end++
		}
		text = rest
		if row = strings.TrimSuffix(row, "\r"); row == "" {
			continue
		}
		fault := l.plain(&c.samples, row)
		if fault != nil {
			fault.Path, fault.Line = l.path, line
		}
		if !l.add(c, line, end, fault) {
			return
		}
	}
}

// plain appends the sample in a line without quotation marks, or returns its fault, after which s may
// have parts of it.
func (l *csvLayout) plain(s *samples, row string) (fault *Error) {
	if len(row) < l.width-1 { // storage is never requested for more columns than the line can have
		return l.widthFault(1 + strings.Count(row, string(l.comma)))
	}
	comma := byte(l.comma)
	x, y := s.extend(l.sample)
	at := 0
	for col := 0; col < len(l.columns) && at <= len(row) && fault == nil; col++ {
		c, end := l.columns[col], 0
		if c.keep > 0 {
			l.keep(s, c, row[at:cellEnd(row, at, comma)])
		}
		if c.kind.number() && !c.in.slow {
			v, to, ok := scanNumber(row, at, comma)
			if ok && !(c.kind == weightColumn && v < 0) {
				c.set(s, x, y, v)
				at = to + 1
				continue
			}
			end = to
		} else {
			end = cellEnd(row, at, comma)
		}
		if c.kind != unused {
			fault = l.cell(s, x, y, col, trim(row[at:end]))
		}
		at = end + 1
	}
	// A wrong number of cells takes precedence over a fault of one cell.
	if n := 1 + strings.Count(row, string(l.comma)); n != l.width {
		return l.widthFault(n)
	}
	return fault
}

// parseQuoted reads a chunk by encoding/csv. Its error ends the text.
func (l *csvLayout) parseQuoted(c *csvChunk) error {
	r := l.records(c.text, c.line)
	for {
		cells, err := r.next()
		fault, _ := err.(*Error)
		switch {
		case err == io.EOF:
			return nil
		case fault == nil:
			fault = l.quoted(&c.samples, r, cells)
		case !fault.sample:
			return fault
		}
		if !l.add(c, r.line, r.InputOffset(), fault) {
			return nil
		}
	}
}

// quoted appends the sample in the cells of a record of r, or returns the fault of the first wrong one.
func (l *csvLayout) quoted(s *samples, r *recordReader, cells []string) *Error {
	x, y := s.extend(l.sample)
	for col := range l.columns {
		c := l.columns[col]
		if c.keep > 0 {
			l.keep(s, c, cells[col])
		}
		if c.kind == unused {
			continue
		}
		if fault := l.cell(s, x, y, col, trim(cells[col])); fault != nil {
			fault.Path, fault.Line = l.path, r.lineOf(col)
			return fault
		}
	}
	return nil
}

// cell puts a trimmed cell of a column that is used where it belongs, or returns its fault without a
// line.
func (l *csvLayout) cell(s *samples, x, y []float64, col int, cell string) *Error {
	c := l.columns[col]
	var v float64
	var fault *Error
	if c.kind == labelColumn && slices.Contains(l.na, cell) {
		cell = ""
	}
	switch {
	case c.kind == labelColumn && cell == "" && !l.drop:
		fault = Errorf("is empty; fill in the label or remove the row")
	case c.kind == labelColumn && len(cell) > maxLabel:
		fault = Errorf("is a label of %d bytes; at most %d can be", len(cell), maxLabel)
	case c.kind == labelColumn:
		s.labels = append(s.labels, strings.Clone(cell)) // not the whole text
	case c.kind == wordColumn:
		x[c.index], fault = l.level(c.index, cell)
	default:
		v, fault = c.in.number(cell, l.drop || c.kind == inputColumn && l.fills, c.kind != targetColumn)
		if c.kind == weightColumn && v < 0 {
			fault = &Error{What: negativeWeight(v)}
		}
		c.set(s, x, y, v)
	}
	if fault != nil {
		fault.in(col, nameOf(l.names, col))
	}
	return fault
}

// keep copies a kept cell to the last sample, so that the text can be freed.
func (l *csvLayout) keep(s *samples, c csvColumn, cell string) {
	s.kept[len(s.kept)-l.sample.kept+c.keep-1] = strings.Clone(trim(cell))
}

// set puts a number where it belongs.
func (c csvColumn) set(s *samples, x, y []float64, v float64) {
	switch c.kind {
	case inputColumn:
		x[c.index] = v
	case targetColumn:
		y[c.index] = v
	default:
		s.w = append(s.w, v)
	}
}

// level returns the index of the level of a trimmed cell of input i, -1 for an unknown word, and NaN
// for a missing one if that is allowed. The fault has only What.
func (l *csvLayout) level(i int, cell string) (float64, *Error) {
	if k, known := l.levels[i][cell]; known {
		return float64(k), nil
	}
	if !l.isMissing(cell) {
		return -1, nil
	}
	if !l.fills {
		return 0, Errorf("is %s, a missing value; fill in a word or remove the row", shorten(cell))
	}
	return math.NaN(), nil
}

// negativeWeight is the text of the error for a negative weight.
func negativeWeight(v float64) string {
	return fmt.Sprintf("is %v, a negative weight; give 0 or more, or remove the row", v)
}

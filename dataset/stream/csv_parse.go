package stream

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
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

// A csvRecord is where a record of a chunk stands. The fault of a bad one is found again when it is
// asked for: a chunk has memory for many such records, but not for as many errors.
type csvRecord struct {
	line int32 // of the first cell, from that of the chunk
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
	s := &c.samples
	s.x, s.y = s.x[:c.rows*l.inputs], s.y[:c.rows*l.numbers]
	s.labels, s.w = s.labels[:c.rows*(len(l.choice.targets)-l.numbers)], s.w[:c.rows*l.weights]
	return l.aside
}

// parse reads all records of c; unless bad samples are set aside, those up to the first bad one.
//
// Without quotation marks a record is a line, and separators divide its cells; with them encoding/csv
// reads the chunk. TestCSVAgainstEncodingCSV and FuzzCSV compare the two.
func (l *csvLayout) parse(c *csvChunk) {
	c.rows, c.records = 0, c.records[:0]
	c.samples = samples{x: c.samples.x[:0], y: c.samples.y[:0], labels: c.samples.labels[:0], w: c.samples.w[:0]}
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

// plain appends the sample in a line without quotation marks, or returns its fault, after which b may
// have parts of it.
func (l *csvLayout) plain(b *samples, row string) (fault *Error) {
	if len(row) < l.width-1 { // storage is never requested for more columns than the line can have
		return l.widthFault(1 + strings.Count(row, string(l.comma)))
	}
	comma := byte(l.comma)
	x, y := b.extend(l.inputs, l.numbers)
	at := 0
	for col := 0; col <= l.last && at <= len(row) && fault == nil; col++ {
		role, end := l.role[col], 0
		if !l.local && role != unused && (role < wordRole || role == weightRole) {
			v, to, ok := scanNumber(row, at, comma)
			if ok && !(role == weightRole && v < 0) {
				role.set(b, x, y, v)
				at = to + 1
				continue
			}
			end = to
		} else {
			end = cellEnd(row, at, comma)
		}
		if role != unused {
			fault = l.cell(b, x, y, col, trim(row[at:end]))
		}
		at = end + 1
	}
	// A count of all cells comes before what is wrong with one.
	if n := 1 + strings.Count(row, string(l.comma)); n != l.width {
		return l.widthFault(n)
	}
	return fault
}

// parseQuoted reads a chunk by encoding/csv. Its error ends the text.
func (l *csvLayout) parseQuoted(c *csvChunk) error {
	text, end := c.text, error(nil)
	if begin := crowded(text, l.comma); begin >= 0 {
		text, end = text[:begin], l.crowdedFault(text[:begin], c.line)
	}
	r := newCSVReader(text, l.comma)
	for {
		from := r.InputOffset()
		cells, err := r.Read()
		if err == io.EOF {
			return end
		}
		to := r.InputOffset()
		if err != nil {
			fault, first := l.syntaxFault(err, c.line)
			if !paired(text[from:to]) {
				return fault
			}
			if !l.add(c, first, to, fault) {
				return nil
			}
			continue
		}
		lineOf := func(col int) int64 {
			at, _ := r.FieldPos(min(col, len(cells)-1))
			return c.line + int64(at) - 1
		}
		if !l.add(c, lineOf(0), to, l.record(&c.samples, cells, lineOf)) {
			return nil
		}
	}
}

func newCSVReader(text []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	return r
}

// record appends the sample in the cells of a record, or returns the fault of the first wrong cell.
func (l *csvLayout) record(b *samples, cells []string, lineOf func(col int) int64) *Error {
	fault, at := l.widthFault(len(cells)), 0
	if len(cells) == l.width {
		x, y := b.extend(l.inputs, l.numbers)
		for fault = nil; at <= l.last && fault == nil; at++ {
			if l.role[at] != unused {
				fault = l.cell(b, x, y, at, trim(cells[at]))
			}
		}
	}
	if fault != nil {
		fault.Path, fault.Line = l.path, lineOf(max(0, at-1))
	}
	return fault
}

// cell puts a trimmed cell of a column that is used where it belongs, or returns its fault without a
// line.
func (l *csvLayout) cell(b *samples, x, y []float64, col int, cell string) *Error {
	role := l.role[col]
	var v float64
	var fault *Error
	switch {
	case role == labelRole && cell == "" && !l.drop:
		fault = faultf("is empty; fill in the label or remove the row")
	case role == labelRole && len(cell) > maxLabel:
		fault = faultf("is a label of %d bytes; at most %d can be", len(cell), maxLabel)
	case role == labelRole:
		b.labels = append(b.labels, strings.Clone(cell)) // not the whole text
	case role >= wordRole && role != weightRole:
		ok := false
		if x[role-wordRole], ok = l.level(int(role-wordRole), cell); !ok {
			fault = faultf("is %s, a missing value; fill in a word or remove the row", shorten(cell))
		}
	case role > 0 && role != weightRole:
		x[role-1], fault = l.number(cell, l.fills)
	default:
		v, fault = l.number(cell, l.drop)
		switch {
		case fault != nil && role < 0: // a target cannot be left out
			fault.What = strings.Replace(fault.What, ", or use "+excludeFlag, " or remove the row", 1)
		case fault == nil && role == weightRole && v < 0:
			fault = &Error{What: negativeWeight(v)}
		}
		role.set(b, x, y, v)
	}
	if fault != nil {
		fault.in(col, nameOf(l.names, col))
	}
	return fault
}

// set puts a number where it belongs.
func (role columnRole) set(b *samples, x, y []float64, v float64) {
	switch {
	case role < 0:
		y[-role-1] = v
	case role == weightRole:
		b.w = append(b.w, v)
	default:
		x[role-1] = v
	}
}

// level returns the index of the level of a trimmed cell of input i, -1 for an unknown word, NaN for a
// missing one. ok is false if that is not allowed.
func (l *csvLayout) level(i int, cell string) (v float64, ok bool) {
	if k, known := l.words[i][cell]; known {
		return float64(k), true
	}
	if isMissing(cell) {
		return math.NaN(), l.fills
	}
	return -1, true
}

// negativeWeight says what is wrong with a weight.
func negativeWeight(v float64) string {
	return fmt.Sprintf("is %v, a negative weight; give 0 or more, or remove the row", v)
}

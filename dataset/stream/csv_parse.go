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
	text := c.text
	for line := c.line; len(text) > 0; line++ {
		row := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			row, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		if n := len(row); n > 0 && row[n-1] == '\r' {
			row = row[:n-1]
		}
		if len(row) == 0 {
			continue
		}
		var fault *Error
		if !l.scan(c, row) {
			fault = l.plainRecord(c, row, line)
		}
		if !l.add(c, line, int64(len(c.text)-len(text)), fault) {
			return
		}
	}
}

// plainRecord appends the sample in a line without quotation marks, or returns its fault.
func (l *csvLayout) plainRecord(c *csvChunk, row []byte, line int64) *Error {
	// The count comes first: a line may have too many cells for memory.
	if n := 1 + bytes.Count(row, []byte{byte(l.comma)}); n != l.width {
		return l.widthFault(line, n)
	}
	cells := strings.Split(string(row), string(l.comma))
	return l.record(c, cells, func(int) int64 { return line })
}

// scan appends the sample in a line without quotation marks. It returns false and leaves c.samples
// unchanged unless the line is in order.
func (l *csvLayout) scan(c *csvChunk, row []byte) bool {
	if len(row) < l.width-1 {
		return false // storage is never requested for more columns than the line can have
	}
	comma := byte(l.comma)
	b := &c.samples
	x0, y0, w0, n0 := len(b.x), len(b.y), len(b.w), len(b.labels)
	x, y := b.extend(l.inputs, l.numbers)
	at, ok := 0, true
	for col := 0; col <= l.last && ok; col++ {
		if at > len(row) {
			ok = false // the line has fewer cells
			break
		}
		var v float64
		end := 0
		switch role := l.role[col]; {
		case role > 0 && role < wordRole:
			if v, end, ok = scanNumber(row, at, comma); l.local || !ok {
				v, end, ok = l.scanCell(row, at, l.fills)
			}
			x[role-1] = v
		case role < 0 || role == weightRole:
			if v, end, ok = scanNumber(row, at, comma); l.local || !ok {
				v, end, ok = l.scanCell(row, at, l.drop)
			}
			if role < 0 {
				y[-role-1] = v
			} else {
				b.w = append(b.w, v)
				ok = ok && !(v < 0)
			}
		default:
			end = cellEnd(row, at, comma)
			cell := bytes.Trim(row[at:end], " \t")
			switch {
			case role == labelRole:
				b.labels = append(b.labels, string(cell))
				ok = len(cell) > 0 || l.drop
			case role != unused:
				x[role-wordRole], ok = l.level(int(role-wordRole), string(cell))
			}
		}
		at = end + 1
	}
	if ok {
		// at is after the comma of the last column that is used, or after the end.
		cells := l.last + 1
		if at <= len(row) {
			cells += 1 + bytes.Count(row[at:], []byte{comma})
		}
		ok = cells == l.width
	}
	if !ok {
		b.x, b.y, b.w, b.labels = b.x[:x0], b.y[:y0], b.w[:w0], b.labels[:n0]
	}
	return ok
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
		if !l.add(c, lineOf(0), to, l.record(c, cells, lineOf)) {
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
func (l *csvLayout) record(c *csvChunk, cells []string, lineOf func(col int) int64) *Error {
	if len(cells) != l.width {
		return l.widthFault(lineOf(0), len(cells))
	}
	b := &c.samples
	x, y := b.extend(l.inputs, l.numbers)
	for col, role := range l.role[:l.last+1] {
		if role == unused {
			continue
		}
		cell := trim(cells[col])
		var v float64
		var fault *Error
		switch {
		case role == labelRole && cell == "" && !l.drop:
			fault = faultf("is empty; fill in the label or remove the row")
		case role == labelRole:
			b.labels = append(b.labels, strings.Clone(cell)) // not the whole line
		case role == weightRole:
			if v, fault = l.number(cell, l.drop); fault == nil && v < 0 {
				fault = &Error{What: negativeWeight(v)}
			}
			b.w = append(b.w, v)
		case role >= wordRole:
			ok := false
			if x[role-wordRole], ok = l.level(int(role-wordRole), cell); !ok {
				fault = faultf("is %s, a missing value; fill in a word or remove the row", shorten(cell))
			}
		case role > 0:
			x[role-1], fault = l.number(cell, l.fills)
		default:
			if y[-role-1], fault = l.number(cell, l.drop); fault != nil { // a target cannot be left out
				fault.What = strings.Replace(fault.What, ", or use "+excludeFlag, " or remove the row", 1)
			}
		}
		if fault != nil {
			fault.Path, fault.Line = l.path, lineOf(col)
			fault.in(col, nameOf(l.names, col))
			return fault
		}
	}
	return nil
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

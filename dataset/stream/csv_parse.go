package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
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
		case role > 0 && role < specials:
			v, end, ok = scanNumber(row, at, comma)
			x[role-1] = v
		case role < 0:
			v, end, ok = scanNumber(row, at, comma)
			y[-role-1] = v
		case role == weightRole:
			v, end, ok = scanNumber(row, at, comma)
			b.w = append(b.w, v)
			ok = ok && v >= 0
		default:
			end = len(row)
			if n := bytes.IndexByte(row[at:], comma); n >= 0 {
				end = at + n
			}
			if role == labelRole {
				label := string(bytes.Trim(row[at:end], " \t"))
				b.labels = append(b.labels, label)
				ok = label != ""
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
		case role == labelRole && cell == "":
			fault = faultf("is empty; fill in the label or remove the row")
		case role == labelRole:
			b.labels = append(b.labels, strings.Clone(cell)) // not the whole line
		case role == weightRole:
			if v, fault = number(cell); fault == nil && v < 0 {
				fault = faultf("%s", negativeWeight(v))
			}
			b.w = append(b.w, v)
		case role > 0:
			v, fault = number(cell)
			x[role-1] = v
		default:
			v, fault = number(cell)
			y[-role-1] = v
		}
		if fault != nil {
			fault.Path, fault.Line, fault.Column, fault.Name = l.path, lineOf(col), col+1, nameOf(l.names, col)
			return fault
		}
	}
	return nil
}

// negativeWeight says what is wrong with a weight.
func negativeWeight(v float64) string {
	return fmt.Sprintf("is %v, a negative weight; give 0 or more, or remove the row", v)
}

// powers are the powers of ten up to 10^19, all exact in float64.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// scanNumber reads the cell of line that begins at byte at, and returns where it ends: at comma or at
// the end of line. ok is false unless the cell is a finite number.
//
// Digits with or without a point are read in one pass: m/10^e, with m <= 2^53 and e <= 19, divides two
// exact numbers and rounds as strconv.ParseFloat does, which reads everything else.
func scanNumber(line []byte, at int, comma byte) (v float64, end int, ok bool) {
	i := at
	negative := i < len(line) && line[i] == '-'
	if negative {
		i++
	}
	m := uint64(0)
	from := i
	for i < len(line) && line[i]-'0' <= 9 {
		m = 10*m + uint64(line[i]-'0')
		i++
	}
	digits, decimals := i-from, 0
	if i < len(line) && line[i] == '.' {
		i++
		from = i
		for i < len(line) && line[i]-'0' <= 9 {
			m = 10*m + uint64(line[i]-'0')
			i++
		}
		decimals = i - from
		digits += decimals
	}
	// Up to 19 digits m has not overflowed.
	if (i == len(line) || line[i] == comma) && 0 < digits && digits < len(powers) && m <= 1<<53 {
		v = float64(m)
		if decimals > 0 {
			v /= powers[decimals]
		}
		if negative {
			v = -v
		}
		return v, i, true
	}
	end = len(line)
	if n := bytes.IndexByte(line[at:], comma); n >= 0 {
		end = at + n
	}
	// ParseFloat does not keep its argument, so that no string of a usual length is allocated.
	v, err := strconv.ParseFloat(string(bytes.Trim(line[at:end], " \t")), 64)
	return v, end, err == nil && v-v == 0
}

// number reads a trimmed cell. The fault has only What.
func number(cell string) (float64, *Error) {
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case cell == "":
		return 0, faultf("is empty; fill in a number or remove the row")
	case isMissing(cell):
		return 0, faultf("is %s, a missing value; fill in a number or remove the row", shorten(cell))
	case errors.Is(err, strconv.ErrRange):
		return 0, faultf("is %s, too large for a float64; scale the column", shorten(cell))
	case err != nil && isNumber(strings.Replace(cell, ",", ".", 1)):
		return 0, faultf("is %s, with a decimal comma; write a point", shorten(cell))
	case err != nil:
		return 0, faultf("is %s, not a number; correct it, or do not select the column", shorten(cell))
	case v-v != 0:
		return 0, faultf("is %s, infinite; give a finite number or remove the row", shorten(cell))
	}
	return v, nil
}

// isNumber reports whether ParseFloat can read a trimmed cell, even to infinity.
func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isMissing reports whether a trimmed cell stands for a missing value.
func isMissing(cell string) bool {
	switch strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(cell, "+"), "-")) {
	case "", "na", "n/a", "nan", "null", "none", "?":
		return true
	}
	return false
}

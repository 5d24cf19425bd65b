package stream

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxInterned bounds the labels that share one string for all their occurrences in a piece.
const maxInterned = 1 << 12

// A csvChunk is a piece of a text and the samples in it.
type csvChunk struct {
	buf    []byte    // storage of text
	text   []byte    // whole records
	line   int64     // number of the first line
	before int       // bytes of the piece before text, which is behind a header
	from   int64     // bytes of the file before the piece
	to     int64     // and up to its end
	rows   int       // samples before err
	ends   []int32   // bytes of text up to the end of each sample
	starts []lineRun // lines of the samples
	block  block     // the samples; parts of another after an error
	aside  bool      // a bad sample does not end the text: there is Options.Bad
	bad    badRecords
	err    error // what ends the text here
	done   chan struct{}
	failed any // what the parsing panicked with
	labels map[string]string
}

// A lineRun says on which line a sample stands; those behind it stand on the lines that follow.
type lineRun struct {
	row  int
	line int64
}

// finished notes a sample that begins on line and ends behind end bytes of the text.
func (c *csvChunk) finished(line, end int64) {
	if k := len(c.starts); k == 0 || c.starts[k-1].line+int64(c.rows-c.starts[k-1].row) != line {
		c.starts = append(c.starts, lineRun{c.rows, line})
	}
	c.ends = append(c.ends, int32(end))
	c.rows++
}

// parse reads all records of c.
//
// Without quotation marks a record is a line and a cell what stands between two commas; with them
// encoding/csv reads the piece. Both give the same: TestCSVAgainstEncodingCSV and FuzzCSV compare them.
func (l *csvLayout) parse(c *csvChunk) {
	c.rows, c.ends, c.starts = 0, c.ends[:0], c.starts[:0]
	c.bad.clear(c.line)
	c.block = block{x: c.block.x[:0], y: c.block.y[:0], labels: c.block.labels[:0]}
	if l.comma >= utf8.RuneSelf || bytes.IndexByte(c.text, '"') >= 0 {
		c.err = l.parseQuoted(c)
	} else {
		c.err = l.parsePlain(c)
	}
}

// parsePlain reads a piece without quotation marks.
func (l *csvLayout) parsePlain(c *csvChunk) error {
	text := c.text
	for line := c.line; len(text) > 0; line++ {
		row, begin := text, len(c.text)-len(text)
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
		end := len(c.text) - len(text)
		if !l.scan(c, row) {
			if err := l.plainRecord(c, row, line); err != nil {
				if !c.aside {
					return err
				}
				l.leaveOut(c, begin, end)
				continue
			}
		}
		c.finished(line, int64(end))
	}
	return nil
}

// plainRecord appends the sample in a line without quotation marks, or says what is wrong with it.
func (l *csvLayout) plainRecord(c *csvChunk, row []byte, line int64) error {
	// Counted first, since there is no memory to be had for the cells of any line.
	if n := 1 + bytes.Count(row, []byte{byte(l.comma)}); n != l.width {
		return l.widthFault(line, n)
	}
	cells := strings.Split(string(row), string(l.comma))
	return l.record(c, cells, func(int) int64 { return line })
}

// scan appends the sample in a line without quotation marks. It returns false, with c.block as it was,
// unless all is well with the line.
func (l *csvLayout) scan(c *csvChunk, row []byte) bool {
	if len(row) < l.width-1 {
		return false // and storage is never asked for more columns than a line can have
	}
	comma := byte(l.comma)
	b := &c.block
	x0, y0, n0 := len(b.x), len(b.y), len(b.labels)
	b.extend(l)
	x := b.x[x0:]
	y := b.y[y0:]
	at, ok := 0, true
	for col := 0; col <= l.last && ok; col++ {
		if at > len(row) {
			ok = false // the line has fewer cells
			break
		}
		var v float64
		end := 0
		switch role := l.role[col]; {
		case role > 0 && role != labelRole:
			v, end, ok = scanNumber(row, at, comma)
			x[role-1] = v
		case role < 0:
			v, end, ok = scanNumber(row, at, comma)
			y[-role-1] = v
		default:
			end = len(row)
			if n := bytes.IndexByte(row[at:], comma); n >= 0 {
				end = at + n
			}
			if role == labelRole {
				label := c.label(bytes.Trim(row[at:end], " \t"))
				b.labels = append(b.labels, label)
				ok = label != ""
			}
		}
		at = end + 1
	}
	if ok {
		// at is behind the comma of the last column that is used, or behind the end.
		cells := l.last + 1
		if at <= len(row) {
			cells += 1 + bytes.Count(row[at:], []byte{comma})
		}
		ok = cells == l.width
	}
	if !ok {
		b.x, b.y, b.labels = b.x[:x0], b.y[:y0], b.labels[:n0]
	}
	return ok
}

// extend makes room for one sample's numbers.
func (b *block) extend(l *csvLayout) {
	nx := len(l.choice.inputs)
	b.x = slices.Grow(b.x, nx)[:len(b.x)+nx]
	if !l.classes {
		ny := len(l.choice.targets)
		b.y = slices.Grow(b.y, ny)[:len(b.y)+ny]
	}
}

// label returns the string of a label, one for all its occurrences.
func (c *csvChunk) label(text []byte) string {
	if s, ok := c.labels[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(c.labels) < maxInterned {
		if c.labels == nil {
			c.labels = map[string]string{}
		}
		c.labels[s] = s
	}
	return s
}

// parseQuoted reads a piece by encoding/csv.
func (l *csvLayout) parseQuoted(c *csvChunk) error {
	for at, line := 0, c.line; ; {
		text := c.text[at:]
		begin := crowded(text, l.comma)
		if begin < 0 {
			return l.parseRecords(c, at, len(c.text), line)
		}
		if err := l.parseRecords(c, at, at+begin, line); err != nil {
			return err
		}
		if !c.aside {
			return l.crowdedFault(text[:begin], line)
		}
		end := begin + recordEnd(text[begin:])
		l.leaveOut(c, at+begin, at+end)
		line += int64(bytes.Count(text[:end], []byte{'\n'}))
		at += end
	}
}

// parseRecords reads a part of c by encoding/csv, whose first line has the number given.
func (l *csvLayout) parseRecords(c *csvChunk, from, to int, line int64) error {
	text := c.text[from:to]
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = l.comma
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	for {
		begin := r.InputOffset()
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		end := r.InputOffset()
		lineOf := func(col int) int64 {
			at, _ := r.FieldPos(min(col, len(cells)-1))
			return line + int64(at) - 1
		}
		if err != nil {
			err = l.syntaxFault(err, line)
			if !paired(text[begin:end]) {
				return err
			}
		} else {
			err = l.record(c, cells, lineOf)
		}
		switch {
		case err == nil:
			c.finished(lineOf(0), int64(from)+end)
		case c.aside:
			l.leaveOut(c, from+int(begin), from+int(end))
		default:
			return err
		}
	}
}

// record appends the sample in the cells of a record, or says what is wrong with the first cell that is
// not as it should be. lineOf gives the line of a column.
func (l *csvLayout) record(c *csvChunk, cells []string, lineOf func(col int) int64) error {
	if len(cells) != l.width {
		return l.widthFault(lineOf(0), len(cells))
	}
	b := &c.block
	x0, y0 := len(b.x), len(b.y)
	b.extend(l)
	for col, role := range l.role[:l.last+1] {
		if role == unused {
			continue
		}
		cell := trim(cells[col])
		v, err := 0.0, error(nil)
		switch {
		case role == labelRole && cell == "":
			err = &Error{What: "the label is empty: remove the line or fill in its class"}
		case role == labelRole:
			b.labels = append(b.labels, c.label([]byte(cell)))
		case role > 0:
			v, err = number(cell)
			b.x[x0+int(role)-1] = v
		default:
			v, err = number(cell)
			b.y[y0-int(role)-1] = v
		}
		if err != nil {
			e := err.(*Error)
			e.Path, e.Line, e.Column, e.Name = l.path, lineOf(col), col+1, nameOf(l.names, col)
			return e
		}
	}
	return nil
}

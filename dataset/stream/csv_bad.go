package stream

import "bytes"

// A badRecord is where a record of a piece stands that is left out. What is wrong with it is found again
// when it is asked for: a piece has room for many such records, and not for as many errors.
type badRecord struct {
	row        int32 // samples of the piece before it
	begin, end int32 // bytes of text
}

// badRecords are those of a piece.
type badRecords struct {
	all     []badRecord
	passed  int   // those of which the caller has been told, or that he has skipped
	counted int32 // bytes of text before which line ends have been counted
	line    int64 // number of the line there
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

// leaveOut notes a record in bytes begin to end of the text, and removes what there is of its sample.
func (l *csvLayout) leaveOut(c *csvChunk, begin, end int) {
	nx, ny := c.rows*len(l.choice.inputs), c.rows*len(l.choice.targets)
	c.block.x = c.block.x[:nx]
	if l.classes {
		c.block.labels = c.block.labels[:ny]
	} else {
		c.block.y = c.block.y[:ny]
	}
	c.bad.all = append(c.bad.all, badRecord{int32(c.rows), int32(begin), int32(end)})
}

// samplesFrom returns how many samples come, from one on, before the next bad record or the end.
func (c *csvChunk) samplesFrom(at int) int {
	if c.bad.left() {
		return int(c.bad.all[c.bad.passed].row) - at
	}
	return c.rows - at
}

// unusable passes the next bad record and says what is wrong with it.
func (l *csvLayout) unusable(c *csvChunk) *Error {
	b := &c.bad
	record := b.all[b.passed]
	b.passed++
	b.line += int64(bytes.Count(c.text[b.counted:record.begin], []byte{'\n'}))
	b.counted = record.begin
	alone := csvChunk{text: c.text[record.begin:record.end], line: b.line}
	l.parse(&alone)
	return alone.err.(*Error)
}

// paired reports whether a record that encoding/csv refuses has an even number of quotation marks, so
// that the next begins behind its line end for a cutter as well.
func paired(record []byte) bool { return bytes.Count(record, []byte{'"'})%2 == 0 }

// recordEnd returns the index behind the record that text begins with, told as in cutter.
func recordEnd(text []byte) int {
	quoted := false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			return i + 1
		}
	}
	return len(text)
}

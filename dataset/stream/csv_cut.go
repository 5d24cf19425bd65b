package stream

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

const (
	firstChunk = 1 << 16 // bytes of the first chunk of a text
	chunkBytes = 1 << 20 // of the largest, to which they double, unless a record is longer
	maxRecord  = 1 << 24 // bytes of a record, which may have several lines
	// maxCells bounds the cells of a record: a column takes a hundred bytes, so a few kilobytes of
	// packed separators could take gigabytes.
	maxCells = 1 << 20
	maxLabel = 1 << 16       // bytes of a label, which a batch keeps
	maxFirst = 3 * maxRecord // bytes before the end of the second record, blank lines among them
)

// A cutter cuts a text into chunks of whole records.
//
// A line end ends a record if the number of quotation marks before it is even, as in every well-formed
// text. In a malformed text, the chunk with the first fault still starts in the right place, so the
// fault is found in its line.
type cutter struct {
	r     io.Reader
	live  bool   // chunks are as small as the reads of r
	rest  []byte // the beginning of a record
	line  int64  // number of the first line of rest, from 1
	at    int64  // bytes of the text before rest
	size  int    // bytes of the next chunk
	ended bool
}

// next returns the next chunk, in buf or in new storage, and its first line; io.EOF after the last.
func (c *cutter) next(buf []byte) (chunk []byte, line int64, err error) {
	buf = append(buf[:0], c.rest...)
	c.rest = c.rest[:0]
	var ends recordEnds
	for size := max(c.size, len(buf)+1); ; size = 2 * len(buf) {
		if buf, err = c.fill(buf, min(size, maxRecord)); err != nil {
			return nil, 0, err
		}
		end := len(buf)
		if !c.ended {
			end = ends.last(buf)
		}
		switch {
		case end > 0:
			c.rest = append(c.rest, buf[end:]...)
			c.size = min(2*c.size, chunkBytes)
			line = c.line
			c.at += int64(end)
			c.line += int64(bytes.Count(buf[:end], []byte{'\n'}))
			return buf[:end], line, nil
		case c.ended:
			return nil, 0, io.EOF
		case len(buf) == maxRecord:
			return nil, 0, c.tooLong(buf)
		}
	}
}

// fill reads until buf has size bytes or the text ends. From a live reader it takes one Read only.
func (c *cutter) fill(buf []byte, size int) ([]byte, error) {
	if c.ended {
		return buf, nil
	}
	buf = slices.Grow(buf, max(0, size-len(buf)))
	for len(buf) < size && !c.ended {
		n, err := c.r.Read(buf[len(buf):size])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			c.ended = true
		} else if err != nil {
			return buf, err
		}
		if c.live && n > 0 {
			break
		}
	}
	return buf, nil
}

// tooLong returns the error for a record without an end.
func (c *cutter) tooLong(buf []byte) error {
	e := Errorf("the line is longer than %d bytes; a text has one sample in each line", maxRecord)
	e.Line = c.line
	if open := bytes.LastIndexByte(buf, '"'); open >= 0 && !balancedQuotes(buf) {
		e.Line += int64(bytes.Count(buf[:open], []byte{'\n'}))
		e.What = fmt.Sprintf("a quotation mark is not closed within %d bytes; close it, or double it within quotation marks", maxRecord)
	}
	return e
}

// recordEnds finds the last end of a record in a growing text. It looks at each byte once, so that a
// record that arrives byte by byte takes linear time.
type recordEnds struct {
	seen   int  // bytes
	end    int  // after the last end among them, 0 without one
	quoted bool // the number of quotation marks among them is odd
}

// last returns the index after the last end of a record in b, or 0. b begins with the earlier text.
func (e *recordEnds) last(b []byte) int {
	for {
		next := bytes.IndexByte(b[e.seen:], '"')
		plain := b[e.seen:]
		if next >= 0 {
			plain = plain[:next]
		}
		if !e.quoted {
			if i := bytes.LastIndexByte(plain, '\n'); i >= 0 {
				e.end = e.seen + i + 1
			}
		}
		e.seen += len(plain)
		if next < 0 {
			return e.end
		}
		e.seen++
		e.quoted = !e.quoted
	}
}

// recordEnd returns the index after the first record of text.
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

// tooManyCells returns where the first record of more than maxCells cells begins, or -1. It counts
// in place, and counts separators within quotation marks too.
func tooManyCells(text []byte, comma rune) int {
	separator := []byte(string(comma))
	for begin := 0; len(text)-begin >= maxCells; {
		end := begin + recordEnd(text[begin:])
		if bytes.Count(text[begin:end], separator) >= maxCells {
			return begin
		}
		begin = end
	}
	return -1
}

package stream

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

const (
	firstChunk = 1 << 16 // bytes of the first piece of a text
	chunkBytes = 1 << 20 // of the largest, to which they double, unless a record is longer
	// maxRecord bounds a record, which is a line or some where a quoted cell has line ends.
	maxRecord = 1 << 24
)

// A cutter cuts a text into pieces of whole records.
//
// Whether a line end is the end of a record is told by the number of quotation marks before it: it is
// if they are even. That holds in every text that is well formed. In one that is not, the piece with
// the first fault begins where it should, so that the fault is found in its line.
type cutter struct {
	r     io.Reader
	live  bool   // r gives what there is: pieces are as small as they come
	rest  []byte // begins a record that has been read in part
	line  int64  // number of the first line of rest, from 1
	at    int64  // bytes of the text before rest
	size  int    // bytes of the next piece
	ended bool
}

// next returns the next piece, in the storage of buf or in new one, and the number of its first line;
// io.EOF after the last.
func (c *cutter) next(buf []byte) (piece []byte, line int64, err error) {
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

// fill reads until buf has size bytes or the text ends, from a live reader only what one Read gives.
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

// tooLong is the error for a record without an end.
func (c *cutter) tooLong(buf []byte) error {
	e := &Error{Line: c.line, What: fmt.Sprintf("the line is longer than %d bytes: is this a text with one sample in each line?", maxRecord)}
	if open := bytes.LastIndexByte(buf, '"'); open >= 0 && bytes.Count(buf, []byte{'"'})%2 == 1 {
		e.Line += int64(bytes.Count(buf[:open], []byte{'\n'}))
		e.What = fmt.Sprintf("a quotation mark is not closed within %d bytes: close it, or write it twice within quotation marks", maxRecord)
	}
	return e
}

// recordEnds looks for line ends that have an even number of quotation marks before them. What it has seen of a text it
// does not look at again when the text has become longer, so that a record which arrives byte by byte takes the time
// of one that is there at once.
type recordEnds struct {
	seen   int  // bytes
	end    int  // behind the last such line end among them, 0 if there is none
	quoted bool // the quotation marks among them are odd
}

// last returns the index behind the last such line end of b, 0 if there is none. b begins with what it was given before.
func (e *recordEnds) last(b []byte) int {
	for {
		next := bytes.IndexByte(b[e.seen:], '"')
		part := b[e.seen:]
		if next >= 0 {
			part = part[:next]
		}
		if !e.quoted {
			if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
				e.end = e.seen + i + 1
			}
		}
		e.seen += len(part)
		if next < 0 {
			return e.end
		}
		e.seen++
		e.quoted = !e.quoted
	}
}

package stream

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrClosed is returned by the methods of a Reader after Close.
var ErrClosed = errors.New("stream: the reader is closed")

// An Error says what is wrong with a source, where, and what to do about it.
type Error struct {
	Path   string // as it was given to Open; "standard input" for "-"
	Line   int64  // of a text, from 1; 0 where no line is to blame
	Row    int64  // sample of an array, from 1 in its file; 0 where no sample is to blame
	Column int    // from 1; 0 where no column is to blame
	Name   string // of the column; empty where it has none
	What   string // what is wrong and what to do
	Err    error  // the cause; nil where What says all
}

// Error gives path, place, fault and cause in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("stream: " + e.Path + ": ")
	var place []string
	if e.Line > 0 {
		place = append(place, fmt.Sprintf("line %d", e.Line))
	}
	if e.Row > 0 {
		place = append(place, fmt.Sprintf("row %d", e.Row))
	}
	if e.Column > 0 {
		at := fmt.Sprintf("column %d", e.Column)
		if e.Name != "" {
			at += fmt.Sprintf(" (%s)", shorten(e.Name))
		}
		place = append(place, at)
	}
	if place != nil {
		b.WriteString(strings.Join(place, ", ") + ": ")
	}
	b.WriteString(e.What)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause, which may be nil.
func (e *Error) Unwrap() error { return e.Err }

// shownText is how much of a cell a message shows, in bytes.
const shownText = 40

// shorten quotes the text of a cell and cuts it to a length that a message can bear.
func shorten(text string) string {
	if len(text) <= shownText {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q...", strings.ToValidUTF8(text[:shownText], ""))
}

// canceled is the error for work that ctx has ended.
func canceled(ctx context.Context) error {
	return fmt.Errorf("stream: reading was canceled: %w", context.Cause(ctx))
}

// readFault makes the error for a failed read of path.
func readFault(ctx context.Context, path string, err error) error {
	var corrupt flate.CorruptInputError
	var known *Error
	switch {
	case ctx.Err() != nil:
		return canceled(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zip.ErrChecksum):
		return &Error{Path: path, What: "the compressed data is damaged: fetch or compress the file again", Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Path: path, What: "the compressed data is cut off: fetch or compress the file again", Err: err}
	}
	return &Error{Path: path, What: "cannot be read", Err: err}
}

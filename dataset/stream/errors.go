package stream

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

// ErrClosed is returned by the methods of a Reader after Close.
var ErrClosed = errors.New("stream: the reader is closed")

// ErrEmpty is wrapped by the error of Open for a source without samples: a CSV file without a line, or
// an array whose first dimension is 0 and whose file ends after the header.
var ErrEmpty = errors.New("there are no samples")

// An Error says what is wrong with a source, where, and what to do about it.
type Error struct {
	Path   string // as given to Open; "standard input" for "-"
	Line   int64  // of a CSV file, from 1; 0 without a line
	Row    int64  // sample of an array, from 1 in its file; 0 without a sample
	Column int    // from 1; 0 without a column
	Name   string // of the column; empty if it has none
	What   string // what is wrong and what to do; the predicate of Column if that is set
	Err    error  // the cause; nil if What says it all

	format string // of What; empty if What is plain text
	args   []any  // arguments of format, Remedies among them
	sample bool   // the fault is in one sample, which the source has skipped
}

// Errorf returns an Error without a place. What is fmt.Sprintf(format, args...); args may be Remedies.
func Errorf(format string, args ...any) *Error {
	return &Error{What: fmt.Sprintf(format, args...), format: format, args: args}
}

// Remedies returns the options that What suggests, in the order in which it suggests them.
func (e *Error) Remedies() []Remedy {
	var all []Remedy
	for _, arg := range e.args {
		if r, ok := arg.(Remedy); ok {
			all = append(all, r)
		}
	}
	return all
}

// With returns a copy of e with words(r), such as a program's flag, in place of each Remedy r in What.
func (e *Error) With(words func(Remedy) string) *Error {
	args := slices.Clone(e.args)
	for i, arg := range args {
		if r, ok := arg.(Remedy); ok {
			args[i] = words(r)
		}
	}
	named := *e
	if e.format != "" {
		named.What = fmt.Sprintf(e.format, args...)
	}
	return &named
}

// in sets Column and Name for the column at position col, counted from 0, and returns e. If What
// suggests excluding a column without naming it (exclude), What then names this column.
func (e *Error) in(col int, name string) *Error {
	e.Column, e.Name = col+1, name
	for i, arg := range e.args {
		if arg == exclude {
			e.args[i] = Remedy{OptionExclude, specOf(col, name)}
			e.What = fmt.Sprintf(e.format, e.args...)
		}
	}
	return e
}

// specOf returns an entry of Options.Exclude for col: the name if short and plain, else the number.
func specOf(col int, name string) string {
	spec := strconv.Itoa(col + 1)
	plain := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	if name != "" && len(name) <= names.ShownText && utf8.ValidString(name) && !isPositions(name) && strings.Trim(name, "0123456789") != "" &&
		!strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		spec = name
	}
	return spec
}

// Error returns the path, place, fault and cause on one line, as in
//
//	stream: train.csv:702: column "price" is empty; fill in a number or remove the row
func (e *Error) Error() string {
	text := "stream: " + Place{e.Path, e.Line, e.Row}.String() + ": "
	switch {
	case e.Column > 0 && e.Name != "":
		text += "column " + names.Shorten(e.Name) + " "
	case e.Column > 0:
		text += fmt.Sprintf("column %d ", e.Column)
	}
	text += e.What
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// isBad reports whether err is the error of a source for one bad sample, which the source has skipped.
func isBad(err error) bool {
	e, ok := err.(*Error)
	return ok && e.sample
}

// located sets the path of an *Error that lacks one, and returns err.
func located(path string, err error) error {
	var known *Error
	if errors.As(err, &known) && known.Path == "" {
		known.Path = path
	}
	return err
}

func canceled(ctx context.Context) error {
	return fmt.Errorf("stream: reading was canceled: %w", context.Cause(ctx))
}

func readFault(ctx context.Context, path string, err error) error {
	var corrupt flate.CorruptInputError
	var known *Error
	what := "cannot be read"
	switch {
	case ctx.Err() != nil:
		return canceled(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, zip.ErrChecksum):
		what = "the data is damaged; fetch or write the file again"
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "the data is cut off; fetch or write the file again"
	}
	return &Error{Path: path, What: what, Err: err}
}

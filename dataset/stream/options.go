package stream

import (
	"context"
	"fmt"
	"io"
	"strings"

	"blskernel/internal/vfs"
)

// A Format is the form in which a source has its samples.
type Format int

// The formats.
const (
	FormatAuto Format = iota // by the ending of the path, else by the first bytes, else CSV
	CSV                      // text, one sample in each line
	NPY                      // one array of NumPy
	NPZ                      // a zip archive of arrays of NumPy
	IDX                      // the format of MNIST
)

var formatNames = [...]string{"auto", "csv", "npy", "npz", "idx"}

// String returns auto, csv, npy, npz or idx.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formatNames[f]
}

// ParseFormat returns the format that has the name, in letters of either case. "" is FormatAuto, and tsv is
// CSV, whose separator is found by itself.
func ParseFormat(name string) (Format, error) {
	name = strings.ToLower(name)
	for f, known := range formatNames {
		if name == known {
			return Format(f), nil
		}
	}
	switch name {
	case "":
		return FormatAuto, nil
	case "tsv":
		return CSV, nil
	}
	return FormatAuto, fmt.Errorf("stream: unknown format %q: give one of auto, csv, npy, npz, idx", name)
}

// Header says whether the first line of a text names its columns.
type Header int

// What the first line of a text is.
const (
	// HeaderAuto takes the first line for a header if Inputs or Targets name columns, or if any cell of
	// an input column (of a target column where there are no inputs) is no number. Cells without a
	// value, such as NA, do not make a header. A header of numbers only needs HeaderPresent.
	HeaderAuto Header = iota
	HeaderPresent
	HeaderAbsent
)

var headerNames = [...]string{"auto", "present", "absent"}

// String returns auto, present or absent.
func (h Header) String() string {
	if h < 0 || int(h) >= len(headerNames) {
		return fmt.Sprintf("Header(%d)", int(h))
	}
	return headerNames[h]
}

// ParseHeader returns the Header that has the name, in letters of either case. "" is HeaderAuto.
func ParseHeader(name string) (Header, error) {
	if name == "" {
		return HeaderAuto, nil
	}
	for h, known := range headerNames {
		if strings.EqualFold(name, known) {
			return Header(h), nil
		}
	}
	return HeaderAuto, fmt.Errorf("stream: unknown header %q: give one of present, absent, auto", name)
}

// Options say what is read and how. The zero value reads every column as an input, in a format that is
// found by itself.
type Options struct {
	Format Format // of the paths; that of TargetPath is found by itself
	Header Header // of texts
	// Comma stands between the cells of a text. 0 finds it by the first line: a tab if it has one, else a
	// semicolon, else a comma. It can be no letter and no digit, none of . + - _, which can be part of a
	// number, no quotation mark and no line end.
	Comma rune

	// Inputs are the columns of X in their order, each entry one of
	//
	//	"age"        the column of that name in the header of a text
	//	"3"          the third column; a number is always a position
	//	"3-7" "3:7"  positions from 3 to 7
	//	"3-" "3:"    from the third to the last
	//	"a:c"        from the column named a to the one named c
	//
	// nil takes all columns that are no targets, in the order of the file. Of an array with more than
	// two dimensions, each sample is its elements in C order.
	Inputs []string

	// Targets are the columns to be predicted, in the same notation; in an .npz the name of an array.
	// With TargetPath they are columns of that file, none for all. Otherwise none means no targets. An
	// empty list is none, as nil is; an empty list of Inputs is an error.
	Targets []string

	// TargetPath is a file of any of the formats that has the targets of the only path given to Open,
	// one row for each sample.
	TargetPath string

	// InputArray is the name of the array of X in an .npz; empty for X, else x, else the only one of
	// two or more dimensions that is not the target.
	InputArray string

	// Classes says that the one target column holds labels, which are kept as text.
	Classes bool

	// Test takes t10k- files instead of train- files from a folder of MNIST's files.
	Test bool

	// Stdin is read where a path is "-"; nil for os.Stdin.
	Stdin io.Reader

	// Open opens every path but "-", TargetPath too, so that files can come from elsewhere than the file
	// system of this machine; nil for that. A path is then whatever Open understands: there is no folder,
	// no file has a size, and each is looked at when it is reached, and read, as a named pipe is.
	//
	// Open is called in a goroutine of its own, with a context that is done when that of the Reader is, or
	// after Close; neither Open nor Read is waited for beyond that. What Open returns is read by one
	// goroutine, and closed once, never during a Read: when the Reader is done with it, or behind the Read
	// that has not returned by then. Its errors come as the cause of an *Error that names the path.
	Open func(ctx context.Context, path string) (io.ReadCloser, error)

	// FS is where an archive that comes through a pipe, or is packed, is copied to; nil for the operating system's
	// files. It is for tests of this module.
	FS vfs.FS

	// Bad is called with what is wrong with a sample that cannot be used, instead of ending the reading:
	// nil leaves the sample out, any other error ends the reading and is what Next returns from then on,
	// io.EOF as if that were the end. nil for the first such sample to end the reading, with its *Error.
	//
	// It is called by Next, in the order of the samples, once for each that Next comes to; Peek and Skip do
	// not call it. The package comment says what such a sample is and what is a fault of the file, which
	// ends the reading nonetheless. How many may be bad is for Bad to say: where every line has another
	// number of cells than the first, all are.
	Bad func(*Error) error
}

// check finds what is wrong with the options by themselves.
func (o *Options) check(paths []string) error {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("stream: "+format, args...)
	}
	switch {
	case len(paths) == 0:
		return fault("no source: give at least one path, or - for standard input")
	case o.TargetPath != "" && len(paths) > 1:
		return fault("one file of targets for %d sources: read them one by one, or put the targets into the sources", len(paths))
	case o.Comma != 0 && !validComma(o.Comma):
		return fault("%q cannot separate cells: give a comma, a semicolon, a tab or another character that is no part of a number", o.Comma)
	}
	stdin := 0
	for _, path := range append([]string{o.TargetPath}, paths...) {
		if path == stdinPath {
			stdin++
		}
	}
	if stdin > 1 {
		return fault("standard input is given %d times and can be read once", stdin)
	}
	return nil
}

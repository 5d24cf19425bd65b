package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ErrFormat matches every [FormatError].
var ErrFormat = errors.New("dataset: malformed data")

// A FormatError says that data is not what its format or its companion file requires.
type FormatError struct {
	File   string // path of the file; empty for a reader
	Offset int64  // byte of the fault in the unpacked data; -1 without one
	Msg    string // what is wrong and what was expected
	Err    error  // the cause; nil without one
}

// Error returns file, offset, message and cause in one line.
func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString("dataset: ")
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "byte %d: ", e.Offset)
	}
	b.WriteString(e.Msg)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Is reports whether target is ErrFormat.
func (e *FormatError) Is(target error) bool { return target == ErrFormat }

// Unwrap returns the cause, which may be nil.
func (e *FormatError) Unwrap() error { return e.Err }

// A MissingError says which files of a data set were not found. It matches fs.ErrNotExist.
type MissingError struct {
	Dir      string   // the folder that was searched
	Missing  []string // the files not found in it, by their plain names; nil if the folder itself is missing
	Expected []string // all files that the set needs, by their plain names
}

// Error names the folder, what it lacks, what is expected in it and what to do.
func (e *MissingError) Error() string {
	what := fmt.Sprintf("folder %q does not exist", e.Dir)
	if e.Missing != nil {
		what = fmt.Sprintf("folder %q lacks %s", e.Dir, strings.Join(e.Missing, ", "))
	}
	return fmt.Sprintf("dataset: %s; expected are the files %s, each plain or with .gz; put them there, or name their folder",
		what, strings.Join(e.Expected, ", "))
}

// Unwrap returns fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// Package codec is the binary encoding of the states that are kept in files: whole numbers of 64 bits and
// float64 numbers, little end first, and strings after their length. Nothing in it says what it is; both
// sides know the order.
//
// A float64 is written as its 64 bits, so that what is read is what was written to the last bit, NaN
// payloads and the sign of zero included.
package codec

import (
	"errors"
	"fmt"
)

// A FormatError says that what is read cannot have been written by a Writer, or is not all of it.
type FormatError struct {
	// Offset is that of the number or string that is wrong, or of the end where that comes too early, from
	// the beginning of what is decoded: of the file, where a part of a file is.
	Offset int64
	What   string // is wrong
	Err    error  // io.ErrUnexpectedEOF where the source ends too early; may be nil
}

// Error names the place and what is wrong there.
func (e *FormatError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("byte %d: %s: %v", e.Offset, e.What, e.Err)
	}
	return fmt.Sprintf("byte %d: %s", e.Offset, e.What)
}

// Unwrap returns Err.
func (e *FormatError) Unwrap() error { return e.Err }

// Moved returns the *FormatError in err with an Offset that many bytes further on, for what begins there in something
// larger, without what wraps it; and err itself if there is none in it.
func Moved(err error, by int64) error {
	var e *FormatError
	if !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Offset += by
	return &moved
}

// A Size is a writer that counts the bytes.
type Size int64

// Write adds the length of p.
func (s *Size) Write(p []byte) (int, error) {
	*s += Size(len(p))
	return len(p), nil
}

// size is that of every number.
const size = 8

// chunk is the bytes that pass through a buffer at a time.
const chunk = 1 << 16

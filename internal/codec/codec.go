// Package codec is the binary encoding of the states that are kept in files: whole numbers of 64 bits and
// float64 numbers, little end first, and strings after their length. Nothing in it says what it is; both
// sides know the order.
//
// A float64 is written as its 64 bits, so that what is read is what was written to the last bit, NaN
// payloads and the sign of zero included.
package codec

import "fmt"

// A FormatError says that what is read cannot have been written by a Writer, or is not all of it.
type FormatError struct {
	// Offset is that of the number or string that is wrong, or of the end where that comes too early, from
	// where the Reader began.
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

// size is that of every number.
const size = 8

// chunk is the bytes that pass through a buffer at a time.
const chunk = 1 << 16

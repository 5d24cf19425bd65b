// Package codec implements the binary encoding of states in files: 64-bit integers and float64 numbers,
// little-endian. The encoding has no names and no types; the order is fixed. A float64 is
// written as its 64 bits, so the sign of zero survives.
package codec

import (
	"errors"
	"fmt"
)

// A FormatError reports input that no encoder wrote, or that ends too early.
type FormatError struct {
	// Offset is where the invalid number begins in the decoded data, or where the data ends early.
	Offset int64
	What   string // what is wrong
	Err    error  // io.ErrUnexpectedEOF for an early end; may be nil
}

func (e *FormatError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("byte %d: %s: %v", e.Offset, e.What, e.Err)
	}
	return fmt.Sprintf("byte %d: %s", e.Offset, e.What)
}

func (e *FormatError) Unwrap() error { return e.Err }

// Moved returns a copy of the *FormatError that err wraps, with by added to its Offset. by is the
// offset at which the decoded part begins. If err wraps no *FormatError, Moved returns err itself.
func Moved(err error, by int64) error {
	var e *FormatError
	if !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Offset += by
	return &moved
}

// A Size is a writer that counts bytes.
type Size int64

// Write adds the length of p to the size.
func (s *Size) Write(p []byte) (int, error) {
	*s += Size(len(p))
	return len(p), nil
}

const (
	size  = 8       // bytes of a number
	chunk = 1 << 16 // bytes of the buffers
)

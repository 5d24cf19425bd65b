package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

// Magic begins every file of the format.
const Magic = "\x93NUMPY"

// MaxHeader is the largest size in bytes of a dictionary that can be read. NumPy itself accepts 10,000.
const MaxHeader = 1 << 16

// maxDims is the greatest number of dimensions that any version of NumPy allows.
const maxDims = 64

// maxBytes bounds the bytes of an array, so that no product of its sizes overflows an int64.
const maxBytes = 1 << 62

// An Error says what is wrong with a header, a type or an element, and what to do.
type Error string

func (e Error) Error() string { return string(e) }

func errorf(format string, args ...any) error { return Error(fmt.Sprintf(format, args...)) }

// A Header describes the elements of an array and their order.
type Header struct {
	DType   DType
	Fortran bool    // the first index varies fastest
	Shape   []int64 // sizes, not negative; empty for a single number
	Bytes   int64   // bytes of all elements
	Length  int64   // bytes before the first element
}

// ReadHeader reads a header from r, up to the first element and no further.
//
//	memory: the length of the header, at most MaxHeader.
//	errors: an [Error] for data that is not a header, is cut off, or has elements other than numbers
//	and text; any other error is r's own.
func ReadHeader(r io.Reader) (Header, error) {
	var fixed [12]byte
	n, err := fill(r, fixed[:8])
	// The magic is checked first, so that a short file of another kind is not reported as cut off.
	if n > 0 && !strings.HasPrefix(Magic, string(fixed[:min(n, len(Magic))])) {
		return Header{}, errorf("is not a .npy file, which would begin with the bytes %q", Magic)
	}
	if err != nil {
		return Header{}, err
	}
	size := 4
	switch fixed[6] {
	case 1:
		size = 2
	case 2, 3:
	default:
		return Header{}, errorf("has version %d.%d of the format, but only 1.0, 2.0 and 3.0 can be read; write the array with numpy.save", fixed[6], fixed[7])
	}
	if _, err := fill(r, fixed[8:8+size]); err != nil {
		return Header{}, err
	}
	length := uint32(binary.LittleEndian.Uint16(fixed[8:]))
	if size == 4 {
		length = binary.LittleEndian.Uint32(fixed[8:])
	}
	if length > MaxHeader {
		return Header{}, errorf("has a header of %d bytes; at most %d can be read", length, MaxHeader)
	}
	text := make([]byte, length)
	if _, err := fill(r, text); err != nil {
		return Header{}, err
	}
	h, err := parseHeader(strings.TrimRight(string(text), " \n\x00"))
	if err != nil {
		return Header{}, err
	}
	h.Length = int64(8 + size + len(text))
	return h, nil
}

// fill fills p from r and returns the number of bytes read. An early end is an [Error].
func fill(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return n, errorf("the file ends within its header; it is cut off or not a .npy file")
	}
	return n, err
}

// SetBytes sets Bytes from DType and Shape. An [Error] means 2^62 bytes or more, ignoring sizes of 0.
func (h *Header) SetBytes() error {
	product := uint64(h.DType.Size)
	empty := false
	for _, n := range h.Shape {
		if n == 0 {
			empty = true
			continue
		}
		high, low := bits.Mul64(product, uint64(n))
		if high != 0 || low >= maxBytes {
			return errorf("an array of shape %v with elements of %d bytes is larger than any file; write it again with numpy.save", h.Shape, h.DType.Size)
		}
		product = low
	}
	if !empty {
		h.Bytes = int64(product)
	}
	return nil
}

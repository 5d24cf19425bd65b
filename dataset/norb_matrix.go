package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// Bounds on the header of a binary matrix, checked before any allocation. The largest file of small
// NORB has 4 dimensions and 447,897,600 bytes.
const (
	MaxMatrixDims  = 8       // dimensions
	MaxMatrixBytes = 1 << 30 // bytes of the elements, unpacked
)

// The magic numbers of the element types, read as little-endian words.
const (
	magicSingle uint32 = 0x1E3D4C51
	magicPacked uint32 = 0x1E3D4C52
	magicDouble uint32 = 0x1E3D4C53
	magicInt    uint32 = 0x1E3D4C54
	magicByte   uint32 = 0x1E3D4C55
	magicShort  uint32 = 0x1E3D4C56
)

var matrixTypes = map[uint32]string{
	magicSingle: "single precision numbers", magicPacked: "packed elements", magicDouble: "double precision numbers",
	magicInt: "32-bit integers", magicByte: "bytes", magicShort: "16-bit integers",
}

const (
	leastDimFields = 3 // dimensions of the shortest header, used or not
	intBytes       = 4
)

// ReadMatrixBytes reads one binary matrix of bytes (magic 0x1E3D4C55) from r, up to the end of r,
// unpacked if it is gzip. It returns the dimensions and the elements, last dimension fastest.
//
//	memory: at most 64 KiB, or three times the unpacked bytes read so far, beyond fixed buffers.
//	errors: *FormatError (errors.Is ErrFormat) for a wrong magic, a number of dimensions that is 0
//	or beyond MaxMatrixDims, a dimension that is 0, elements beyond MaxMatrixBytes, elements fewer
//	or more than the header says, and corrupted gzip data; any other error is r's own, wrapped.
func ReadMatrixBytes(r io.Reader) (dims []int, data []byte, err error) {
	r, h, err := openMatrix(r, magicByte, 1)
	if err != nil {
		return nil, nil, err
	}
	data, err = h.read(r)
	if err != nil {
		return nil, nil, err
	}
	return h.dims, data, nil
}

// ReadMatrixInts is [ReadMatrixBytes] for 32-bit integers (magic 0x1E3D4C54).
func ReadMatrixInts(r io.Reader) (dims []int, data []int32, err error) {
	r, h, err := openMatrix(r, magicInt, intBytes)
	if err != nil {
		return nil, nil, err
	}
	raw, err := h.read(r)
	if err != nil {
		return nil, nil, err
	}
	data = make([]int32, len(raw)/intBytes)
	for i := range data {
		data[i] = int32(binary.LittleEndian.Uint32(raw[intBytes*i:]))
	}
	return h.dims, data, nil
}

// A matrixHeader is the checked header of a binary matrix.
type matrixHeader struct {
	dims []int
	body
}

// openMatrix unpacks r if it is gzip and reads the header, which must have the given magic number for
// elements of width bytes. It returns the reader of the elements.
func openMatrix(r io.Reader, magic uint32, width int) (io.Reader, matrixHeader, error) {
	var h matrixHeader
	r, err := unpack(r)
	if err != nil {
		return nil, h, err
	}
	var head [8 + 4*MaxMatrixDims]byte
	n, err := io.ReadFull(r, head[:8])
	if n >= 4 {
		// The magic comes first, so that another file is not called truncated.
		if err := checkMatrixMagic(head[:n], magic); err != nil {
			return nil, h, err
		}
	}
	if err != nil {
		return nil, h, readFault(err, int64(n), fmt.Sprintf("header truncated: %d of at least %d bytes", n, 8+4*leastDimFields))
	}
	nd := binary.LittleEndian.Uint32(head[4:])
	if nd == 0 || nd > MaxMatrixDims {
		return nil, h, &FormatError{Offset: 4, Msg: fmt.Sprintf("%d dimensions, want 1 to %d", nd, MaxMatrixDims)}
	}
	h.start = int64(8 + 4*max(nd, leastDimFields))
	n, err = io.ReadFull(r, head[8:h.start])
	if err != nil {
		return nil, h, readFault(err, int64(8+n), fmt.Sprintf("header truncated: %d of %d bytes", 8+n, h.start))
	}
	size := int64(width) // below MaxMatrixBytes before each product, so that none overflows
	for i := range int(nd) {
		v := binary.LittleEndian.Uint32(head[8+4*i:])
		size *= int64(v)
		if v == 0 || size > MaxMatrixBytes {
			return nil, h, &FormatError{Offset: int64(8 + 4*i),
				Msg: fmt.Sprintf("dimension %d is %d; want 1 or more, and at most %d bytes in all", i, v, int64(MaxMatrixBytes))}
		}
		h.dims = append(h.dims, int(v))
	}
	h.size = int(size)
	return r, h, nil
}

// checkMatrixMagic checks the first bytes of a file, at least 4, and names a known other format.
func checkMatrixMagic(head []byte, want uint32) error {
	got := binary.LittleEndian.Uint32(head)
	if got == want {
		return nil
	}
	what := fmt.Sprintf("not a binary matrix, which begins with %#08x", want)
	if bytes.HasPrefix(head, []byte("MATLAB")) {
		what = "a MAT-file of MATLAB, want the binary matrix of the same ending"
	} else if name := matrixTypes[got]; name != "" {
		what = fmt.Sprintf("a matrix of %s, want one of %s", name, matrixTypes[want])
	} else if matrixTypes[binary.BigEndian.Uint32(head)] != "" {
		what = "a big-endian matrix, want a little-endian one"
	}
	return &FormatError{Offset: 0, Msg: fmt.Sprintf("magic %#08x: %s", got, what)}
}

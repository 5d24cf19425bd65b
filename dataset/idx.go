package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Bounds on an idx header, checked before any allocation. With them n*rows*cols < 2^48 cannot overflow
// an int64, and the length of a body is an int on 32-bit machines too.
const (
	MaxIDXImages = 1 << 24 // images or labels in one file
	MaxIDXSide   = 1 << 12 // rows or columns of an image
	MaxIDXBytes  = 1 << 30 // bytes of a body, unpacked; the readers hold no more
)

const (
	idxUint8  = 0x08
	imageDims = 3
	labelDims = 1
)

// ReadIDXImages reads one idx file of images (magic 0x00000803: unsigned bytes in three dimensions
// n, rows, cols) from r, up to the end of r, unpacked if it is gzip. The result has Rows, Cols and
// Pixels; [ReadIDXLabels] reads its labels, and [Images.SetLabels] sets them.
//
//	memory: at most 64 KiB, or three times the unpacked bytes read so far, beyond fixed buffers.
//	errors: *FormatError (errors.Is ErrFormat) for a wrong magic, a dimension that is 0 or beyond
//	MaxIDXImages, MaxIDXSide or MaxIDXBytes, a body shorter or longer than the header says, and
//	corrupted gzip data; any other error is r's own, wrapped.
func ReadIDXImages(r io.Reader) (*Images, error) {
	dims, body, err := readIDX(r, imageDims)
	if err != nil {
		return nil, err
	}
	return &Images{Rows: dims[1], Cols: dims[2], Pixels: body}, nil
}

// ReadIDXLabels reads one idx file of labels (magic 0x00000801: unsigned bytes in one dimension n)
// from r, as [ReadIDXImages]. Every byte value is a valid label.
func ReadIDXLabels(r io.Reader) ([]byte, error) {
	_, body, err := readIDX(r, labelDims)
	return body, err
}

// readIDX reads header and body of an idx file that must have nd <= imageDims dimensions.
func readIDX(r io.Reader, nd int) (dims [imageDims]int, data []byte, err error) {
	r, err = unpack(r)
	if err != nil {
		return dims, nil, err
	}
	var head [4 + 4*imageDims]byte
	n, err := io.ReadFull(r, head[:4+4*nd])
	if n >= 4 || err == nil {
		// The magic comes first, so that a label file given for images is not called truncated.
		if err := checkMagic(head[:4], nd); err != nil {
			return dims, nil, err
		}
	}
	if err != nil {
		return dims, nil, readFault(err, int64(n), fmt.Sprintf("header truncated: %d of %d bytes", n, 4+4*nd))
	}
	size := int64(1)
	for i := range nd {
		v := binary.BigEndian.Uint32(head[4+4*i:])
		if err := checkDim(i, v); err != nil {
			return dims, nil, err
		}
		dims[i] = int(v)
		size *= int64(v)
	}
	if size > MaxIDXBytes {
		return dims, nil, &FormatError{Offset: 4, Msg: fmt.Sprintf("header claims %d bytes, at most %d are read", size, int64(MaxIDXBytes))}
	}
	b := body{start: int64(4 + 4*nd), size: int(size)}
	data, err = b.read(r)
	return dims, data, err
}

func checkMagic(m []byte, nd int) error {
	bad := func(offset int64, format string, args ...any) error {
		return &FormatError{Offset: offset, Msg: fmt.Sprintf("magic %#08x: ", m) + fmt.Sprintf(format, args...)}
	}
	switch {
	case m[0] != 0 || m[1] != 0:
		return bad(0, "not an idx file, which begins with two zero bytes")
	case m[2] != idxUint8:
		return bad(2, "element type %#02x, want %#02x (unsigned byte)", m[2], idxUint8)
	case m[3] == labelDims && nd == imageDims:
		return bad(3, "a file of labels (1 dimension), want one of images (3)")
	case m[3] == imageDims && nd == labelDims:
		return bad(3, "a file of images (3 dimensions), want one of labels (1)")
	case int(m[3]) != nd:
		return bad(3, "%d dimensions, want %d", m[3], nd)
	}
	return nil
}

// checkDim checks the value v of dimension i: the number of items, rows, columns.
func checkDim(i int, v uint32) error {
	what := [imageDims]string{"items", "rows", "columns"}[i]
	limit := [imageDims]uint32{MaxIDXImages, MaxIDXSide, MaxIDXSide}[i]
	offset := int64(4 + 4*i)
	if v == 0 {
		return &FormatError{Offset: offset, Msg: "number of " + what + " is 0"}
	}
	if v > limit {
		return &FormatError{Offset: offset, Msg: fmt.Sprintf("number of %s is %d, at most %d are read", what, v, limit)}
	}
	return nil
}

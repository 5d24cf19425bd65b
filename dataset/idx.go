package dataset

import (
	"encoding/binary"
	"io"
)

// Bounds on an idx header, checked before any allocation. Within them n*rows*cols is at most 2^48,
// which fits in an int64. The length of a body fits in an int even on 32-bit machines.
const (
	MaxIDXImages = 1 << 24 // images or labels in one file
	MaxIDXSide   = 1 << 12 // rows or columns of an image
	MaxIDXBytes  = 1 << 30 // bytes of a body, unpacked
)

// Magic numbers of idx files of unsigned bytes. The last byte is the number of dimensions.
const (
	idxLabels = 0x00000801
	idxImages = 0x00000803
)

// ReadIDXImages reads one idx file of images (magic 0x00000803: unsigned bytes in three dimensions n,
// rows, cols) from r, up to the end of r, and unpacks r if it is gzipped. The result has Rows, Cols and
// Pixels; [ReadIDXLabels] reads labels, and [Images.SetLabels] sets them.
//
//	memory: fixed buffers, and at most the larger of 64 KiB and three times the bytes unpacked.
//	errors: *FormatError for a wrong magic number, a dimension that is 0 or above MaxIDXImages or
//	MaxIDXSide, a body above MaxIDXBytes or of a length other than the header states, and corrupted
//	gzip data; any other error is r's own, wrapped.
func ReadIDXImages(r io.Reader) (*Images, error) {
	dims, pixels, err := readIDX(r, idxImages)
	if err != nil {
		return nil, err
	}
	return &Images{Rows: dims[1], Cols: dims[2], Pixels: pixels}, nil
}

// ReadIDXLabels reads one idx file of labels (magic 0x00000801: unsigned bytes in one dimension n) from
// r, like [ReadIDXImages]. Every byte value is a valid label.
func ReadIDXLabels(r io.Reader) ([]byte, error) {
	_, labels, err := readIDX(r, idxLabels)
	return labels, err
}

// readIDX reads an idx file with the given magic number, and returns its dimensions and elements.
func readIDX(r io.Reader, magic uint32) (dims []int, data []byte, err error) {
	r, err = unpack(r)
	if err != nil {
		return nil, nil, err
	}
	length := 4 + 4*int(magic&0xff)
	head := make([]byte, length)
	n, err := io.ReadFull(r, head)
	// The magic is checked first, so that a file of labels is not reported as truncated images.
	if got := binary.BigEndian.Uint32(head); n >= 4 && got != magic {
		return nil, nil, faultf(0, "magic %#08x, want %#08x; idx files have %#08x for images and %#08x for labels",
			got, magic, idxImages, idxLabels)
	}
	if err != nil {
		return nil, nil, readFault(err, int64(n), "header truncated: %d of %d bytes", n, length)
	}
	what := []string{"items", "rows", "columns"}
	limits := []uint32{MaxIDXImages, MaxIDXSide, MaxIDXSide}
	size := int64(1)
	for at := 4; at < length; at += 4 {
		i, v := len(dims), binary.BigEndian.Uint32(head[at:])
		if v == 0 || v > limits[i] {
			return nil, nil, faultf(int64(at), "number of %s is %d; want 1 to %d", what[i], v, limits[i])
		}
		dims = append(dims, int(v))
		size *= int64(v)
	}
	if size > MaxIDXBytes {
		return nil, nil, faultf(4, "header claims %d bytes of elements, but at most %d can be read", size, int64(MaxIDXBytes))
	}
	data, err = body{r, int64(length), int(size)}.read()
	return dims, data, err
}

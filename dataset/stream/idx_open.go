package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"blskernel/internal/npy"
)

// idxTypes are the types of elements that the third byte of an idx file tells.
var idxTypes = map[byte]npy.DType{
	0x08: {Kind: npy.Unsigned, Size: 1, Name: "unsigned byte"},
	0x09: {Kind: npy.Signed, Size: 1, Name: "signed byte"},
	0x0b: {Kind: npy.Signed, Size: 2, Big: true, Name: "short"},
	0x0c: {Kind: npy.Signed, Size: 4, Big: true, Name: "int"},
	0x0d: {Kind: npy.Float, Size: 4, Big: true, Name: "float"},
	0x0e: {Kind: npy.Float, Size: 8, Big: true, Name: "double"},
}

const (
	idxUnsignedByte = 0x08
	idxImageDims    = 3
	maxIDXDims      = 8
	maxIDXBytes     = 1 << 62
)

// openIDX makes the source of an idx file: two zeros, a type, the number of dimensions d, d sizes of 4
// bytes, the elements in C order; all integers big-endian.
func openIDX(in *input, q *request, opt *Options) (source, error) {
	var head [4 + 4*maxIDXDims]byte
	if err := fillIDX(in, head[:4]); err != nil {
		return nil, err
	}
	dtype, known := idxTypes[head[2]]
	dims := int(head[3])
	switch {
	case head[0] != 0 || head[1] != 0:
		return nil, &Error{What: "is no idx file, which begins with two zero bytes"}
	case !known:
		return nil, &Error{What: fmt.Sprintf("has elements of the unknown type %#02x: an idx file has one of 0x08, 0x09, 0x0b to 0x0e", head[2])}
	case dims == 0 || dims > maxIDXDims:
		return nil, &Error{What: fmt.Sprintf("has %d dimensions, from 1 to %d are read", dims, maxIDXDims)}
	}
	length := 4 + 4*dims
	if err := fillIDX(in, head[4:length]); err != nil {
		return nil, err
	}
	f := arrayFile{ctx: in.ctx, path: in.path, dtype: dtype, stream: in.r, in: in, before: int64(length),
		pixels: head[2] == idxUnsignedByte && dims >= idxImageDims}
	product := uint64(dtype.Size)
	for i := range dims {
		size := binary.BigEndian.Uint32(head[4+4*i:])
		f.shape = append(f.shape, int64(size))
		// A size of 0 is refused when the samples are measured.
		high, low := bits.Mul64(product, uint64(max(size, 1)))
		if high != 0 || low >= maxIDXBytes {
			return nil, &Error{What: "has sizes in its header that are larger than any file"}
		}
		product = low
	}
	f.bytes = int64(product)
	if in.random != nil {
		f.random = io.NewSectionReader(in.random, int64(length), max(0, in.size-int64(length)))
	}
	return newArray(f, q, opt)
}

// fillIDX reads len(p) bytes of the header.
func fillIDX(in *input, p []byte) error {
	_, err := io.ReadFull(in.r, p)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{What: "ends within its header: it is cut off or no idx file"}
	}
	if err != nil {
		return readFault(in.ctx, in.path, err)
	}
	return nil
}

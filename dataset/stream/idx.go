package stream

import (
	"encoding/binary"
	"errors"
	"io"

	"blskernel/internal/io/npy"
)

// idxTypes maps the third byte of an idx file to the type of its elements.
var idxTypes = map[byte]npy.DType{
	0x08: {Kind: npy.Unsigned, Size: 1, Name: "unsigned byte"},
	0x09: {Kind: npy.Signed, Size: 1, Name: "signed byte"},
	0x0b: {Kind: npy.Signed, Size: 2, Big: true, Name: "short"},
	0x0c: {Kind: npy.Signed, Size: 4, Big: true, Name: "int"},
	0x0d: {Kind: npy.Float, Size: 4, Big: true, Name: "float"},
	0x0e: {Kind: npy.Float, Size: 8, Big: true, Name: "double"},
}

// matrixTypes maps the first byte of a binary matrix to the type of its elements.
var matrixTypes = map[byte]npy.DType{
	0x54: {Kind: npy.Signed, Size: 4, Name: "int"},
	0x55: {Kind: npy.Unsigned, Size: 1, Name: "byte"},
}

const (
	matrixMagic   = "L=\x1e" // the second to fourth byte
	minMatrixDims = 3        // sizes in the header of a binary matrix of fewer dimensions
	idxImageDims  = 3
	maxIDXDims    = 8
)

// openIDX opens an idx file or a binary matrix as a source. The header of an idx file is two zero
// bytes, one byte for the type, one for the number d of dimensions, and d sizes of 4 bytes; all numbers
// are big-endian. The header of a binary matrix is a magic number, d, and max(d, 3) sizes, of 4 bytes
// each; all numbers are little-endian. The elements follow in C order.
func openIDX(in *input, opt *Options) (source, error) {
	head, err := in.r.Peek(8)
	if err != nil {
		return nil, idxFault(in, err)
	}
	dtype, known := idxTypes[head[2]]
	kind, start, dims, order := head[2], 4, uint32(head[3]), binary.ByteOrder(binary.BigEndian)
	sizes, matrix := dims, string(head[1:4]) == matrixMagic
	if matrix {
		dtype, known = matrixTypes[head[0]]
		kind, start, dims, order = head[0], 8, binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian
		sizes = max(dims, minMatrixDims)
	}
	switch {
	case !matrix && (head[0] != 0 || head[1] != 0):
		return nil, Errorf("is neither an idx file, which begins with two zero bytes, nor a binary matrix")
	case !known:
		return nil, Errorf("has elements of the unknown type %#02x; the types of idx files are 0x08, 0x09, and 0x0b to 0x0e, and of binary matrices 0x54 and 0x55", kind)
	case dims == 0 || dims > maxIDXDims:
		return nil, Errorf("has %d dimensions; only 1 to %d can be read", dims, maxIDXDims)
	}
	head = make([]byte, start+4*int(sizes))
	if _, err := io.ReadFull(in.r, head); err != nil {
		return nil, idxFault(in, err)
	}
	f := arrayFile{Header: npy.Header{DType: dtype, Length: int64(len(head))}, in: in, stream: in.r,
		pixels: dtype.Kind == npy.Unsigned && dims >= idxImageDims}
	for i := range int(dims) {
		f.Shape = append(f.Shape, int64(order.Uint32(head[start+4*i:])))
	}
	if f.SetBytes() != nil {
		return nil, Errorf("has a header that declares an array larger than any file; it is damaged")
	}
	return newArray(f, opt)
}

func idxFault(in *input, err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) && in.ctx.Err() == nil {
		return Errorf("ends within its header; it is cut off, or neither an idx file nor a binary matrix")
	}
	return readFault(in.ctx, in.path, err)
}

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

const (
	idxUnsignedByte = 0x08
	idxImageDims    = 3
	maxIDXDims      = 8
)

// openIDX makes the source of an idx file. The header is two zero bytes, the type and the number d of
// dimensions, a byte each, and d sizes of 4 bytes. The elements follow in C order. All are big-endian.
func openIDX(in *input, opt *Options) (source, error) {
	var head [4 + 4*maxIDXDims]byte
	if _, err := io.ReadFull(in.r, head[:4]); err != nil {
		return nil, idxFault(in, err)
	}
	dtype, known := idxTypes[head[2]]
	dims := int(head[3])
	switch {
	case head[0] != 0 || head[1] != 0:
		return nil, Errorf("is not an idx file, which would begin with two zero bytes")
	case !known:
		return nil, Errorf("has elements of the unknown type %#02x; the types of idx files are 0x08, 0x09, and 0x0b to 0x0e", head[2])
	case dims == 0 || dims > maxIDXDims:
		return nil, Errorf("has %d dimensions; only 1 to %d can be read", dims, maxIDXDims)
	}
	length := 4 + 4*dims
	if _, err := io.ReadFull(in.r, head[4:length]); err != nil {
		return nil, idxFault(in, err)
	}
	f := arrayFile{Header: npy.Header{DType: dtype, Length: int64(length)}, in: in, stream: in.r,
		pixels: head[2] == idxUnsignedByte && dims >= idxImageDims}
	for i := range dims {
		f.Shape = append(f.Shape, int64(binary.BigEndian.Uint32(head[4+4*i:])))
	}
	if f.SetBytes() != nil {
		return nil, Errorf("has a header that promises an array larger than any file")
	}
	return newArray(f, opt)
}

func idxFault(in *input, err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) && in.ctx.Err() == nil {
		return Errorf("ends within its header; it is cut off or not an idx file")
	}
	return readFault(in.ctx, in.path, err)
}

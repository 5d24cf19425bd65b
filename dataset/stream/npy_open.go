package stream

import (
	"errors"
	"io"

	"blskernel/internal/npy"
)

// openNPY makes the source of an array in a file of its own.
func openNPY(in *input, q *request, opt *Options) (source, error) {
	f, err := readNPY(in, in.r)
	if err != nil {
		return nil, err
	}
	if in.random != nil {
		length := f.length
		f.random = io.NewSectionReader(in.random, length, max(0, in.size-length))
	}
	return newArray(f.arrayFile, q, opt)
}

// A headed is an arrayFile with the length of its header.
type headed struct {
	arrayFile
	length int64
}

// readNPY reads the header of an array.
func readNPY(in *input, r io.Reader) (headed, error) {
	h, err := npy.ReadHeader(r)
	var known npy.Error
	switch {
	case errors.As(err, &known):
		return headed{}, &Error{What: string(known)}
	case err != nil:
		return headed{}, readFault(in.ctx, in.path, err)
	}
	return headed{arrayFile{ctx: in.ctx, path: in.path, in: in, before: h.Length, dtype: h.DType, shape: h.Shape, order: h.Fortran,
		bytes: h.Bytes, stream: r}, h.Length}, nil
}

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
	f.plainFile()
	return newArray(f, q, opt)
}

// readNPY reads the header of an array.
func readNPY(in *input, r io.Reader) (arrayFile, error) {
	h, err := npy.ReadHeader(r)
	var known npy.Error
	switch {
	case errors.As(err, &known):
		return arrayFile{}, &Error{What: string(known)}
	case err != nil:
		return arrayFile{}, readFault(in.ctx, in.path, err)
	}
	return arrayFile{Header: h, in: in, stream: r}, nil
}

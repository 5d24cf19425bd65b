package stream

import (
	"bytes"
	"io"
	"slices"
)

// panelElements is the largest number of elements in a panel, unless a single sample has more.
const panelElements = 1 << 21

// A fortranReader reads a matrix in Fortran order and delivers it in C order. Element (i, j) of an n×m
// matrix is stored at index i + nj. The reader holds one panel of rows, and reads each column of the
// panel with one call.
type fortranReader struct {
	arrayFile
	width  int          // elements of a sample
	row    int64        // samples read into panels so far
	panel  []byte       // consecutive samples in C order
	left   bytes.Reader // the part of panel that was not delivered yet
	column []byte
}

func (f *fortranReader) Read(p []byte) (int, error) {
	if f.left.Len() == 0 && f.row < f.Shape[0] {
		if err := f.load(); err != nil {
			return 0, err
		}
	}
	return f.left.Read(p)
}

func (f *fortranReader) load() error {
	n, size, sample := f.Shape[0], f.DType.Size, f.width*f.DType.Size
	m := int(min(n-f.row, int64(max(1, panelElements/f.width))))
	f.column = slices.Grow(f.column[:0], m*size)[:m*size]
	f.panel = slices.Grow(f.panel[:0], m*sample)[:m*sample]
	for col := range f.width {
		offset := (int64(col)*n + f.row) * int64(size)
		if k, err := f.in.random.ReadAt(f.column, f.Length+offset); k < len(f.column) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		at := col * size
		for i := 0; i < len(f.column); i += size {
			copy(f.panel[at:], f.column[i:i+size])
			at += sample
		}
	}
	f.left.Reset(f.panel)
	f.row += int64(m)
	return nil
}

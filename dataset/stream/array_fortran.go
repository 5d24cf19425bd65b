package stream

import (
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
	width  int    // elements of a sample
	sample int64  // bytes of a sample
	at     int64  // bytes read, in C order
	first  int64  // bytes before panel
	panel  []byte // consecutive samples in C order
	column []byte
}

func (f *fortranReader) Read(p []byte) (int, error) {
	if f.at == f.Bytes {
		return 0, io.EOF
	}
	if f.at < f.first || f.at >= f.first+int64(len(f.panel)) {
		if err := f.load(f.at / f.sample); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.panel[f.at-f.first:])
	f.at += int64(n)
	return n, nil
}

func (f *fortranReader) load(row int64) error {
	n := f.Shape[0]
	m := int(min(n-row, int64(max(1, panelElements/f.width))))
	size := f.DType.Size
	f.column = slices.Grow(f.column[:0], m*size)[:m*size]
	panel := slices.Grow(f.panel[:0], m*int(f.sample))[:m*int(f.sample)]
	f.panel = f.panel[:0] // nothing is held after a failed read
	for col := range f.width {
		offset := (int64(col)*n + row) * int64(size)
		if k, err := f.in.random.ReadAt(f.column, f.Length+offset); k < len(f.column) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		at := col * size
		for i := 0; i < len(f.column); i += size {
			copy(panel[at:], f.column[i:i+size])
			at += int(f.sample)
		}
	}
	f.first, f.panel = row*f.sample, panel
	return nil
}

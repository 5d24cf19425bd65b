package stream

import (
	"errors"
	"io"

	"blskernel/internal/npy"
)

// panelElements is how many elements of an array in Fortran order are held at once, if they are more
// than one sample: 16 MB.
const panelElements = 1 << 21

// panels reads an array in Fortran order some samples at a time: element (i, j) of n×m lies at i + n
// j, so each column of a panel is one read.
type panels struct {
	array  *array
	first  int64 // sample of the panel's first row
	values []float64
	raw    []byte
	column []float64
}

// numbers appends the elements of the next n samples in C order.
func (p *panels) numbers(dst []float64, n int) ([]float64, error) {
	a := p.array
	if a.verify != nil {
		if err := a.verify(); err != nil {
			return dst, err
		}
		a.verify = nil
	}
	for row, end := a.row, a.row+int64(n); row < end; {
		have := int64(len(p.values) / a.width)
		if row < p.first || row >= p.first+have {
			if err := p.load(row); err != nil {
				return dst, err
			}
			continue
		}
		until := min(end, p.first+have)
		from, to := int(row-p.first)*a.width, int(until-p.first)*a.width
		dst = append(dst, p.values[from:to]...)
		row = until
	}
	return dst, nil
}

// load reads the panel that begins with the given sample.
func (p *panels) load(row int64) error {
	a := p.array
	m := int(min(a.n-row, int64(max(1, panelElements/a.width))))
	size := a.dtype.Size
	if cap(p.values) < m*a.width {
		p.values = make([]float64, m*a.width)
		p.raw = make([]byte, m*size)
	}
	values, raw := p.values[:m*a.width], p.raw[:m*size]
	p.values = p.values[:0] // nothing is held if a read fails
	for col := range a.width {
		if a.ctx.Err() != nil {
			return canceled(a.ctx)
		}
		offset := (fortranColumn(int64(col), a.shape[1:])*a.n + row) * int64(size)
		if k, err := a.random.ReadAt(raw, offset); k < len(raw) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return &Error{Path: a.path, Column: col + 1, What: "cannot be read: was the file changed?", Err: err}
		}
		column, err := a.dtype.Decode(p.column[:0], raw)
		var bad *npy.ValueError
		if errors.As(err, &bad) {
			return a.badValue(bad, row+int64(bad.Index), col)
		}
		p.column = column
		for i, v := range column {
			values[i*a.width+col] = v
		}
	}
	p.first, p.values = row, values
	return nil
}

// fortranColumn returns which column in the file column col of the samples is, where a sample has the
// sizes shape and its elements are numbered in C order.
func fortranColumn(col int64, shape []int64) int64 {
	stride := int64(1)
	for _, size := range shape {
		stride *= size
	}
	at := int64(0)
	for k := len(shape) - 1; k >= 0; k-- {
		stride /= shape[k]
		at += col % shape[k] * stride
		col /= shape[k]
	}
	return at
}

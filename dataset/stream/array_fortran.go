package stream

import (
	"errors"
	"io"
	"slices"

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
	bad    []int32 // of each row, where there are bad ones that are left out, 1 + its first bad column; 0 for a good one
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
		if p.bad != nil {
			rows := p.bad[row-p.first : until-p.first]
			if rows[0] > 0 {
				return dst, p.fault(row, int(rows[0]-1))
			}
			if i := slices.IndexFunc(rows, func(col int32) bool { return col > 0 }); i > 0 {
				until = row + int64(i)
			}
		}
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
	p.values, p.bad = p.values[:0], nil // nothing is held if a read fails
	for col := range a.width {
		if a.ctx.Err() != nil {
			return canceled(a.ctx)
		}
		if err := p.readAt(raw, row, col); err != nil {
			return err
		}
		column, err := a.dtype.Decode(p.column[:0], raw)
		var bad *npy.ValueError
		for errors.As(err, &bad) {
			i := len(column)
			if !a.aside {
				return a.badValue(bad, row+int64(i), col)
			}
			if p.bad == nil {
				p.bad = make([]int32, m)
			}
			if p.bad[i] == 0 {
				p.bad[i] = int32(col + 1)
			}
			column, err = a.dtype.Decode(append(column, 0), raw[(i+1)*size:])
		}
		p.column = column
		for i, v := range column {
			values[i*a.width+col] = v
		}
	}
	p.first, p.values = row, values
	return nil
}

// readAt reads elements of a column, from a row on.
func (p *panels) readAt(raw []byte, row int64, col int) error {
	a := p.array
	offset := (fortranColumn(int64(col), a.shape[1:])*a.n + row) * int64(a.dtype.Size)
	if k, err := a.random.ReadAt(raw, offset); k < len(raw) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return &Error{Path: a.path, Column: col + 1, What: "cannot be read: was the file changed?", Err: err}
	}
	return nil
}

// fault is the error for a sample that is bad by the element in a column, which is read again for it.
func (p *panels) fault(row int64, col int) error {
	raw := make([]byte, p.array.dtype.Size)
	if err := p.readAt(raw, row, col); err != nil {
		return err
	}
	_, err := p.array.dtype.Decode(nil, raw)
	var bad *npy.ValueError
	if !errors.As(err, &bad) {
		return &Error{Path: p.array.path, Row: row + 1, Column: col + 1, What: "was changed while it was read: read it again"}
	}
	return p.array.badValue(bad, row, col)
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

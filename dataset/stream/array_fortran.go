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

// panels reads an array in Fortran order, a panel of rows at a time. Element (i, j) of an n×m array
// lies at i + nj, so each column of a panel is one read.
type panels struct {
	array  *array
	first  int64 // sample of the panel's first row
	values []float64
	raw    []byte
	column []float64
	bad    []int32 // for each row 1 + its first bad column, 0 for a good row; nil where all are good
}

// numbers appends the elements of the next n samples in C order, up to the first bad sample.
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
	size := a.DType.Size
	if cap(p.values) < m*a.width {
		p.values = make([]float64, m*a.width)
		p.raw = make([]byte, m*size)
	}
	values, raw := p.values[:m*a.width], p.raw[:m*size]
	p.values, p.bad = p.values[:0], nil // nothing is held after a failed read
	for col := range a.width {
		if a.in.ctx.Err() != nil {
			return canceled(a.in.ctx)
		}
		if err := p.readAt(raw, row, col); err != nil {
			return err
		}
		column, err := a.DType.Decode(p.column[:0], raw)
		for err != nil { // by a value, behind those that are decoded
			i := len(column)
			if p.bad == nil {
				p.bad = make([]int32, m)
			}
			if p.bad[i] == 0 {
				p.bad[i] = int32(col + 1)
			}
			column, err = a.DType.Decode(append(column, 0), raw[(i+1)*size:])
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
	offset := (fortranColumn(int64(col), a.Shape[1:])*a.n + row) * int64(a.DType.Size)
	if k, err := a.random.ReadAt(raw, offset); k < len(raw) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return &Error{Path: a.in.path, Column: col + 1, What: "cannot be read; the file may have changed", Err: err}
	}
	return nil
}

// fault returns the error for a sample whose element in a column is bad. It reads the element again.
func (p *panels) fault(row int64, col int) error {
	a := p.array
	raw := make([]byte, a.DType.Size)
	if err := p.readAt(raw, row, col); err != nil {
		return err
	}
	_, err := a.DType.Decode(nil, raw)
	var bad *npy.ValueError
	if !errors.As(err, &bad) {
		return &Error{Path: a.in.path, Row: row + 1, Column: col + 1, What: "changed while it was read; read it again"}
	}
	return a.badValue(bad, row, col)
}

// fortranColumn returns which column of the file column col of the samples is, where a sample has the
// sizes shape and col numbers its elements in C order.
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

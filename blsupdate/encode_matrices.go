package blsupdate

import (
	"blskernel/internal/finite"
	"blskernel/internal/packed"
	"blskernel/mat"
)

// floats codes n finite numbers.
func (x *coder) floats(what string, v *[]float64, n int) {
	if x.reading() {
		*v = x.r.Float64s(n)
	}
	if i := finite.First(*v); i >= 0 {
		x.refuse(what, i, (*v)[i])
	}
	if !x.reading() {
		x.w.Float64s(*v)
	}
}

// dense codes a matrix, row by row.
func (x *coder) dense(what string, m **mat.Dense, rows, cols int) {
	if !x.reading() {
		for i := range rows {
			row := (*m).RawRowView(i)
			x.floats(what, &row, cols)
		}
		return
	}
	var data []float64
	if x.floats(what, &data, rows*cols); !x.failed() {
		*m = mat.NewDense(rows, cols, data)
	}
}

// symmetric codes the stored triangle of a symmetric matrix of order n.
func (x *coder) symmetric(what string, s **mat.SymPacked, n int) {
	var data []float64
	if !x.reading() {
		data = (*s).RawSymPacked().Data
	}
	if x.floats(what, &data, packed.Len(n)); x.reading() && !x.failed() {
		*s = mat.NewSymPacked(n, data)
	}
}

// triangle codes one triangle of a matrix of order n, row by row, without the zeros of the other one. upper says
// which.
func (x *coder) triangle(what string, m **mat.Dense, n int, upper bool) {
	part := func(i int) []float64 {
		row := (*m).RawRowView(i)
		if upper {
			return row[i:]
		}
		return row[:i+1]
	}
	if !x.reading() {
		for i := range n {
			row := part(i)
			x.floats(what, &row, len(row))
		}
		return
	}
	var data []float64
	if x.floats(what, &data, packed.Len(n)); x.failed() {
		return
	}
	*m = mat.NewDense(n, n, nil) // now that half of it is there
	for i := range n {
		row := part(i)
		copy(row, data)
		data = data[len(row):]
	}
}

package coder

import (
	"sort"

	"blskernel/internal/block"
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// Floats codes n finite numbers.
func (x *Coder) Floats(what string, v *[]float64, n int) {
	if x.Reading() {
		*v = x.r.Float64s(n)
	} else {
		x.Check(len(*v) == n, "%s has %d numbers, and should have %d", what, len(*v), n)
	}
	x.finite(what, *v)
	if !x.Reading() {
		x.w.Float64s(*v)
	}
}

// finite refuses NaN and infinities in the numbers that were read last or are to be written.
func (x *Coder) finite(what string, v []float64) {
	if i := isfinite.First(v); i >= 0 {
		x.refuse(what, i, v[i])
	}
}

// Lengths codes n finite numbers that are not negative.
func (x *Coder) Lengths(what string, v *[]float64, n int) {
	x.Floats(what, v, n)
	for i, length := range *v {
		if !(length >= 0) {
			x.refuse(what, i, length)
		}
	}
}

// Words codes n words.
func (x *Coder) Words(what string, v *[]uint64, n int) {
	if x.Reading() {
		*v = x.r.Uint64s(n)
		return
	}
	x.Check(len(*v) == n, "there are %d %s, and should be %d", len(*v), what, n)
	x.w.Uint64s(*v)
}

// Dense codes a matrix by rows.
func (x *Coder) Dense(what string, m **mat.Dense, rows, cols int) {
	if x.Reading() {
		var data []float64
		if x.Floats(what, &data, rows*cols); !x.Failed() {
			*m = mat.NewDense(rows, cols, data)
		}
		return
	}
	if x.shape(what, *m, rows, cols) {
		for i := range rows {
			row := (*m).RawRowView(i)
			x.Floats(what, &row, cols)
		}
	}
}

// shape reports whether m has the given shape, and fails where it has not.
func (x *Coder) shape(what string, m *mat.Dense, rows, cols int) bool {
	r, c := m.Dims()
	x.Check(r == rows && c == cols, "%s is %d×%d, and should be %d×%d", what, r, c, rows, cols)
	return !x.Failed()
}

// Symmetric codes the stored triangle of a symmetric matrix of order n.
func (x *Coder) Symmetric(what string, s **mat.SymPacked, n int) {
	var data []float64
	if !x.Reading() {
		data = (*s).RawSymPacked().Data
	}
	if x.Floats(what, &data, block.PackedLen(n)); x.Reading() && !x.Failed() {
		*s = mat.NewSymPacked(n, data)
	}
}

// Triangle codes the upper or lower triangle of a matrix of order n by rows, without the zeros of the other one.
func (x *Coder) Triangle(what string, m **mat.Dense, n int, upper bool) {
	part := func(i int) []float64 {
		row := (*m).RawRowView(i)
		if upper {
			return row[i:]
		}
		return row[:i+1]
	}
	if !x.Reading() {
		if x.shape(what, *m, n, n) {
			for i := range n {
				row := part(i)
				x.Floats(what, &row, len(row))
			}
		}
		return
	}
	// The matrix is allocated when half of the triangle has been read: then it takes at most four times the bytes that
	// r has really given. Both numbers are found without a loop over rows that may only be claimed.
	numbers := func(rows int) int { // in the first rows
		if upper {
			return block.PackedLen(n) - block.PackedLen(n-rows)
		}
		return block.PackedLen(rows)
	}
	first := sort.Search(n, func(rows int) bool { return 2*numbers(rows) >= block.PackedLen(n) })
	var data []float64
	if x.Floats(what, &data, numbers(first)); x.Failed() {
		return
	}
	*m = mat.NewDense(n, n, nil)
	for i := range first {
		row := part(i)
		copy(row, data)
		data = data[len(row):]
	}
	for i := first; i < n; i++ {
		x.r.Float64sTo(part(i))
		x.finite(what, part(i))
	}
	if x.Failed() {
		*m = nil
	}
}

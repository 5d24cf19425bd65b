package coder

import (
	"sort"

	"blskernel/internal/block"
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// floats codes n finite numbers.
func (x *Coder) Floats(what string, v *[]float64, n int) {
	if x.Reading() {
		*v = x.R.Float64s(n)
	} else {
		x.Check(len(*v) == n, "%s has %d numbers, and should have %d", what, len(*v), n)
	}
	x.finite(what, *v)
	if !x.Reading() {
		x.W.Float64s(*v)
	}
}

// finite refuses NaN and infinities among the numbers that were read last, or are to be written.
func (x *Coder) finite(what string, v []float64) {
	if i := isfinite.First(v); i >= 0 {
		x.refuse(what, i, v[i])
	}
}

// words codes n numbers of 64 bits that can be anything.
func (x *Coder) Words(what string, v *[]uint64, n int) {
	if x.Reading() {
		*v = x.R.Uint64s(n)
		return
	}
	x.Check(len(*v) == n, "there are %d %s, and should be %d", len(*v), what, n)
	x.W.Uint64s(*v)
}

// dense codes a matrix, row by row.
func (x *Coder) Dense(what string, m **mat.Dense, rows, cols int) {
	if !x.Reading() {
		r, c := (*m).Dims()
		if x.Check(r == rows && c == cols, "%s is %d×%d, and should be %d×%d", what, r, c, rows, cols); x.Failed() {
			return
		}
		for i := range rows {
			row := (*m).RawRowView(i)
			x.Floats(what, &row, cols)
		}
		return
	}
	var data []float64
	if x.Floats(what, &data, rows*cols); !x.Failed() {
		*m = mat.NewDense(rows, cols, data)
	}
}

// symmetric codes the stored triangle of a symmetric matrix of order n.
func (x *Coder) Symmetric(what string, s **mat.SymPacked, n int) {
	var data []float64
	if !x.Reading() {
		data = (*s).RawSymPacked().Data
	}
	if x.Floats(what, &data, block.PackedLen(n)); x.Reading() && !x.Failed() {
		*s = mat.NewSymPacked(n, data)
	}
}

// triangle codes one triangle of a matrix of order n, row by row, without the zeros of the other one. upper says
// which.
func (x *Coder) Triangle(what string, m **mat.Dense, n int, upper bool) {
	part := func(i int) []float64 {
		row := (*m).RawRowView(i)
		if upper {
			return row[i:]
		}
		return row[:i+1]
	}
	if !x.Reading() {
		r, c := (*m).Dims()
		if x.Check(r == n && c == n, "%s is %d×%d, and should be of order %d", what, r, c, n); x.Failed() {
			return
		}
		for i := range n {
			row := part(i)
			x.Floats(what, &row, len(row))
		}
		return
	}
	// Storage for all of the matrix is there when half of the triangle has been read, so that it is no more than
	// four times what was read, and no more than the half is there twice.
	// Both numbers are found without a walk over rows that may be no more than claimed.
	numbers := func(rows int) int { // in the first rows
		if upper {
			return block.PackedLen(n) - block.PackedLen(n-rows)
		}
		return block.PackedLen(rows)
	}
	first := sort.Search(n, func(rows int) bool { return 2*numbers(rows) >= block.PackedLen(n) })
	count := numbers(first)
	var data []float64
	if x.Floats(what, &data, count); x.Failed() {
		return
	}
	*m = mat.NewDense(n, n, nil)
	for i := range first {
		row := part(i)
		copy(row, data)
		data = data[len(row):]
	}
	for i := first; i < n; i++ {
		x.R.Float64sTo(part(i))
		x.finite(what, part(i))
	}
	if x.Failed() {
		*m = nil
	}
}

// lengths codes n finite numbers that are not negative.
func (x *Coder) Lengths(what string, v *[]float64, n int) {
	x.Floats(what, v, n)
	for i, length := range *v {
		if !(length >= 0) {
			x.refuse(what, i, length)
		}
	}
}

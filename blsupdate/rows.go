package blsupdate

import (
	"math"

	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
)

// panelRows returns the number of rows of (A⁺)ᵀ for which D is computed at a time where it is not kept:
// 1024, enough for Dgemm to run at full speed, or what fits into 64 MB of D.
func panelRows(q int) int { return max(16, min(1024, (64<<20)/(8*q))) }

// smallBlock is the number of rows up to which batches share a block, so that a model that learns
// one row at a time does not become as many blocks.
const smallBlock = 1024

// rows is a matrix of many rows in blocks, row-major and each without gaps, so that rows are appended
// without moving what is there.
type rows struct {
	cols   int
	count  int
	blocks [][]float64
}

// append adds the rows in data, which it takes over: to the last block where that has room for them,
// else as a block of their own, which has room for as many rows as there are, up to smallBlock.
func (r *rows) append(data []float64) {
	n := len(data) / r.cols
	if last := len(r.blocks) - 1; last >= 0 && len(data) <= cap(r.blocks[last])-len(r.blocks[last]) {
		r.blocks[last] = append(r.blocks[last], data...)
	} else {
		if room := min(r.count, smallBlock); n < room {
			data = append(make([]float64, 0, room*r.cols), data...)
		}
		r.blocks = append(r.blocks, data)
	}
	r.count += n
}

// reorder puts the rows from l on into another order: the row that is now at l+i goes to l+order[i].
func (r *rows) reorder(l int, order []int) {
	moved := make([]float64, len(order)*r.cols)
	r.panels(l, l+len(order), len(order), func(first, n int, data []float64) {
		for i := range n {
			copy(moved[order[first-l+i]*r.cols:][:r.cols], data[i*r.cols:])
		}
	})
	r.panels(l, l+len(order), len(order), func(first, _ int, data []float64) {
		copy(data, moved[(first-l)*r.cols:])
	})
}

// clone returns a copy in storage of its own.
func (r *rows) clone() rows {
	c := *r
	c.blocks = make([][]float64, len(r.blocks))
	for i, b := range r.blocks {
		c.blocks[i] = append(make([]float64, 0, cap(b)), b...)
	}
	return c
}

// panels calls f for consecutive panels of the rows from, ..., to-1, each of at most most rows and
// within one block, with the index of its first row.
func (r *rows) panels(from, to, most int, f func(first, n int, data []float64)) {
	first := 0
	for _, block := range r.blocks {
		n := len(block) / r.cols
		for i := max(0, from-first); i < min(n, to-first); i += most {
			rows := min(most, n-i, to-first-i)
			f(first+i, rows, block[i*r.cols:(i+rows)*r.cols])
		}
		first += n
	}
}

// transposed returns a copy of the transpose, cols×count.
func (r *rows) transposed() *mat.Dense {
	dst := mat.NewDense(r.cols, r.count, nil)
	raw := dst.RawMatrix()
	r.panels(0, r.count, r.count, func(first, n int, data []float64) {
		for i := range n {
			for j, v := range data[i*r.cols : (i+1)*r.cols] {
				raw.Data[j*raw.Stride+first+i] = v
			}
		}
	})
	return dst
}

// norm returns the Frobenius norm, without overflow or underflow on the way.
func (r *rows) norm() float64 {
	var sum float64
	for _, block := range r.blocks {
		sum = math.Hypot(sum, norm(block))
	}
	return sum
}

// norm returns the Euclidean norm of x, without overflow or underflow on the way.
func norm(x []float64) float64 { return floats.Norm(x, 2) }

// compact returns the elements of m, row-major and without gaps, in new storage.
func compact(m *mat.Dense) []float64 {
	r, c := m.Dims()
	raw := m.RawMatrix()
	dst := make([]float64, r*c)
	for i := range r {
		copy(dst[i*c:(i+1)*c], raw.Data[i*raw.Stride:i*raw.Stride+c])
	}
	return dst
}

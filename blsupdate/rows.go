package blsupdate

import (
	"math"
	"slices"

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
	blocks []rowBlock
}

// A rowBlock holds consecutive rows. How rows are divided into blocks decides in which order sums over them are
// formed, so it must not depend on the storage that a slice happens to have.
type rowBlock struct {
	data []float64
	most int // the number of rows up to which others are appended to it
}

// rowsOf returns the number of rows of block i.
func (r *rows) rowsOf(i int) int { return len(r.blocks[i].data) / r.cols }

// append adds the rows in data, which it takes over: to the last block where that takes so many, else as a
// block of their own, which takes as many rows as there are, up to smallBlock.
func (r *rows) append(data []float64) {
	n := len(data) / r.cols
	if last := len(r.blocks) - 1; last >= 0 && r.rowsOf(last)+n <= r.blocks[last].most {
		r.blocks[last].data = append(r.blocks[last].data, data...)
	} else {
		most := max(n, min(r.count, smallBlock))
		if n < most {
			data = append(make([]float64, 0, most*r.cols), data...)
		}
		r.blocks = append(r.blocks, rowBlock{data, most})
	}
	r.count += n
}

// truncate drops the rows from count on.
func (r *rows) truncate(count int) {
	for r.count > count {
		last := len(r.blocks) - 1
		n := r.rowsOf(last)
		drop := min(n, r.count-count)
		r.count -= drop
		if drop == n {
			r.blocks = r.blocks[:last]
			continue
		}
		r.blocks[last].data = r.blocks[last].data[:(n-drop)*r.cols]
	}
}

// remove drops the rows at the given places, in ascending order. The others keep their order; those
// behind a dropped row in the same block are moved up, and neighboring blocks of few rows become one.
func (r *rows) remove(places []int) {
	var blocks []rowBlock
	first := 0
	for i, b := range r.blocks {
		n := r.rowsOf(i)
		gone := 0
		for gone < len(places) && places[gone] < first+n {
			gone++
		}
		b.data = r.drop(b.data, first, places[:gone])
		places = places[gone:]
		first += n
		r.count -= gone
		last := len(blocks) - 1
		switch {
		case len(b.data) == 0:
		case last >= 0 && len(blocks[last].data)+len(b.data) <= smallBlock*r.cols:
			blocks[last].data = append(blocks[last].data, b.data...)
			blocks[last].most = max(blocks[last].most, smallBlock)
		default:
			blocks = append(blocks, b)
		}
	}
	r.blocks = blocks
}

// drop drops the rows at the given places from a block whose first row is at first.
func (r *rows) drop(block []float64, first int, places []int) []float64 {
	if len(places) == 0 {
		return block
	}
	kept := block[:(places[0]-first)*r.cols]
	for i, place := range places {
		end := len(block)
		if i+1 < len(places) {
			end = (places[i+1] - first) * r.cols
		}
		kept = append(kept, block[(place+1-first)*r.cols:end]...)
	}
	return kept
}

// pick returns copies of the rows at the given places, in their order.
func (r *rows) pick(places []int) []float64 {
	out := make([]float64, len(places)*r.cols)
	starts := make([]int, len(r.blocks)) // index of the first row of each block
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + r.rowsOf(i-1)
	}
	for i, place := range places {
		block, found := slices.BinarySearch(starts, place)
		if !found {
			block--
		}
		at := (place - starts[block]) * r.cols
		copy(out[i*r.cols:(i+1)*r.cols], r.blocks[block].data[at:])
	}
	return out
}

// last returns a copy of the last n rows.
func (r *rows) last(n int) []float64 {
	out := make([]float64, 0, n*r.cols)
	r.panels(r.count-n, r.count, n, func(_, _ int, data []float64) { out = append(out, data...) })
	return out
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
	c.blocks = make([]rowBlock, len(r.blocks))
	for i, b := range r.blocks {
		c.blocks[i] = rowBlock{append(make([]float64, 0, cap(b.data)), b.data...), b.most}
	}
	return c
}

// panels calls f for consecutive panels of the rows from, ..., to-1, each of at most most rows and
// within one block, with the index of its first row.
func (r *rows) panels(from, to, most int, f func(first, n int, data []float64)) {
	first := 0
	for at, b := range r.blocks {
		n := r.rowsOf(at)
		for i := max(0, from-first); i < min(n, to-first); i += most {
			rows := min(most, n-i, to-first-i)
			f(first+i, rows, b.data[i*r.cols:(i+rows)*r.cols])
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
	for _, b := range r.blocks {
		sum = math.Hypot(sum, norm(b.data))
	}
	return sum
}

// norm returns the Euclidean norm of x, without overflow or underflow on the way.
func norm(x []float64) float64 {
	if sum := floats.Dot(x, x); sum > smallestSquare && sum < math.MaxFloat64 {
		return math.Sqrt(sum)
	}
	return floats.Norm(x, 2)
}

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

package pseudoinverse

import (
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"
)

// smallBlock is the number of rows up to which batches share a block, so that a model that learns row
// by row does not end up with a block for each row.
const smallBlock = 1024

// rows is a matrix of many rows, in row-major blocks, each contiguous, so that an append moves nothing.
type rows struct {
	cols   int
	count  int
	blocks []rowBlock
}

// A rowBlock holds consecutive rows. The division into blocks decides the order of sums over the rows,
// so it must not depend on the capacity of a slice.
type rowBlock struct {
	data     []float64
	capacity int // the number of rows that the block may hold
}

func (r *rows) rowsOf(i int) int { return len(r.blocks[i].data) / r.cols }

// append adds the rows in data, which it may keep: to the last block if they fit, otherwise as a new
// block. The capacity of a new block is at least the number of rows so far, up to smallBlock.
func (r *rows) append(data []float64) {
	n := len(data) / r.cols
	if last := len(r.blocks) - 1; last >= 0 && r.rowsOf(last)+n <= r.blocks[last].capacity {
		r.blocks[last].data = append(r.blocks[last].data, data...)
	} else {
		capacity := max(n, min(r.count, smallBlock))
		if n < capacity {
			data = append(memory.Zeros(capacity * r.cols)[:0], data...)
		}
		r.blocks = append(r.blocks, rowBlock{data, capacity})
	}
	r.count += n
}

func (r *rows) truncate(count int) {
	for r.count > count {
		last := len(r.blocks) - 1
		n := min(r.rowsOf(last), r.count-count)
		r.count -= n
		b := &r.blocks[last]
		if b.data = b.data[:len(b.data)-n*r.cols]; len(b.data) == 0 {
			r.blocks = r.blocks[:last]
		}
	}
}

// remove drops the rows at the given places, which are in ascending order. The others keep their order.
// Adjacent blocks of few rows are merged.
func (r *rows) remove(places []int) {
	var blocks []rowBlock
	first := 0
	for i, b := range r.blocks {
		n, gone := r.rowsOf(i), 0
		for gone < len(places) && places[gone] < first+n {
			gone++
		}
		b.data = drop(b.data, r.cols, first, places[:gone])
		places = places[gone:]
		first += n
		r.count -= gone
		last := len(blocks) - 1
		switch {
		case len(b.data) == 0:
		case last >= 0 && len(blocks[last].data)+len(b.data) <= smallBlock*r.cols:
			blocks[last].data = append(blocks[last].data, b.data...)
			blocks[last].capacity = max(blocks[last].capacity, smallBlock)
		default:
			blocks = append(blocks, b)
		}
	}
	r.blocks = blocks
}

// drop removes the rows at places from data, in place. data starts at row first; places are ascending.
func drop[T any](data []T, cols, first int, places []int) []T {
	if len(places) == 0 {
		return data
	}
	kept := data[:(places[0]-first)*cols]
	for i, place := range places {
		end := len(data)
		if i+1 < len(places) {
			end = (places[i+1] - first) * cols
		}
		kept = append(kept, data[(place+1-first)*cols:end]...)
	}
	return kept
}

// pick returns copies of the rows at the given places, in the order of places.
func (r *rows) pick(places []int) *mat.Dense {
	out := mat.NewDense(len(places), r.cols, nil)
	r.blockwise(func(first int, m *mat.Dense) {
		for i, place := range places {
			if first <= place && place < first+dense.Rows(m) {
				copy(out.RawRowView(i), m.RawRowView(place-first))
			}
		}
	})
	return out
}

// reorder moves the row at l+i to l+order[i].
func (r *rows) reorder(l int, order []int) {
	from := make([]int, len(order)) // the old place of each row
	for i, to := range order {
		from[to] = l + i
	}
	moved := r.pick(from)
	r.panels(l, l+len(order), len(order), func(first int, m *mat.Dense) {
		m.Copy(dense.RowRange(moved, first-l, first-l+dense.Rows(m)))
	})
}

func (r *rows) clone() rows {
	c := *r
	c.blocks = slices.Clone(r.blocks)
	for i, b := range r.blocks {
		c.blocks[i].data = append(memory.Zeros(cap(b.data))[:0], b.data...)
	}
	return c
}

// panels calls f for consecutive panels m of the rows [from, to), each within one block and of at most
// capacity rows. first is the index of the first row of m.
func (r *rows) panels(from, to, capacity int, f func(first int, m *mat.Dense)) {
	first := 0
	for at, b := range r.blocks {
		n := r.rowsOf(at)
		for i := max(0, from-first); i < min(n, to-first); i += capacity {
			rows := min(capacity, n-i, to-first-i)
			f(first+i, mat.NewDense(rows, r.cols, b.data[i*r.cols:(i+rows)*r.cols]))
		}
		first += n
	}
}

func (r *rows) row(i int) (row []float64) {
	r.panels(i, i+1, 1, func(_ int, m *mat.Dense) { row = m.RawRowView(0) })
	return row
}

func (r *rows) blockwise(f func(first int, m *mat.Dense)) { r.panels(0, r.count, max(1, r.count), f) }

// norm returns the Frobenius norm, without overflow or underflow of squares.
func (r *rows) norm() float64 {
	var sum float64
	for _, b := range r.blocks {
		sum = detmath.Hypot(sum, dense.Norm(b.data))
	}
	return sum
}

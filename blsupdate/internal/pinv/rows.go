package pinv

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"
)

// smallBlock is the number of rows up to which batches share a block, so that a model that learns row
// by row does not become as many blocks.
const smallBlock = 1024

// rows is a matrix of many rows in blocks, each by rows and without gaps, so that an append moves
// nothing.
type rows struct {
	cols   int
	count  int
	blocks []rowBlock
}

// A rowBlock holds consecutive rows. The division into blocks decides the order of sums over the rows,
// so it must not depend on the capacity of a slice.
type rowBlock struct {
	data []float64
	most int // the number of rows up to which others are appended
}

// rowsOf returns the number of rows of block i.
func (r *rows) rowsOf(i int) int { return len(r.blocks[i].data) / r.cols }

// append adds the rows in data, which it keeps: to the last block where they fit, and else as a new
// block. A new block takes as many rows as there are, up to smallBlock.
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

// remove drops the rows at the given places, in ascending order. The others keep their order.
// Neighboring blocks of few rows become one.
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
			blocks[last].most = max(blocks[last].most, smallBlock)
		default:
			blocks = append(blocks, b)
		}
	}
	r.blocks = blocks
}

// drop drops the rows at the given places, in ascending order, from data, whose first row is at first.
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

// pick returns copies of the rows at the given places, in their order.
func (r *rows) pick(places []int) *mat.Dense {
	out := mat.NewDense(len(places), r.cols, nil)
	starts := make([]int, len(r.blocks)) // index of the first row of each block
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + r.rowsOf(i-1)
	}
	for i, place := range places {
		block, found := slices.BinarySearch(starts, place)
		if !found {
			block--
		}
		copy(out.RawRowView(i), r.blocks[block].data[(place-starts[block])*r.cols:])
	}
	return out
}

// reorder moves the row at l+i to l+order[i].
func (r *rows) reorder(l int, order []int) {
	moved := mat.NewDense(len(order), r.cols, nil)
	each := func(f func(row []float64, i int)) {
		r.panels(l, l+len(order), len(order), func(first int, m *mat.Dense) {
			for i := range dense.Rows(m) {
				f(m.RawRowView(i), first-l+i)
			}
		})
	}
	each(func(row []float64, i int) { copy(moved.RawRowView(order[i]), row) })
	each(func(row []float64, i int) { copy(row, moved.RawRowView(i)) })
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

// panels calls f for consecutive panels of the rows [from, to), each of at most most rows and within
// one block, with the index of the first row.
func (r *rows) panels(from, to, most int, f func(first int, m *mat.Dense)) {
	first := 0
	for at, b := range r.blocks {
		n := r.rowsOf(at)
		for i := max(0, from-first); i < min(n, to-first); i += most {
			rows := min(most, n-i, to-first-i)
			f(first+i, mat.NewDense(rows, r.cols, b.data[i*r.cols:(i+rows)*r.cols]))
		}
		first += n
	}
}

// blockwise calls f for every block.
func (r *rows) blockwise(f func(first int, m *mat.Dense)) { r.panels(0, r.count, max(1, r.count), f) }

// norm returns the Frobenius norm, without overflow or underflow of squares.
func (r *rows) norm() float64 {
	var sum float64
	for _, b := range r.blocks {
		sum = math.Hypot(sum, dense.Norm(b.data))
	}
	return sum
}

// code writes or reads count rows: their division into blocks, and then all rows.
func (r *rows) code(x *coder.Coder, what string, cols, count int) {
	layout := make([]uint64, 0, 2*len(r.blocks))
	for i, b := range r.blocks {
		layout = append(layout, uint64(r.rowsOf(i)), uint64(b.most))
	}
	n := len(r.blocks)
	x.Int("the number of blocks of "+what, &n, count)
	x.Words("sizes of blocks", &layout, 2*n)
	if checkLayout(x, what, layout, count); x.Failed() {
		return
	}
	if x.Reading() {
		*r = rows{cols: cols, count: count}
	}
	for i := 0; len(layout) > 0 && !x.Failed(); i, layout = i+1, layout[2:] {
		if x.Reading() {
			r.blocks = append(r.blocks, rowBlock{most: int(layout[1])})
		}
		x.Floats(what, &r.blocks[i].data, int(layout[0])*cols)
	}
}

// checkLayout refuses blocks, given by their rows and by most, that are not those of count rows.
func checkLayout(x *coder.Coder, what string, layout []uint64, count int) {
	left := uint64(count)
	for i := 0; i < len(layout); i += 2 {
		n, most := layout[i], layout[i+1]
		if n == 0 || n > left {
			x.FailElement(i, "a block of %s cannot have %d rows of %d that are left", what, n, left)
			return
		}
		if most < n || most > coder.MostElements {
			x.FailElement(i+1, "a block of %s with %d rows cannot take %d", what, n, most)
			return
		}
		left -= n
	}
	x.Check(left == 0, "the blocks of %s are %d rows short", what, left)
}

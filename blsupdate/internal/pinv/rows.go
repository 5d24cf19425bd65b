package pinv

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"
)

// panelRows returns the number of rows of (A⁺)ᵀ for which D is computed at a time where it is not kept:
// 1024, enough for Dgemm to run at full speed, or what fits into 64 MB of D.
func PanelRows(q int) int { return max(16, min(1024, (64<<20)/(8*q))) }

// smallBlock is the number of rows up to which batches share a block, so that a model that learns
// one row at a time does not become as many blocks.
const SmallBlock = 1024

// rows is a matrix of many rows in blocks, row-major and each without gaps, so that rows are appended
// without moving what is there.
type Rows struct {
	Cols   int
	Count  int
	Blocks []RowBlock
}

// A rowBlock holds consecutive rows. How rows are divided into blocks decides in which order sums over them are
// formed, so it must not depend on the storage that a slice happens to have.
type RowBlock struct {
	Data []float64
	most int // the number of rows up to which others are appended to it
}

// rowsOf returns the number of rows of block i.
func (r *Rows) rowsOf(i int) int { return len(r.Blocks[i].Data) / r.Cols }

// append adds the rows in data, which it takes over: to the last block where that takes so many, else as a
// block of their own, which takes as many rows as there are, up to smallBlock.
func (r *Rows) Append(data []float64) {
	n := len(data) / r.Cols
	if last := len(r.Blocks) - 1; last >= 0 && r.rowsOf(last)+n <= r.Blocks[last].most {
		r.Blocks[last].Data = append(r.Blocks[last].Data, data...)
	} else {
		most := max(n, min(r.Count, SmallBlock))
		if n < most {
			data = append(make([]float64, 0, most*r.Cols), data...)
		}
		r.Blocks = append(r.Blocks, RowBlock{data, most})
	}
	r.Count += n
}

// truncate drops the rows from count on.
func (r *Rows) Truncate(count int) {
	for r.Count > count {
		last := len(r.Blocks) - 1
		n := r.rowsOf(last)
		drop := min(n, r.Count-count)
		r.Count -= drop
		if drop == n {
			r.Blocks = r.Blocks[:last]
			continue
		}
		r.Blocks[last].Data = r.Blocks[last].Data[:(n-drop)*r.Cols]
	}
}

// remove drops the rows at the given places, in ascending order. The others keep their order; those
// behind a dropped row in the same block are moved up, and neighboring blocks of few rows become one.
func (r *Rows) Remove(places []int) {
	var blocks []RowBlock
	first := 0
	for i, b := range r.Blocks {
		n := r.rowsOf(i)
		gone := 0
		for gone < len(places) && places[gone] < first+n {
			gone++
		}
		b.Data = r.drop(b.Data, first, places[:gone])
		places = places[gone:]
		first += n
		r.Count -= gone
		last := len(blocks) - 1
		switch {
		case len(b.Data) == 0:
		case last >= 0 && len(blocks[last].Data)+len(b.Data) <= SmallBlock*r.Cols:
			blocks[last].Data = append(blocks[last].Data, b.Data...)
			blocks[last].most = max(blocks[last].most, SmallBlock)
		default:
			blocks = append(blocks, b)
		}
	}
	r.Blocks = blocks
}

// drop drops the rows at the given places from a block whose first row is at first.
func (r *Rows) drop(block []float64, first int, places []int) []float64 {
	if len(places) == 0 {
		return block
	}
	kept := block[:(places[0]-first)*r.Cols]
	for i, place := range places {
		end := len(block)
		if i+1 < len(places) {
			end = (places[i+1] - first) * r.Cols
		}
		kept = append(kept, block[(place+1-first)*r.Cols:end]...)
	}
	return kept
}

// pick returns copies of the rows at the given places, in their order.
func (r *Rows) Pick(places []int) []float64 {
	out := make([]float64, len(places)*r.Cols)
	starts := make([]int, len(r.Blocks)) // index of the first row of each block
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + r.rowsOf(i-1)
	}
	for i, place := range places {
		block, found := slices.BinarySearch(starts, place)
		if !found {
			block--
		}
		at := (place - starts[block]) * r.Cols
		copy(out[i*r.Cols:(i+1)*r.Cols], r.Blocks[block].Data[at:])
	}
	return out
}

// last returns a copy of the last n rows.
func (r *Rows) Last(n int) []float64 {
	out := make([]float64, 0, n*r.Cols)
	r.panels(r.Count-n, r.Count, n, func(_, _ int, data []float64) { out = append(out, data...) })
	return out
}

// reorder puts the rows from l on into another order: the row that is now at l+i goes to l+order[i].
func (r *Rows) reorder(l int, order []int) {
	moved := make([]float64, len(order)*r.Cols)
	r.panels(l, l+len(order), len(order), func(first, n int, data []float64) {
		for i := range n {
			copy(moved[order[first-l+i]*r.Cols:][:r.Cols], data[i*r.Cols:])
		}
	})
	r.panels(l, l+len(order), len(order), func(first, _ int, data []float64) {
		copy(data, moved[(first-l)*r.Cols:])
	})
}

// clone returns a copy in storage of its own.
func (r *Rows) clone() Rows {
	c := *r
	c.Blocks = make([]RowBlock, len(r.Blocks))
	for i, b := range r.Blocks {
		c.Blocks[i] = RowBlock{append(make([]float64, 0, cap(b.Data)), b.Data...), b.most}
	}
	return c
}

// panels calls f for consecutive panels of the rows from, ..., to-1, each of at most most rows and
// within one block, with the index of its first row.
func (r *Rows) panels(from, to, most int, f func(first, n int, data []float64)) {
	first := 0
	for at, b := range r.Blocks {
		n := r.rowsOf(at)
		for i := max(0, from-first); i < min(n, to-first); i += most {
			rows := min(most, n-i, to-first-i)
			f(first+i, rows, b.Data[i*r.Cols:(i+rows)*r.Cols])
		}
		first += n
	}
}

// transposed returns a copy of the transpose, cols×count.
func (r *Rows) Transposed() *mat.Dense {
	dst := mat.NewDense(r.Cols, r.Count, nil)
	raw := dst.RawMatrix()
	r.panels(0, r.Count, r.Count, func(first, n int, data []float64) {
		for i := range n {
			for j, v := range data[i*r.Cols : (i+1)*r.Cols] {
				raw.Data[j*raw.Stride+first+i] = v
			}
		}
	})
	return dst
}

// norm returns the Frobenius norm, without overflow or underflow on the way.
func (r *Rows) norm() float64 {
	var sum float64
	for _, b := range r.Blocks {
		sum = math.Hypot(sum, dense.Norm(b.Data))
	}
	return sum
}

// code writes or reads rows, count of them with so many columns: how they are divided into blocks, which decides in
// which order later sums are formed, and then all of them in one stream.
func (r *Rows) Code(x *coder.Coder, what string, cols, count int) {
	layout := make([]uint64, 0, 2*len(r.Blocks))
	for i, b := range r.Blocks {
		layout = append(layout, uint64(r.rowsOf(i)), uint64(b.most))
	}
	n := len(r.Blocks)
	x.Int("the number of blocks of "+what, &n, count)
	x.Words("sizes of blocks", &layout, 2*n)
	if checkLayout(x, what, layout, count); x.Failed() {
		return
	}
	if x.Reading() {
		*r = Rows{Cols: cols, Count: count}
	}
	for i := 0; len(layout) > 0 && !x.Failed(); i, layout = i+1, layout[2:] {
		if x.Reading() {
			r.Blocks = append(r.Blocks, RowBlock{most: int(layout[1])})
		}
		x.Floats(what, &r.Blocks[i].Data, int(layout[0])*cols)
	}
}

// checkLayout refuses blocks, given by their rows and the rows that they take, that are not those of count rows.
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

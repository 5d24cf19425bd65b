package stream

import "blskernel/internal/linalg/block"

// Split returns the rows for which held is false and the rows for which it is true, in their order,
// with their places and numbers. A part without rows is nil.
//
//	cost: copies the rows; if all are on one side, that side is b itself.
func (b *Batch) Split(held func(i int) bool) (rest, aside *Batch) {
	if b.rows() == 0 {
		return nil, nil
	}
	var here, there []int
	for i := range b.rows() {
		if held(i) {
			there = append(there, i)
		} else {
			here = append(here, i)
		}
	}
	switch {
	case len(there) == 0:
		return b, nil
	case len(here) == 0:
		return nil, b
	}
	return b.pick(here), b.pick(there)
}

// pick returns a batch of the given rows, at least one, in ascending order.
func (b *Batch) pick(rows []int) *Batch {
	n := b.rows()
	out := &Batch{Pixels: pickEach(b.Pixels, rows, len(b.Pixels)/n), Labels: pickEach(b.Labels, rows, 1), Weights: pickEach(b.Weights, rows, 1),
		Kept: pickEach(b.Kept, rows, len(b.Kept)/n), places: pickEach(b.places, rows, 1), First: b.Number(rows[0]) - 1}
	if b.X != nil {
		out.X = block.PickRows(b.X, rows)
	}
	if b.Y != nil {
		out.Y = block.PickRows(b.Y, rows)
	}
	for _, i := range rows {
		out.numbers = append(out.numbers, b.Number(i))
	}
	return out
}

// pickEach returns a copy of the n elements of each given row, or nil if all is nil.
func pickEach[T any](all []T, rows []int, n int) (out []T) {
	for _, i := range rows {
		if all != nil {
			out = append(out, all[i*n:(i+1)*n]...)
		}
	}
	return out
}

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
	out := &Batch{
		X: block.PickRows(b.X, rows), Pixels: block.Pick(b.Pixels, len(b.Pixels)/n, rows),
		Y: block.PickRows(b.Y, rows), Labels: block.Pick(b.Labels, 1, rows),
		Weights: block.Pick(b.Weights, 1, rows), Kept: block.Pick(b.Kept, len(b.Kept)/n, rows),
		places: block.Pick(b.places, 1, rows), First: b.Number(rows[0]) - 1,
	}
	for _, i := range rows {
		out.numbers = append(out.numbers, b.Number(i))
	}
	return out
}

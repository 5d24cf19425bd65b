package blsupdate

import (
	"context"
	"slices"

	"blskernel/internal/memory"
)

// addParts adds the rows of s in two parts, the rows first and then the others, and leaves them in
// their order. what is the part of the work that led to the decision, and how the way to go on.
func (u *pseudoinverse) addParts(ctx context.Context, s *addition, first []int, what part, how way) ([]part, error) {
	if err := u.room(u.method, ActionAdd, s.q, memory.Floats(u.p.count, u.k)); err != nil {
		return nil, err
	}
	saved := u.save()
	in := make([]bool, s.q)
	for _, i := range first {
		in[i] = true
	}
	order := slices.Clone(first)
	for i := range s.q {
		if !in[i] {
			order = append(order, i)
		}
	}
	l := u.p.count
	parts := []part{what}
	for _, rows := range [][]int{order[:len(first)], order[len(first):]} {
		done, err := u.addRows(ctx, pick(s.ax, u.k, rows), pick(s.ya, u.c, rows), len(rows), how)
		if err != nil {
			u.restore(saved)
			return nil, err
		}
		parts = append(parts, done...)
	}
	u.p.reorder(l, order)
	if u.a.count == u.p.count {
		u.a.reorder(l, order)
	}
	return parts, nil
}

// firstHalf returns the indices of the first half of q rows.
func firstHalf(q int) []int {
	half := make([]int, q/2)
	for i := range half {
		half[i] = i
	}
	return half
}

// pick returns copies of some rows of a matrix with the given number of columns.
func pick(x []float64, cols int, rows []int) []float64 {
	out := make([]float64, 0, len(rows)*cols)
	for _, i := range rows {
		out = append(out, x[i*cols:(i+1)*cols]...)
	}
	return out
}

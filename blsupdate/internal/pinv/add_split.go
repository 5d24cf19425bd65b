package pinv

import (
	"context"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/internal/memory"
)

// addParts adds the rows of s in two parts, the rows first and then the others, and leaves them in
// their order. what is the part of the work that led to the decision, and how the way to go on.
func (u *State) addParts(ctx context.Context, s *Addition, first []int, what part, how strategy) ([]part, error) {
	if err := u.Reserve(u.Method, api.ActionAdd, s.Q, memory.Floats(u.P.Count, u.K)); err != nil {
		return nil, err
	}
	saved := u.save()
	in := make([]bool, s.Q)
	for _, i := range first {
		in[i] = true
	}
	order := slices.Clone(first)
	for i := range s.Q {
		if !in[i] {
			order = append(order, i)
		}
	}
	l := u.P.Count
	parts := []part{what}
	for _, rows := range [][]int{order[:len(first)], order[len(first):]} {
		done, err := u.addRows(ctx, pick(s.ax, u.K, rows), pick(s.ya, u.C, rows), len(rows), how)
		if err != nil {
			u.restore(saved)
			return nil, err
		}
		parts = append(parts, done...)
	}
	u.P.reorder(l, order)
	if u.A.Count == u.P.Count {
		u.A.reorder(l, order)
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

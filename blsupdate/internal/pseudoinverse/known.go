package pseudoinverse

import (
	"encoding/binary"
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// rowKeys returns the keys that identify rows: a hash of the bits of each row of the matrices in parts,
// side by side. Among n different rows two have the same hash with a probability of about n²/2⁶⁵,
// unless the rows are constructed to collide. Zeros are equal whatever their sign. The hashes are the
// same on every machine, since Encode writes them.
func rowKeys(parts ...*mat.Dense) []uint64 {
	keys := make([]uint64, dense.Rows(parts[0]))
	var bytes []byte
	for i := range keys {
		bytes = bytes[:0]
		for _, m := range parts {
			for _, v := range m.RawRowView(i) {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v+0))
			}
		}
		keys[i] = xxhash.Sum64(bytes)
	}
	return keys
}

func (u *State) setKnown(y *mat.Dense, parts ...*mat.Dense) {
	u.keys, u.y = rowKeys(parts...), rows{cols: u.C}
	u.y.append(dense.Compact(y))
}

func (u *State) learnRows(ax, ya *mat.Dense) {
	if u.keys == nil {
		return
	}
	u.y.append(dense.Compact(ya))
	u.keys = append(u.keys, rowKeys(ax)...)
}

// find returns distinct positions of the samples ax, ya in the model, or an *UnknownRowError.
func (u *State) find(ax, ya *mat.Dense) ([]int, error) {
	waiting := make(map[uint64][]int, dense.Rows(ax)) // the rows of ax with each key
	for i, key := range rowKeys(ax) {
		waiting[key] = append(waiting[key], i)
	}
	places := slices.Repeat([]int{-1}, dense.Rows(ax))
	for place, key := range u.keys {
		queue := waiting[key]
		if len(queue) == 0 {
			continue
		}
		y := u.y.row(place)
		if at := slices.IndexFunc(queue, func(i int) bool { return slices.Equal(ya.RawRowView(i), y) }); at >= 0 {
			places[queue[at]] = place
			waiting[key] = slices.Delete(queue, at, at+1)
		}
	}
	if i := slices.Index(places, -1); i >= 0 {
		return nil, &types.UnknownRowError{Row: i, Action: types.ActionRemove}
	}
	return places, nil
}

// inOrder returns an *UnknownRowError unless a and y are the model's samples in their order. After
// Forget no sample is known, and any rows are accepted.
func (u *State) inOrder(a, y *mat.Dense) error {
	if u.keys == nil {
		return nil
	}
	other := dense.Rows(a) // the first row that differs
	for i, key := range rowKeys(a) {
		if u.keys[i] != key {
			other = i
			break
		}
	}
	u.y.blockwise(func(first int, m *mat.Dense) {
		for i := range dense.Rows(m) {
			if !slices.Equal(m.RawRowView(i), y.RawRowView(first+i)) {
				other = min(other, first+i)
				return
			}
		}
	})
	if other < dense.Rows(a) {
		return &types.UnknownRowError{Row: other, Action: types.ActionNodes}
	}
	return nil
}

// MapTargets maps W, and Y while it is known, to the new targets.
func (u *State) MapTargets(t *mat.Dense, keep bool) (out state.Outcome, err error) {
	if err := u.ReserveMapped(u.K+u.y.count, t, keep); err != nil {
		return out, err
	}
	next := *u
	u.Counter.Enter(cost.StepTargets)
	next.w = u.Mapped(u.w, t, keep)
	next.C = dense.Cols(next.w)
	next.y = rows{cols: next.C, count: u.y.count}
	next.size = u.size.Mapped(t, keep)
	next.largest = state.Mapped(u.largest, t, keep)
	next.prior.shift = state.Mapped(u.prior.shift, t, keep)
	finite := dense.Finite(next.w)
	for i, b := range u.y.blocks {
		y := u.Mapped(mat.NewDense(u.y.rowsOf(i), u.C, b.data), t, keep)
		finite = finite && dense.Finite(y)
		next.y.blocks = append(next.y.blocks, rowBlock{y.RawMatrix().Data, b.capacity})
	}
	if !finite {
		return out, types.ErrOverflow
	}
	formula, of := "2ckp", []int{u.K}
	if u.y.count > 0 {
		formula, of = "2ckp + 2clp", append(of, u.y.count)
	}
	out.Model = cost.MapTargets(formula, u.C, dense.Cols(t), of...)
	*u = next
	return out, nil
}

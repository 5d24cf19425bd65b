package pinv

import (
	"encoding/binary"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// rowKeys returns a hash of the bits of each sample: its row of each matrix of parts, side by side, and its targets. Of n
// different samples two have the same hash with a probability of about n²/2⁶⁵, unless somebody constructs them. Zeros are
// equal whatever their sign. Encode writes the hashes, so they are the same on every machine.
func rowKeys(targets *mat.Dense, parts ...*mat.Dense) []uint64 {
	keys := make([]uint64, dense.Rows(targets))
	var bytes []byte
	for i := range keys {
		bytes = bytes[:0]
		for _, m := range append(parts, targets) {
			for _, v := range m.RawRowView(i) {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v+0))
			}
		}
		keys[i] = xxhash.Sum64(bytes)
	}
	return keys
}

// find returns the places of the samples of the given keys, all different, or an *UnknownRowError.
func (u *State) find(wanted []uint64) ([]int, error) {
	waiting := make(map[uint64][]int, len(wanted)) // the indices in wanted of each key
	for i, key := range wanted {
		waiting[key] = append(waiting[key], i)
	}
	places := make([]int, len(wanted))
	for i := range places {
		places[i] = -1
	}
	for place, key := range u.keys {
		if queue := waiting[key]; len(queue) > 0 {
			places[queue[0]] = place
			waiting[key] = queue[1:]
		}
	}
	for i, place := range places {
		if place < 0 {
			return nil, &api.UnknownRowError{Row: i, Action: api.ActionRemove}
		}
	}
	return places, nil
}

// inOrder returns an *UnknownRowError unless the given keys are those of the samples in their order. After Forget no key is
// known, and any samples are accepted.
func (u *State) inOrder(keys []uint64) error {
	for i, key := range u.keys {
		if keys[i] != key {
			return &api.UnknownRowError{Row: i, Action: api.ActionNodes}
		}
	}
	return nil
}

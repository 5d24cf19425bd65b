package pinv

import (
	"encoding/binary"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// rowKeys returns a hash of the bits of each sample: its row of each matrix of parts, side by side, and
// its targets. Two of n different samples have the same one with a probability of about n²/2⁶⁵, as long as nobody
// makes them so. Zeros are equal whatever their sign. The hash is the same in every process and on every machine,
// since it goes into what Encode writes.
func RowKeys(targets *mat.Dense, parts ...*mat.Dense) []uint64 {
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

// find returns where the samples of the given keys are, each in another place, or an *UnknownRowError.
func (u *State) find(wanted []uint64) ([]int, error) {
	waiting := make(map[uint64][]int, len(wanted)) // for each key the indices of those that want it
	for i, key := range wanted {
		waiting[key] = append(waiting[key], i)
	}
	places := make([]int, len(wanted))
	for i := range places {
		places[i] = -1
	}
	for place, key := range u.Keys {
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

// inOrder returns an *UnknownRowError unless the given keys are those of the samples, in their order. After
// Forget the samples are not known, and there is nothing to compare with.
func (u *State) inOrder(keys []uint64) error {
	for i, key := range u.Keys {
		if keys[i] != key {
			return &api.UnknownRowError{Row: i, Action: api.ActionNodes}
		}
	}
	return nil
}

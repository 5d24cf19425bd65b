package blsupdate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"blskernel/internal/testutil/faults"
)

// FuzzDecode decodes anything. There is a *FormatError that names a byte, or a model that can be used,
// and is encoded as it was. No more is allocated than follows from what is read.
func FuzzDecode(f *testing.F) {
	for _, u := range smallModels(f) {
		data := encoded(f, u)
		f.Add(data)
		f.Add(data[:len(data)/2])
		f.Add(data[:len(data)-1])
		for word := 8; word <= 10; word++ { // nodes, targets and samples
			claim := bytes.Clone(data)
			binary.LittleEndian.PutUint64(claim[8*word:], math.MaxInt32)
			f.Add(claim)
		}
	}
	for _, data := range wildModels(f) {
		f.Add(data)
	}
	f.Add([]byte{})
	f.Add([]byte("blsstate"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var u Updater
		var err error
		// Slices that double take less than four times what they hold in the end, and a matrix
		// of which a triangle is read twice that again; beside them are the buffer of the
		// reader and what a model has whatever its size.
		faults.Bounded(t, len(data), 12, 1<<18, func() { u, err = Decode(bytes.NewReader(data), nil) })
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(len(data)) || len(err.Error()) > 500 {
				t.Fatalf("%.500v", err)
			}
			return
		}
		if again := encoded(t, u); !bytes.Equal(again, data) {
			t.Errorf("%x becomes %x", data, again)
		}
		use(t, u)
	})
}

// FuzzScales does what TestScalesAreKept does for seeds that the fuzzer chooses.
func FuzzScales(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { wildLife(seed, func(u Updater) { checkReadable(t, u) }) })
}

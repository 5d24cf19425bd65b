package blsupdate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
)

// TestInvariants breaks what later updates rely on: neither is such a model written, nor is it read.
func TestInvariants(t *testing.T) {
	const state = 18 // the first word after lambda in Gram and QR
	for _, u := range smallModels(t) {
		k := u.Nodes()
		data := encoded(t, u)
		words := len(data) / 8
		type broken struct {
			name  string
			value *float64
			to    float64
			word  int
		}
		var all []broken
		switch s := driverOf(u).state.(type) {
		case *ridge.State:
			all = []broken{{"the bound on Q", &s.Most, dense.LargestOf(s.Q.RawSymPacked().Data) / 3, words - 2}, {"the bound on W", &s.MostW, dense.LargestOf(s.W.RawMatrix().Data) / 3, words - 1}}
		case *cholesky.State:
			all = []broken{{"the bound on F", &s.Most, dense.LargestOf(s.L.RawMatrix().Data) / 3, words - 2}, {"the bound on W", &s.MostW, dense.LargestOf(s.W.RawMatrix().Data) / 3, words - 1}}
		case *qr.State:
			all = []broken{{"R", &s.R.RawMatrix().Data[0], 4 * qr.LargestColumn, state}, {"z", &s.Z.RawMatrix().Data[0], 4 * qr.LargestColumn, state + k*(k+1)/2}}
		}
		for _, b := range all {
			if got := math.Float64frombits(binary.LittleEndian.Uint64(data[8*b.word:])); got != *b.value {
				t.Fatalf("%v: word %d is not %s", u.Method(), b.word, b.name)
			}
			altered := bytes.Clone(data)
			binary.LittleEndian.PutUint64(altered[8*b.word:], math.Float64bits(b.to))
			var format *FormatError
			if _, err := Decode(bytes.NewReader(altered), nil); !errors.As(err, &format) {
				t.Errorf("%v, %s: read: %v", u.Method(), b.name, err)
			}
			old := *b.value
			*b.value = b.to
			var state *StateError
			if err := Encode(io.Discard, u); !errors.As(err, &state) {
				t.Errorf("%v, %s: written: %v", u.Method(), b.name, err)
			}
			*b.value = old
		}
		d := driverOf(u)
		d.samples = -1
		var state *StateError
		if err := Encode(io.Discard, u); !errors.As(err, &state) {
			t.Errorf("%v: -1 samples: %v", u.Method(), err)
		}
	}
}

// TestIndefinite: a Q that rounding has left with a negative trace is a matter of the condition of the
// data.
func TestIndefinite(t *testing.T) {
	for _, u := range smallModels(t) {
		if s, ok := driverOf(u).state.(*ridge.State); ok {
			s.Noted = -1
			var condition *ConditionError
			if err := Encode(io.Discard, u); !errors.As(err, &condition) || errors.Is(err, ErrOverflow) {
				t.Errorf("%v", err)
			}
		}
	}
}

package scaleout

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// smallState returns a state of 3 nodes and 2 targets, small enough for a fuzzer.
func smallState(t testing.TB, method blsupdate.Method, lambda float64) *State {
	t.Helper()
	a := mat.NewDense(4, 3, []float64{1, 2, 3, 0, 1, 4, 5, 6, 0, 1, 1, 1})
	y := mat.NewDense(4, 2, []float64{1, -1, -1, 1, 1, -1, 1, -1})
	u, err := blsupdate.New(method, a, y, blsupdate.Options{Lambda: lambda})
	testutil.NoError(t, err)
	return &State{updater: u}
}

// TestStateCoder encodes and decodes states, including the empty state, with the coder that Beam finds.
func TestStateCoder(t *testing.T) {
	encode, decode := beam.NewElementEncoder(reflect.TypeFor[*State]()), beam.NewElementDecoder(reflect.TypeFor[*State]())
	for name, want := range map[string]*State{"nothing": {}, "gram": smallState(t, blsupdate.Gram, 0), "qr": smallState(t, blsupdate.QR, 0)} {
		var b bytes.Buffer
		testutil.NoError(t, encode.Encode(want, &b))
		v, err := decode.Decode(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := v.(*State)
		if !bytes.Equal(encoded(t, got), encoded(t, want)) {
			t.Errorf("%s: the decoded state differs", name)
		}
	}
	if in := encoded(t, nil); len(in) != 0 {
		t.Errorf("a nil state is encoded in %d bytes", len(in))
	}
}

func TestStateDamaged(t *testing.T) {
	whole := encoded(t, smallState(t, blsupdate.Gram, 0))
	for _, damaged := range [][]byte{whole[:len(whole)-1], append(bytes.Clone(whole), 0)} {
		if _, err := decodeState(damaged); err == nil {
			t.Errorf("decoded %d bytes of a state of %d bytes; want an error", len(damaged), len(whole))
		}
	}
	if _, err := decodeState([]byte("\x08[\"a\"]")); err == nil || !strings.Contains(err.Error(), "the labels of a state") {
		t.Error(err)
	}
	for text, s := range map[string]*State{"its lambda is": smallState(t, blsupdate.Gram, 1), "its method is": smallState(t, blsupdate.RidgeInverse, 0)} {
		if _, err := decodeState(encoded(t, s)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzState decodes any bytes: a decoded state survives another encoding and decoding.
func FuzzState(f *testing.F) {
	f.Add([]byte{})
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		in := encoded(f, smallState(f, method, 0))
		f.Add(in)
		f.Add(in[:len(in)-8])
	}
	f.Add(encoded(f, smallState(f, blsupdate.Gram, 1)))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := decodeState(in)
		if err != nil {
			return
		}
		out := encoded(t, s)
		again, err := decodeState(out)
		if err != nil || !bytes.Equal(out, encoded(t, again)) {
			t.Fatalf("a second decoding gives another state (%v)", err)
		}
	})
}

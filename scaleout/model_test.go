package scaleout

import (
	"bytes"
	"reflect"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// smallModel returns a model of one input.
func smallModel(t testing.TB) Model {
	t.Helper()
	r := &bls.Regressor{
		Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 1},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 1},
	}
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	testutil.NoError(t, r.Fit(x, x))
	m, err := newModel(&modelfile.File{Regressor: r})
	testutil.NoError(t, err)
	return m
}

func TestModelCoder(t *testing.T) {
	want := smallModel(t)
	var b bytes.Buffer
	testutil.NoError(t, beam.NewElementEncoder(reflect.TypeFor[Model]()).Encode(want, &b))
	v, err := beam.NewElementDecoder(reflect.TypeFor[Model]()).Decode(&b)
	testutil.NoError(t, err)
	if !bytes.Equal(v.(Model).file, want.file) {
		t.Error("decoded it is another file")
	}
	if _, err := encodeModel(Model{}); err == nil {
		t.Error("no model is encoded")
	}
	if _, err := (Model{}).File(nil); err == nil {
		t.Error("no model has a file")
	}
}

// TestModelDamaged cuts a file, adds to it, and changes each of its bytes.
func TestModelDamaged(t *testing.T) {
	whole := smallModel(t).file
	for n := range len(whole) {
		if _, err := decodeModel(whole[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are decoded", n, len(whole))
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 4
		if _, err := decodeModel(changed); err == nil {
			t.Errorf("byte %d is another, and the file is decoded", n)
		}
	}
	if _, err := decodeModel(append(bytes.Clone(whole), 0)); err == nil {
		t.Error("a byte more is decoded")
	}
}

// FuzzModel decodes any bytes: a decoded model has the same bytes, and File reads it or fails.
func FuzzModel(f *testing.F) {
	whole := smallModel(f).file
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := decodeModel(in)
		if err != nil {
			return
		}
		if !bytes.Equal(m.file, in) {
			t.Fatal("it is decoded to other bytes")
		}
		if file, err := m.File(nil); err == nil && file.Classifier == nil && file.Regressor == nil {
			t.Fatal("it is read as no model")
		}
	})
}

package scaleout

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// testBatches returns the batches that the tests of the coder encode.
func testBatches() map[string]Batch {
	wide := mat.NewDense(3, 5, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	return map[string]Batch{
		"one":       {X: mat.NewDense(1, 1, []float64{math.Pi}), Labels: []string{"a"}},
		"labels":    {X: mat.NewDense(3, 2, []float64{1, math.Copysign(0, -1), 3, math.MaxFloat64, 5e-324, 6}), Labels: []string{"b", "", "b"}, Shard: "gs://x/y.npy", First: 1 << 40},
		"targets":   {X: mat.NewDense(2, 1, []float64{1, 2}), Y: mat.NewDense(2, 2, []float64{3, 4, 5, 6}), Shard: "é", First: 7},
		"strided":   {X: wide.Slice(0, 3, 1, 3).(*mat.Dense), Y: wide.Slice(0, 3, 4, 5).(*mat.Dense)},
		"no number": {X: mat.NewDense(2, 2, []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0}), Labels: []string{"x", "y"}},
	}
}

// sameMatrix reports whether two matrices have the same bits.
func sameMatrix(a, b *mat.Dense) bool {
	if a == nil || b == nil {
		return a == b
	}
	rows, cols := a.Dims()
	if r, c := b.Dims(); r != rows || c != cols {
		return false
	}
	for i := range rows {
		for j := range cols {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// TestBatchCoder encodes and decodes by the coder that Beam finds.
func TestBatchCoder(t *testing.T) {
	encode, decode := beam.NewElementEncoder(reflect.TypeFor[Batch]()), beam.NewElementDecoder(reflect.TypeFor[Batch]())
	for name, want := range testBatches() {
		var b bytes.Buffer
		if err := encode.Encode(want, &b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v, err := decode.Decode(&b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := v.(Batch)
		if !sameMatrix(got.X, want.X) || !sameMatrix(got.Y, want.Y) || !reflect.DeepEqual(got.Labels, want.Labels) || got.Shard != want.Shard || got.First != want.First {
			t.Errorf("%s: decoded %+v", name, got)
		}
	}
}

// TestBatchDamaged cuts encodings, extends them, and changes the sizes of a matrix.
func TestBatchDamaged(t *testing.T) {
	for name, batch := range testBatches() {
		whole, err := encodeBatch(batch)
		testutil.NoError(t, err)
		for n := range len(whole) {
			if _, err := decodeBatch(whole[:n]); err == nil {
				t.Errorf("%s: the first %d bytes of %d are decoded", name, n, len(whole))
			}
		}
		if _, err := decodeBatch(append(bytes.Clone(whole), 0)); err == nil {
			t.Errorf("%s: a byte more is decoded", name)
		}
	}
	// Sizes whose product wraps to the number of elements.
	one, err := encodeBatch(testBatches()["one"])
	testutil.NoError(t, err)
	sizes := func(rows, cols uint64) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rows), cols)
	}
	for _, wrong := range [][]byte{sizes(7, 7905747460161236407), sizes(1<<63, 1), sizes(2, 1), sizes(0, 1)} {
		damaged := bytes.Replace(one, sizes(1, 1), wrong, 1)
		if b, err := decodeBatch(damaged); err == nil || !strings.HasPrefix(err.Error(), "scaleout: decoding a batch: ") {
			t.Errorf("sizes %x: %+v, %v", wrong, b, err)
		}
	}
}

// TestBatchRefused encodes invalid batches.
func TestBatchRefused(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, 2})
	for name, b := range map[string]Batch{
		"nothing":              {},
		"neither":              {X: x},
		"both":                 {X: x, Y: x, Labels: []string{"a", "b"}},
		"labels too few":       {X: x, Labels: []string{"a"}},
		"targets too many":     {X: x, Y: mat.NewDense(3, 1, nil)},
		"no samples":           {X: &mat.Dense{}, Labels: []string{}},
		"targets of no column": {X: x, Y: &mat.Dense{}},
	} {
		if _, err := encodeBatch(b); err == nil {
			t.Errorf("%s is encoded", name)
		}
	}
}

// FuzzBatch decodes any bytes: a decoded batch survives encoding and decoding.
func FuzzBatch(f *testing.F) {
	for _, b := range testBatches() {
		in, err := encodeBatch(b)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(in)
		f.Add(in[:len(in)-1])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := decodeBatch(in)
		if err != nil {
			return
		}
		out, err := encodeBatch(b)
		if err != nil {
			t.Fatalf("what was decoded cannot be encoded: %v", err)
		}
		again, err := decodeBatch(out)
		if err != nil || !sameMatrix(again.X, b.X) || !sameMatrix(again.Y, b.Y) || !reflect.DeepEqual(again.Labels, b.Labels) {
			t.Fatalf("decoded again it is %+v, %v", again, err)
		}
	})
}

package bls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// FuzzDecode decodes any bytes as a model of either kind. The result is a *FormatError that names one
// of the bytes, or a model that predicts and is encoded as it was read.
func FuzzDecode(f *testing.F) {
	words := []uint64{0, 1, 2, 3, math.MaxInt32, math.MaxInt64, math.MaxUint64,
		math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1)), math.Float64bits(-1)}
	for _, b := range smallModels(f) {
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add(b[:len(b)-1])
		for at := 0; at+8 <= len(b); at += 8 {
			was := binary.LittleEndian.Uint64(b[at:])
			for i, word := range append(words, was+1, was^1<<63) {
				if i == at/8%12 || testutil.Long() {
					f.Add(slices.Concat(b[:at], binary.LittleEndian.AppendUint64(nil, word), b[at+8:]))
				}
			}
		}
	}
	f.Add([]byte{})
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxUint64))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, decode := range []func() error{
			func() error { _, err := DecodeClassifier(bytes.NewReader(b), nil); return err },
			func() error { _, err := DecodeRegressor(bytes.NewReader(b), nil); return err },
		} {
			checkDecode(t, b, decode)
		}
		again, err := decodeAny(b)
		if err != nil || bytes.HasPrefix(b, again) {
			return
		}
		// Encode solves for weights that b lacks, by the byte that says whether they follow.
		same := 0
		for same < min(len(b), len(again)) && b[same] == again[same] {
			same++
		}
		twice, err := decodeAny(again)
		if same == len(b) || b[same] != 0 || again[same] != 1 || err != nil || !bytes.Equal(twice, again) {
			t.Error("a model is encoded as something else than it was read from")
		}
	})
}

// smallModels returns encodings of a small classifier and a small regressor for each method.
func smallModels(t testing.TB) map[string][]byte {
	t.Helper()
	x := samples(74, 20, 2, 2)
	labels := cyclic(20, 2)
	all := map[string][]byte{}
	for _, method := range allMethods {
		features := FeatureOptions{Scaling: ScaleColumns, Groups: 1, GroupNodes: 2, EnhancementNodes: 1, Seed: 5}
		c := &Classifier{Features: plain(features), Method: method, Update: blsupdate.Options{Lambda: 0.5}, Classes: 2}
		r := &Regressor{Features: plain(features), Method: method, Update: blsupdate.Options{Lambda: 0.5}}
		var b1, b2 bytes.Buffer
		for _, err := range []error{c.Fit(x, labels), r.Fit(x, firstColumn(x)), c.Calibrate(x, labels), r.Calibrate(x, firstColumn(x)), c.Encode(&b1), r.Encode(&b2)} {
			must(t, err)
		}
		all["classifier by "+method.String()] = b1.Bytes()
		all["regressor by "+method.String()] = b2.Bytes()
	}
	return all
}

// decodeAny decodes b as either kind of model and returns the encoding of the result. The decoded model
// predicts, which may be an error but must not panic.
func decodeAny(b []byte) (again []byte, err error) {
	var out bytes.Buffer
	if c, err := DecodeClassifier(bytes.NewReader(b), nil); err == nil {
		_, _ = c.Predict(mat.NewDense(1, c.FittedFeatures().Inputs(), nil))
		err := c.Encode(&out)
		return out.Bytes(), err
	}
	r, err := DecodeRegressor(bytes.NewReader(b), nil)
	if err != nil {
		return nil, err
	}
	_, _ = r.Predict(mat.NewDense(1, r.FittedFeatures().Inputs(), nil))
	err = r.Encode(&out)
	return out.Bytes(), err
}

// FuzzDecodeFeatures does the same for feature maps alone, which compute the nodes of a sample.
func FuzzDecodeFeatures(f *testing.F) {
	x := samples(76, 20, 2, 2)
	for _, opt := range []FeatureOptions{
		{Groups: 1, GroupNodes: 2, EnhancementNodes: 1}, {Scaling: ScaleColumns, Groups: 2, GroupNodes: 1, EnhancementNodes: 3, Enhancement: Uniform},
		{Scaling: ScaleNone, Groups: 1, GroupNodes: 1}, {Scaling: ScaleRanks, Groups: 1, GroupNodes: 1}, {Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Unscaled: true},
	} {
		features, err := FitFeatures(x, opt)
		testutil.NoError(f, err)
		var b bytes.Buffer
		testutil.NoError(f, features.Encode(&b))
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:b.Len()/2])
		for word := range 9 {
			claim := bytes.Clone(b.Bytes())
			binary.LittleEndian.PutUint64(claim[8*word:], math.MaxInt32)
			f.Add(claim)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var features *Features
		checkDecode(t, b, func() (err error) { features, err = DecodeFeatures(bytes.NewReader(b), nil); return err })
		if features == nil {
			return
		}
		var out bytes.Buffer
		if err := features.Encode(&out); err != nil || !bytes.HasPrefix(b, out.Bytes()) {
			t.Errorf("%x becomes %x, %v", b, out.Bytes(), err)
		}
		if features.Inputs() <= 1000 && features.Nodes() <= 1000 {
			// An error if numbers overflow, and no panic.
			_, _ = features.Transform(samples(77, 2, features.Inputs(), features.Inputs()))
		}
	})
}

// checkDecode calls decode, which reads b. It checks that an error names a byte of b, and that the
// length of b bounds the allocations: slices that double, less than four times what is read (again for
// the whole matrix of a triangle); the buffers of two readers, 64 KiB; and the backend.
func checkDecode(t *testing.T, b []byte, decode func() error) {
	t.Helper()
	faults.Bounded(t, len(b), 12, 1<<18, func() {
		err := decode()
		var format *FormatError
		if err != nil && (!errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(len(b)) || len(err.Error()) > 500) {
			t.Errorf("error %.300v", err)
		}
	})
}

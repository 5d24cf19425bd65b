package bls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// FuzzDecode decodes any bytes as a model of either kind: there is a *FormatError that names a byte of
// them, or a model that predicts and is encoded as it was read.
func FuzzDecode(f *testing.F) {
	for _, b := range smallModels(f) {
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add(b[:len(b)-1])
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
		if err == nil && isOld(b) { // written in the version of today
			b = again
			again, err = decodeAny(b)
		}
		if err == nil && !bytes.Equal(again, b) {
			t.Error("a model is encoded as something else than it was read from")
		}
	})
}

// isOld reports whether b is a model of version 1.
func isOld(b []byte) bool {
	return bytes.HasPrefix(b[8:], []byte(kindClassifier1)) || bytes.HasPrefix(b[8:], []byte(kindRegressor1))
}

// FuzzDecodeFeatures does the same with feature maps alone, which compute features of a sample.
func FuzzDecodeFeatures(f *testing.F) {
	x := samples(76, 20, 2, 2)
	for _, opt := range []FeatureOptions{
		{Groups: 1, GroupNodes: 2, EnhancementNodes: 1}, {Scaling: ScaleColumns, Groups: 2, GroupNodes: 1, EnhancementNodes: 3, Enhancement: Uniform},
		{Scaling: ScaleNone, Groups: 1, GroupNodes: 1}, {Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Unscaled: true},
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
		if err := features.Encode(&out); err != nil || !bytes.Equal(out.Bytes(), b) {
			t.Errorf("%x becomes %x, %v", b, out.Bytes(), err)
		}
		if features.Inputs() <= 1000 && features.Nodes() <= 1000 {
			// An error if numbers overflow, and no panic.
			_, _ = features.Transform(samples(77, 2, features.Inputs(), features.Inputs()))
		}
	})
}

// checkDecode calls decode, which reads b, and checks that its error, if there is one, names a byte of
// b, and that no more is allocated than follows from b: slices that double, less than four times what
// is read, which those of triangles are anew for all of the matrix; and the buffers of two readers, of
// 64 KiB, and of the backend.
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

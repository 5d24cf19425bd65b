package golden_test

import (
	"bytes"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"
)

// shard learns one of two shards of drawn digits and returns the encoded output layer.
func shard(t testing.TB, b blskernel.Backend, m blsupdate.Method, rows, which int) []byte {
	digits := dataset.Digits(2*rows, 9)
	f, err := bls.FitFeatures(digits.Dense(0, min(rows, 500)), bls.FeatureOptions{EnhancementNodes: 100, Groups: 5, Seed: 2, Backend: b})
	testutil.NoError(t, err)
	a, err := f.Transform(digits.Dense(which*rows, (which+1)*rows))
	testutil.NoError(t, err)
	y, err := bls.OneHot(digits.LabelsInt(which*rows, (which+1)*rows), digits.Classes)
	testutil.NoError(t, err)
	u, err := blsupdate.New(m, a, y, blsupdate.Options{Lambda: 1e-3, Backend: b})
	testutil.NoError(t, err)
	var state bytes.Buffer
	testutil.NoError(t, blsupdate.Encode(&state, u))
	return state.Bytes()
}

// merged returns the encoded model of two shards.
func merged(t testing.TB, b blskernel.Backend, first, second []byte) []byte {
	u, err := blsupdate.Decode(bytes.NewReader(first), b)
	testutil.NoError(t, err)
	v, err := blsupdate.Decode(bytes.NewReader(second), b)
	testutil.NoError(t, err)
	testutil.NoError(t, u.Merge(v))
	var state bytes.Buffer
	testutil.NoError(t, blsupdate.Encode(&state, u))
	return state.Bytes()
}

// shardMethods can merge.
var shardMethods = []blsupdate.Method{blsupdate.Gram, blsupdate.QR}

// TestGoldenShards has the bits of shards, wherever they are learned, and of the model merged of them.
func TestGoldenShards(t *testing.T) {
	each(t, "shards", func(r recorder, b blskernel.Backend) {
		for _, m := range shardMethods {
			first, second := shard(r, b, m, 300, 0), shard(r, b, m, 300, 1)
			r.add(m.String()+" first", ruleUpdate, bytesOf(first))
			r.add(m.String()+" second", ruleUpdate, bytesOf(second))
			r.add(m.String()+" merged", ruleUpdate, bytesOf(merged(r, b, first, second)))
		}
	})
}

package golden_test

import (
	"bytes"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
)

// TestGoldenShards hashes the states of two shards of drawn digits, which any machine may learn, and
// the merged model, for the methods that can merge.
func TestGoldenShards(t *testing.T) {
	const rows = 300
	digits := dataset.Digits(2*rows, 9)
	each(t, "shards", func(r recorder, b blskernel.Backend) {
		opt := bls.FeatureOptions{EnhancementNodes: 100, Groups: 5, Seed: 2, Backend: b}
		f, err := bls.FitFeatures(digits.Dense(0, rows), opt)
		r.must(err)
		for _, m := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
			add := func(name string, u blsupdate.Updater) (state bytes.Buffer) {
				r.must(blsupdate.Encode(&state, u))
				r.add(m.String()+" "+name, ruleUpdate, bytesOf(state.Bytes()))
				return state
			}
			var shards [2]blsupdate.Updater
			for i, name := range []string{"first", "second"} {
				a, err := f.Transform(digits.Dense(i*rows, (i+1)*rows))
				r.must(err)
				y, err := bls.OneHot(digits.LabelsInt(i*rows, (i+1)*rows), digits.Classes)
				r.must(err)
				u, err := blsupdate.New(m, a, y, blsupdate.Options{Lambda: 1e-3, Backend: b})
				r.must(err)
				state := add(name, u)
				shards[i], err = blsupdate.Decode(&state, b)
				r.must(err)
			}
			r.must(shards[0].Merge(shards[1]))
			add("merged", shards[0])
		}
	})
}

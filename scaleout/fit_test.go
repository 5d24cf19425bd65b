package scaleout

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// reordered returns the shards in another order, with one pattern for each.
func (sh sharded) reordered(t testing.TB, order func(paths []string)) sharded {
	t.Helper()
	list := func(pattern []string) []string {
		paths, err := filepath.Glob(pattern[0])
		testutil.NoError(t, err)
		order(paths)
		return paths
	}
	return sharded{list(sh.patterns), list(sh.targets), sh.columns}
}

// TestFit fits to digits in shards of all formats, with several orders, batches and numbers of states.
// The files are local, or in a remote file system of Beam. The weights agree with a fit in one process
// up to the bound on rounding. The ridge is so large that adding it twice would show.
func TestFit(t *testing.T) {
	const lambda, remote = 20, "memfs://fit"
	model := sampleFile(t, modelfile.Metadata{})
	onMemfs := writeFile(t, remote, "sample.bls", readAll(t, model))
	all, folder := digits(), t.TempDir()
	a, y, err := sample().Expand(all.Dense(0, all.Len()), all.LabelsInt(0, all.Len()))
	testutil.NoError(t, err)
	idx, npy, csv := shards(t, folder, "idx", all, shardCount), shards(t, folder, "npy", all, shardCount), shards(t, folder, "csv", all, shardCount)
	emptyAmong := shards(t, t.TempDir(), "csv", all, 4)
	for _, name := range []string{"a.csv", "b.csv"} {
		emptyAmong.patterns = append(emptyAmong.patterns, writeFile(t, t.TempDir(), name, nil))
	}
	alternating := func(paths []string) { // the same order for samples and targets
		for i := 0; i+1 < len(paths); i += 2 {
			paths[i], paths[i+1] = paths[i+1], paths[i]
		}
	}
	const gram, qr = blsupdate.Gram, blsupdate.QR
	for name, test := range map[string]struct {
		shards sharded
		opt    Options
	}{
		"idx":             {idx, Options{Method: gram, Batch: 16}},
		"npy":             {npy, Options{Method: qr, Batch: 16, States: 4096}},
		"csv":             {csv, Options{Method: gram, Batch: 16, States: shardCount}},
		"one state":       {idx, Options{Method: qr, States: 1}},
		"backwards":       {npy.reordered(t, slices.Reverse[[]string]), Options{Method: gram}},
		"alternating":     {idx.reordered(t, alternating), Options{Method: qr, Batch: 7}},
		"rows":            {idx, Options{Method: gram, Batch: 1}},
		"one shard":       {shards(t, t.TempDir(), "idx", all, 1), Options{Method: qr}},
		"empty among":     {emptyAmong, Options{Method: qr}},
		"remote csv":      {shards(t, remote+"/csv", "csv.gz", all, 5), Options{Method: gram, SkipBad: 1, Model: onMemfs, Out: remote + "/a.bls"}},
		"remote idx":      {shards(t, remote+"/idx", "idx", all, 5), Options{Method: qr, Model: onMemfs, Out: remote + "/b.bls"}},
		"remote idx gzip": {shards(t, remote+"/gz", "idx.gz", all, 5), Options{Method: gram, SkipBad: 1, Model: onMemfs, Out: remote + "/c.bls"}},
	} {
		t.Run(name, func(t *testing.T) {
			opt := test.opt
			opt.Model, opt.Lambda, opt.Created = cmp.Or(opt.Model, model), lambda, created
			f, result := test.shards.fit(t, opt)
			want, limit := one(t, opt.Method, a, y, lambda)
			if twice, _ := one(t, opt.Method, a, y, 2*lambda); !(difference(weights(t, twice), weights(t, want)) > 1e6*limit) {
				t.Fatal("adding lambda twice makes no difference")
			}
			got := f.Classifier.Updater()
			checkWeights(t, name, got, want, limit)
			if got.Samples() != all.Len() || got.Lambda() != lambda || counter(result, MetricRows) != int64(all.Len()) || counter(result, MetricBad) != 0 {
				t.Errorf("%d samples of %d, and the ridge %v; the counters are %d and %d", got.Samples(), all.Len(), got.Lambda(),
					counter(result, MetricRows), counter(result, MetricBad))
			}
		})
	}
	emptyAmong.patterns = emptyAmong.patterns[1:]
	fails(t, func(s beam.Scope) { Fit(s, emptyAmong.patterns, nil, Options{Model: model, Out: folder + "/m.bls"}) },
		"no file has a usable sample (bad rows set aside: 0)")
}

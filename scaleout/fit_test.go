package scaleout

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// reordered returns the shards, one pattern for each, in another order.
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

// TestFit fits to digits in shards of all formats, in several orders, batches and numbers of states,
// in local files and in a remote file system of Beam. The weights are those of one process within the
// bound for the rounding, and the predictions are the same. The ridge is so large that a second
// addition of it would show.
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
				t.Fatal("lambda twice makes no difference")
			}
			got := f.Classifier.Updater()
			checkWeights(t, name, got, want, limit)
			if got.Samples() != all.Len() || got.Lambda() != lambda || counter(result, MetricRows) != int64(all.Len()) || counter(result, MetricBad) != 0 {
				t.Errorf("%d samples of %d, and the ridge %v; the counters are %d and %d", got.Samples(), all.Len(), got.Lambda(),
					counter(result, MetricRows), counter(result, MetricBad))
			}
			same, err := sample().WithUpdater(want)
			testutil.NoError(t, err)
			predicted, err := f.Classifier.Predict(all.Dense(0, all.Len()))
			testutil.NoError(t, err)
			if must, err := same.Predict(all.Dense(0, all.Len())); err != nil || !slices.Equal(predicted, must) {
				t.Errorf("the predictions are not those of one process (%v)", err)
			}
		})
	}
	emptyAmong.patterns = emptyAmong.patterns[1:]
	fails(t, func(s beam.Scope) { Fit(s, emptyAmong.patterns, nil, Options{Model: model, Out: folder + "/m.bls"}) },
		"no file has a usable sample; 0 bad rows were set aside")
}

// TestMNIST fits to MNIST in 60 shards, by both methods: the weights and the accuracy are those of one
// process that learns the same samples at once.
func TestMNIST(t *testing.T) {
	testutil.Slow(t)
	dir := os.Getenv("BLSKERNEL_MNIST")
	named := dir != ""
	train, test, err := dataset.LoadMNIST(cmp.Or(dir, filepath.Join("..", "..", "shared", "data", "mnist")))
	switch {
	case err != nil && !named && errors.Is(err, fs.ErrNotExist):
		t.Skipf("no MNIST files: set BLSKERNEL_MNIST to their folder (%v)", err)
	case err != nil:
		t.Fatal(err)
	}
	const first, lambda = 10000, 0x1p-30
	base := &bls.Classifier{
		Features: bls.FeatureOptions{Groups: 10, GroupNodes: 10, EnhancementNodes: 1900, Seed: 1},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: lambda}, Classes: 10,
	}
	testutil.NoError(t, base.Fit(train.Dense(0, first), train.LabelsInt(0, first)))
	model := saved(t, &modelfile.File{Classifier: base})
	sh := shards(t, t.TempDir(), "idx", train, 60)
	a, y, err := base.Expand(train.Dense(0, train.Len()), train.LabelsInt(0, train.Len()))
	testutil.NoError(t, err)
	u, err := blsupdate.New(blsupdate.QR, a, y, blsupdate.Options{Lambda: lambda})
	testutil.NoError(t, err)
	whole, err := base.WithUpdater(u)
	testutil.NoError(t, err)
	kappa := 1 / whole.Updater().Condition().RCond
	score := func(c *bls.Classifier) float64 {
		share, err := c.Score(test.Dense(0, test.Len()), test.LabelsInt(0, test.Len()))
		testutil.NoError(t, err)
		return 100 * share
	}
	want := score(whole)
	for _, method := range []blsupdate.Method{blsupdate.QR, blsupdate.Gram} {
		f, _ := sh.fit(t, Options{Model: model, Lambda: lambda, Method: method, Batch: 1000})
		got, limit := score(f.Classifier), bound(method, train.Len(), kappa)
		away := difference(weights(t, f.Classifier.Updater()), weights(t, whole.Updater()))
		t.Logf("%v: %.2f%%, one process %.2f%%; the weights differ by %.2g of at most %.2g (κ = %.2g)", method, got, want, away, limit, kappa)
		if !(away <= limit) || !(math.Abs(got-want) <= 0.02) || f.Classifier.Updater().Samples() != train.Len() {
			t.Errorf("%v: the model is another one", method)
		}
	}
}

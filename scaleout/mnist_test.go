package scaleout

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"
)

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
	sh := shards(t, "idx", train, 60)
	sh.options.Batch = 1000
	whole := single(t, blsupdate.QR, base, train, lambda)
	kappa := 1 / whole.Updater().Condition().RCond
	score := func(c *bls.Classifier) float64 {
		share, err := c.Score(test.Dense(0, test.Len()), test.LabelsInt(0, test.Len()))
		testutil.NoError(t, err)
		return 100 * share
	}
	want := score(whole)
	for _, method := range []blsupdate.Method{blsupdate.QR, blsupdate.Gram} {
		f, _ := sh.fit(t, method, Options{Model: model, Lambda: lambda})
		got, limit := score(f.Classifier), bound(method, train.Len(), kappa)
		away := difference(weights(t, f.Classifier.Updater()), weights(t, whole.Updater()))
		t.Logf("%v: %.2f%%, one process %.2f%%; the weights differ by %.2g of at most %.2g (κ = %.2g)", method, got, want, away, limit, kappa)
		if !(away <= limit) || !(math.Abs(got-want) <= 0.02) || f.Classifier.Updater().Samples() != train.Len() {
			t.Errorf("%v: the model is another one", method)
		}
	}
}

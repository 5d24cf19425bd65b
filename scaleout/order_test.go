package scaleout

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestOrder fits to one shard and to many, in several orders and in batches of 1, 7 and all rows. The
// weights are the same within the bound.
func TestOrder(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	a, _ := expanded(t, sample(), digits())
	kappa := condition(t, a, testLambda)
	many, one := shards(t, "idx", digits(), shardCount), shards(t, "idx", digits(), 1)
	paths, err := filepath.Glob(many.patterns[0])
	testutil.NoError(t, err)
	targets, err := filepath.Glob(many.targets[0])
	testutil.NoError(t, err)
	backwards, mixed := many, many
	backwards.patterns, backwards.targets = reordered(paths, targets, func(i int) int { return len(paths) - 1 - i })
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(paths))
	mixed.patterns, mixed.targets = reordered(paths, targets, func(i int) int { return order[i] })
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		want := weights(t, single(t, method, sample(), digits(), testLambda))
		limit := bound(method, digits().Len(), kappa)
		for name, test := range map[string]struct {
			shards sharded
			batch  int
		}{"backwards": {backwards, 16}, "mixed": {mixed, 7}, "rows": {many, 1}, "default": {many, 0}, "one shard": {one, 0}} {
			test.shards.options.Batch = test.batch
			f, _ := test.shards.fit(t, method, Options{Model: model, Lambda: testLambda})
			if d := difference(weights(t, f.Classifier), want); !(d <= limit) {
				t.Errorf("%v, %s: the weights differ by %.3g, and may by %.3g", method, name, d, limit)
			}
		}
	}
}

// reordered returns two lists in another order, the same for both.
func reordered(a, b []string, place func(i int) int) (x, y []string) {
	for i := range a {
		x, y = append(x, a[place(i)]), append(y, b[place(i)])
	}
	return slices.Clip(x), slices.Clip(y)
}

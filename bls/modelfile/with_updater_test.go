package modelfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"

	gonum "gonum.org/v1/gonum/mat"
)

// A model whose output layer is the sum of two, and not that of its own samples, is saved and loaded as
// any other: it predicts the same to the bit, has the options that it had, and goes on.
func TestSaveLoadWithUpdater(t *testing.T) {
	dir := t.TempDir()
	for _, name := range blskernel.Names() {
		bk, err := blskernel.Lookup(name)
		must(t, err)
		for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
			features := bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 2, GroupNodes: 2, EnhancementNodes: 9, Seed: 7}
			base := &bls.Classifier{Backend: bk, Features: features, Classes: 3}
			baseR := &bls.Regressor{Backend: bk, Features: features}
			x, labels, y := table(0, 30, 6)
			must(t, base.Fit(x, labels))
			must(t, baseR.Fit(x, y))
			var sum, sumR blsupdate.Updater
			add := func(sum *blsupdate.Updater, u blsupdate.Updater) {
				if *sum == nil {
					*sum = u
					return
				}
				must(t, (*sum).Merge(u))
			}
			for shard := range 2 {
				x, labels, y := table(100*shard, 100*shard+50, 6)
				a, ya, err := base.Expand(x, labels)
				must(t, err)
				u, err := blsupdate.New(method, a, ya, blsupdate.Options{Backend: bk})
				must(t, err)
				add(&sum, u)
				a, ya, err = baseR.Expand(x, y)
				must(t, err)
				u, err = blsupdate.New(method, a, ya, blsupdate.Options{Backend: bk})
				must(t, err)
				add(&sumR, u)
			}
			must(t, sum.SetLambda(1e-3))
			must(t, sumR.SetLambda(1e-3))
			c, err := base.WithUpdater(sum)
			must(t, err)
			r, err := baseR.WithUpdater(sumR)
			must(t, err)

			path := filepath.Join(dir, fmt.Sprintf("%s-%v.bls", name, method))
			must(t, Save(path, &File{Classifier: c}))
			kept, err := Load(path, bk)
			must(t, err)
			must(t, Save(path, &File{Regressor: r}))
			keptR, err := Load(path, bk)
			must(t, err)
			for _, opt := range []blsupdate.Options{kept.Classifier.Update, keptR.Regressor.Update} {
				if opt.Lambda != 1e-3 || kept.Classifier.Method != method || keptR.Regressor.Method != method {
					t.Errorf("%s, %v: by %v and %v, with %+v", name, method, kept.Classifier.Method, keptR.Regressor.Method, opt)
				}
			}
			same := func() {
				t.Helper()
				p, err := c.DecisionFunction(x)
				must(t, err)
				p2, err := kept.Classifier.DecisionFunction(x)
				must(t, err)
				q, err := r.Predict(x)
				must(t, err)
				q2, err := keptR.Regressor.Predict(x)
				must(t, err)
				if !gonum.Equal(p, p2) || !gonum.Equal(q, q2) {
					t.Errorf("%s, %v: other predictions", name, method)
				}
				if !bytes.Equal(written(t, &File{Classifier: c}), written(t, kept)) || !bytes.Equal(written(t, &File{Regressor: r}), written(t, keptR)) {
					t.Errorf("%s, %v: another model", name, method)
				}
			}
			same()
			for _, c := range []*bls.Classifier{c, kept.Classifier} {
				must(t, c.PartialFit(x, labels))
			}
			for _, r := range []*bls.Regressor{r, keptR.Regressor} {
				must(t, r.PartialFit(x, y))
			}
			same()
		}
	}
}

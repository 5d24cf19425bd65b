package scaleout

import (
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
)

// TestDigits fits to 60 shards in three formats by both methods. The weights are those of one process
// within the bound for the rounding, and the accuracy is the same.
func TestDigits(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	a, _ := expanded(t, sample(), digits())
	kappa := condition(t, a, testLambda)
	for _, format := range []string{"idx", "npy", "csv"} {
		sh := shards(t, format, digits(), shardCount)
		for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
			t.Run(format+"/"+method.String(), func(t *testing.T) {
				want := single(t, method, sample(), digits(), testLambda)
				f, result := sh.fit(t, method, Options{Model: model, Lambda: testLambda})
				got := f.Classifier
				limit := bound(method, digits().Len(), kappa)
				if d := difference(weights(t, got), weights(t, want)); !(d <= limit) {
					t.Errorf("the weights differ by %.3g, and may by %.3g (κ = %.3g)", d, limit, kappa)
				}
				if have, want := accuracy(t, got), accuracy(t, want); have != want {
					t.Errorf("the accuracy is %v, and that of one process %v", have, want)
				}
				if n := got.Updater().Samples(); n != digits().Len() {
					t.Errorf("the model has learned %d samples of %d", n, digits().Len())
				}
				if n := counter(result, MetricRows); n != int64(digits().Len()) {
					t.Errorf("the counter %s is %d of %d", MetricRows, n, digits().Len())
				}
				if n := counter(result, MetricBad); n != 0 {
					t.Errorf("the counter %s is %d", MetricBad, n)
				}
			})
		}
	}
}

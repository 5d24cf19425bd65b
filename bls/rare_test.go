package bls

import (
	"math/rand/v2"
	"testing"

	"blskernel/bls/metrics"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestBalancedFindsRare learns a class with 2% of the rows, which the unweighted model hardly finds.
func TestBalancedFindsRare(t *testing.T) {
	testutil.NeedsBackend(t, "pure")
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(l int) (*mat.Dense, []int) {
		x, labels := mat.NewDense(l, 4, nil), make([]int, l)
		for i := range labels {
			for j := range 4 {
				x.Set(i, j, r.NormFloat64())
			}
			if x.At(i, 0)*x.At(i, 1)+x.At(i, 2) > 3.1 {
				labels[i] = 1
			}
		}
		return x, labels
	}
	x, labels := draw(8000)
	test, known := draw(4000)
	recall := func(weight ClassWeight) float64 {
		c := Classifier{ClassWeight: weight, Features: FeatureOptions{EnhancementNodes: 150}}
		testutil.NoError(t, c.Fit(x, labels))
		if !c.Calibrated() {
			t.Error("not calibrated")
		}
		return metrics.Confuse(known, predicted(t, &c, test), 2, nil).Recall(1)
	}
	if plain, balanced := recall(Unweighted), recall(Balanced); !(balanced >= 0.95 && plain <= 0.85) {
		t.Errorf("recall %v, and %v balanced", plain, balanced)
	}
}

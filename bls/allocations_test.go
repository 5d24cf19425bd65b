package bls

import (
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestAllocations bounds the allocations of a prediction for one row, where they take a large part of
// the time.
func TestAllocations(t *testing.T) {
	testutil.NotUnderRace(t, "the detector drops workspaces from their pool")
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	rng := testutil.Rand(5)
	x, labels := testutil.Random(rng, 60, 10), make([]int, 60)
	for i := range labels {
		labels[i] = i % 2
	}
	c := &Classifier{Backend: pure, Features: FeatureOptions{EnhancementNodes: 20}, Method: blsupdate.Gram, Classes: 2}
	testutil.NoError(t, c.Fit(x, labels))
	one := testutil.Random(rng, 1, 10)
	_, err = c.Predict(one) // solves for the weights
	testutil.NoError(t, err)
	if got := testing.AllocsPerRun(50, func() { _, _ = c.Predict(one) }); !(got <= 28) {
		t.Errorf("%v allocations, want at most 28", got)
	}
}

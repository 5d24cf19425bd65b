package blsupdate

import (
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
)

// TestAllocations bounds the allocations of AddInputs for one row of a small model, where they take a
// large part of the time.
func TestAllocations(t *testing.T) {
	testutil.NotUnderRace(t, "the detector drops workspaces from their pool")
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	rng := testutil.Rand(11)
	a, y, ax, ya := testutil.Random(rng, 50, 10), testutil.Random(rng, 50, 2), testutil.Random(rng, 1, 10), testutil.Random(rng, 1, 2)
	for method, limit := range map[Method]float64{
		Gram: 18, QR: 28, InverseCholesky: 34, RidgeInverse: 65, Improved: 110, Original: 110,
	} {
		u, err := New(method, a, y, Options{Lambda: 1, Backend: pure})
		testutil.NoError(t, err)
		got := testing.AllocsPerRun(50, func() { testutil.NoError(t, u.AddInputs(ax, ya)) })
		if !(got <= limit) {
			t.Errorf("%v: %v allocations, want at most %v", method, got, limit)
		}
	}
}

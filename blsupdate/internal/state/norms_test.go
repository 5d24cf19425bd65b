package state

import (
	"slices"
	"testing"

	"blskernel/mat"
)

// TestRefitOfOldEncodings refits a Triangle from an encoding without Drift, Σ u a in ErrR and no Gain.
func TestRefitOfOldEncodings(t *testing.T) {
	old := NewNorms(1, 1, false)
	old.Triangle, old.A[0], old.Y[0], old.ErrR[0], old.Rest[0] = true, 10, 10, 1e-14, 1e9
	w := mat.NewDense(1, 1, []float64{1})
	refit := func(o Norms) []float64 {
		next := old.clone()
		next.Refit(o, Reach{Scaled: 1}, 0, w, []float64{1}, []float64{1})
		return next.ErrY
	}
	if got, want := refit(old), refit(old.clone()); !slices.Equal(got, want) || !(want[0] > 0) {
		t.Errorf("errors of %g, want %g", got, want)
	}
}

package bench

import (
	"testing"

	"blskernel/blsupdate"
)

// TestHostileOneClass trains on samples of one class, which every method then predicts.
func TestHostileOneClass(t *testing.T) {
	e := small(90, 20, 2)
	e.Variants = Variants(blsupdate.Methods()...)
	for _, set := range [][]uint8{e.Train.Labels, e.Test.Labels} {
		for i := range set {
			set[i] = 3
		}
	}
	for _, row := range collect(t, e) {
		for _, c := range row.Cells {
			if *c.Accuracy != 100 {
				t.Errorf("%s after %d samples: %v%% of one class", c.Method, row.Samples, *c.Accuracy)
			}
		}
	}
}

package bench

import (
	"math"
	"testing"

	"blskernel"
)

// TestHostileGrowth has the largest condition number that there may be, with ridges from the smallest number on: each
// method is within its bound, as far as that is below 1, and within the digits that it promises, or it refuses.
func TestHostileGrowth(t *testing.T) {
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		g := &Growth{
			Conditions: []float64{1, MostCondition}, Lambdas: []float64{0, 5e-324, 1e-300, 1e-30, 1}, Variants: GrowthVariants(),
			Nodes: 6, Samples: 30, Seeds: 2, Backend: b,
		}
		for _, p := range runGrowth(t, g) {
			switch {
			case p.Failed != "":
				if p.Condition == 1 || p.Lambda == 1 {
					t.Errorf("%s refuses condition %g with lambda %g: %s", p.Variant(), p.Condition, p.Lambda, p.Failed)
				}
			case !(p.Error <= p.Bound) && p.Bound < 1:
				t.Errorf("%s, condition %g, lambda %g: error %.2g, bound %.2g", p.Variant(), p.Condition, p.Lambda, p.Error, p.Bound)
			case p.Digits > 0 && !(p.Error <= math.Pow(10, -p.Digits)):
				t.Errorf("%s, condition %g, lambda %g: error %.2g, and %.1f digits are said to be right", p.Variant(), p.Condition, p.Lambda, p.Error, p.Digits)
			}
		}
	}
}

// TestHostileOneClass trains on samples of one class, which every method then predicts.
func TestHostileOneClass(t *testing.T) {
	e := small(90, 20, 2)
	e.Variants = GrowthVariants()
	for _, set := range [][]uint8{e.Train.Labels, e.Test.Labels} {
		for i := range set {
			set[i] = 3
		}
	}
	for _, rows := range collect(t, e) {
		for _, r := range rows {
			if r.Accuracy != 100 {
				t.Errorf("%s after %d samples: %v%% of one class", r.Variant, r.Samples, r.Accuracy)
			}
		}
	}
}

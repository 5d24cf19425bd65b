package qr

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
)

// TestLarfg checks that the elements of a reflection are x/d with d = alpha - beta, for a d whose
// reciprocal overflows or is subnormal.
func TestLarfg(t *testing.T) {
	bk, rng := factor.On(nil), testutil.Rand(92)
	for _, d := range []float64{0x1p-1074, 0x1.fp-1030, 0x1.7p-1023, 0x1.000001p1022, 0x1.9p1023, math.MaxFloat64} {
		for range 20 {
			x := make([]float64, 4)
			for i := range x {
				x[i] = d / 8 * (rng.Float64() + 0.5)
			}
			v, alpha := slices.Clone(x), d/4
			beta, _ := Larfg(bk, alpha, v)
			if by := math.Abs(alpha - beta); by == 0 || 0x1p-1022 <= by && by <= 0x1p1022 {
				continue
			}
			for i := range x {
				// If beta is subnormal, v is computed with a beta of more digits.
				off := math.Max(0x1p-51, 0x1p-1074/math.Abs(alpha-beta))
				if want := x[i] / (alpha - beta); !(math.Abs(v[i]-want) <= off*math.Abs(want)) {
					t.Errorf("alpha %v: element %v of the reflection, want %v", alpha, v[i], want)
				}
			}
		}
	}
}

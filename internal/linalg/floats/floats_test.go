package floats

import (
	"math"
	"testing"
)

// TestEveryPlace puts each kind of number at each place of slices of all lengths to 20.
func TestEveryPlace(t *testing.T) {
	for n := range 21 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Copysign(math.MaxFloat64, float64(i%2)-0.5)
		}
		if !Finite(x) || FirstNonFinite(x) != -1 {
			t.Errorf("n=%d: large numbers are taken for infinite", n)
		}
		for i := range x {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				saved := x[i]
				x[i] = v
				if n > i+1 {
					x[n-1] = math.NaN() // a later one
				}
				if Finite(x) || FirstNonFinite(x) != i {
					t.Errorf("n=%d: %v at %d: Finite is %v, FirstNonFinite %d", n, v, i, Finite(x), FirstNonFinite(x))
				}
				x[n-1] = 1
				x[i] = saved
			}
		}
	}
}

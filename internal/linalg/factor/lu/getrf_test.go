package lu

import (
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
)

// TestGetrfSingular checks that a zero column is found, whether or not threads have factored it ahead
// of its turn. On the pure backend, the completed factors do not depend on the number of threads.
func TestGetrfSingular(t *testing.T) {
	defer blskernel.SetThreads(0)
	const n = 250
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	for _, zero := range []int{-1, 5, 100, 150, 199, n - 1} {
		var want []float64
		var order []int
		for _, threads := range []int{1, 2, 3} {
			blskernel.SetThreads(threads)
			rng := testutil.Rand(73)
			a, swap := make([]float64, n*n), make([]int, n)
			for i := range a {
				if a[i] = rng.NormFloat64(); i%n == zero {
					a[i] = 0
				}
			}
			Getrf(factor.On(pure), GetrfBase, n, n, block.Dense(a, n), swap)
			bad := BadPivot(n, block.Dense(a, n))
			if zero < 0 && bad != nil || zero >= 0 && (bad == nil || bad.Index != zero || bad.Value != 0) {
				t.Errorf("threads=%d: pivot %v, want a zero at %d", threads, bad, zero)
			}
			if want == nil {
				want, order = a, swap
			}
			if !testmat.SameBits(a, want) || !slices.Equal(swap, order) {
				t.Errorf("threads=%d zero=%d: the factors are not those of one thread", threads, zero)
			}
		}
	}
}

package state

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/lapack"

	"gonum.org/v1/gonum/floats"
)

// TestSmallestEigenvalue compares with the smallest eigenvalue, and if it is far below the others the
// direction with its eigenvector, for I - aᵀa/‖a‖²(1-rest).
func TestSmallestEigenvalue(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		counter := cost.NewCounter(b)
		for _, n := range []int{1, 2, 7, 40} {
			for _, rest := range []float64{0.3, 1e-3, 1e-9} {
				for _, alternating := range []bool{false, true} {
					a := make([]float64, n)
					for i := range a {
						a[i] = 1 / math.Sqrt(float64(n))
						if alternating && i%2 == 1 {
							a[i] = -a[i]
						}
					}
					s := dense.IdentityPacked(n)
					for i := range n {
						for j := i; j < n; j++ {
							s.SetSym(i, j, s.At(i, j)-(1-rest)*a[i]*a[j])
						}
					}
					factor := &lapack.Cholesky{Backend: counter}
					testutil.NoError(t, factor.FactorizeInPlace(s))
					counter.Reset()
					got := SmallestEigenvalue(factor)
					if !(math.Abs(got-rest) <= 1e-2*rest) {
						t.Errorf("order %d, alternating %v: %g, want %g", n, alternating, got, rest)
					}
					if rest < 0.1 {
						if along := math.Abs(floats.Dot(SmallestDirection(factor), a)); !(along >= 0.99) {
							t.Errorf("order %d, rest %g: the direction has %g of the eigenvector", n, rest, along)
						}
					}
					if flops := counter.Flops(); flops != 0 {
						t.Errorf("%g flops are counted", flops)
					}
				}
			}
		}
	})
}

// TestRemovalLimit compares with RestLimit for κ or κ², up to where no digit of h is left.
func TestRemovalLimit(t *testing.T) {
	for _, tc := range []struct {
		rcond   float64
		power   int
		noise   float64 // of RestLimit; 0 where the removal is refused
		instead []types.Method
	}{
		{0.5, 1, 2, nil}, {0.5, 2, 4, nil}, {1e-6, 2, 1e12, nil}, {1e-15, 1, 1e15, nil},
		{1e-17, 1, 0, nil}, {0, 1, 0, nil}, {1e-9, 2, 0, []types.Method{types.QR}},
	} {
		got, err := RemovalLimit(tc.rcond, tc.power)
		var e *types.ConditionError
		switch {
		case tc.noise == 0:
			if !errors.As(err, &e) || !slices.Equal(e.Instead, tc.instead) {
				t.Errorf("%+v: %v, %v", tc, got, err)
			}
		case err != nil || !(math.Abs(got-RestLimit(tc.noise)) <= 1e-12*got):
			t.Errorf("%+v: %v, %v; want %v", tc, got, err, RestLimit(tc.noise))
		}
	}
}

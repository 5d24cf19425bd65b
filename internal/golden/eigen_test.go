package golden_test

import (
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/golden"
	"blskernel/lapack"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

func TestGoldenEigen(t *testing.T) {
	each(t, "eigen", func(r recorder, b blskernel.Backend) {
		impl := lapack.Implementation{Backend: b}
		for _, n := range orders {
			s := golden.Source(n)
			a, work := s.Vector(n*n), make([]float64, 4*n)
			values := make([]float64, 4*n)
			left, right, again := make([]float64, n*n), make([]float64, n*n), slices.Clone(a)
			if impl.Dgeev(gonumlapack.LeftEVCompute, gonumlapack.RightEVCompute, n, a, n, values[:n], values[n:2*n], left, n, right, n, work, len(work)) != 0 ||
				impl.Dgeev(gonumlapack.LeftEVNone, gonumlapack.RightEVNone, n, again, n, values[2*n:3*n], values[3*n:], nil, 1, nil, 1, work, len(work)) != 0 {
				r.Fatalf("n=%d: no convergence", n)
			}
			r.add(fmt.Sprintf("eigenvectors of a general matrix n=%d", n), ruleLapack, values[:2*n], left, right)
			r.add(fmt.Sprintf("eigenvalues of a general matrix n=%d", n), ruleLapack, values[2*n:])
		}
	})
}

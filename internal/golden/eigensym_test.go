package golden_test

import (
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/golden"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

func TestGoldenEigenSym(t *testing.T) {
	each(t, "eigensym", func(r recorder, b blskernel.Backend) {
		impl := lapack.Implementation{Backend: b}
		for _, n := range orders {
			s := golden.Source(n)
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				a, w, work := s.Vector(n*n), make([]float64, n), make([]float64, 3*n)
				z, values := slices.Clone(a), make([]float64, n)
				if !impl.Dsyev(gonumlapack.EVCompute, ul, n, z, n, w, work, len(work)) || !impl.Dsyev(gonumlapack.EVNone, ul, n, a, n, values, work, len(work)) {
					r.Fatalf("n=%d: no convergence", n)
				}
				r.add(fmt.Sprintf("eigenvectors %c n=%d", ul, n), ruleLapack, w, z)
				r.add(fmt.Sprintf("eigenvalues %c n=%d", ul, n), ruleLapack, values)
			}
		}
	})
}

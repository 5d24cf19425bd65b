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

func TestGoldenSVD(t *testing.T) {
	each(t, "svd", func(r recorder, b blskernel.Backend) {
		impl := lapack.Implementation{Backend: b}
		for _, n := range orders {
			s := golden.Source(n)
			for _, m := range []int{n, n + 3, 2*n + 40} {
				if m > 400 {
					continue // long in emulation
				}
				for _, shape := range [][2]int{{m, n}, {n, m}}[:1+min(m-n, 1)] {
					rows, cols := shape[0], shape[1]
					a := dense(&s, rows, cols).RawMatrix()
					u, vt, values := make([]float64, rows*n), make([]float64, n*cols), make([]float64, n)
					work := make([]float64, 3*n+m+5*n)
					if !impl.Dgesvd(gonumlapack.SVDStore, gonumlapack.SVDStore, rows, cols, a.Data, a.Stride, values, u, n, vt, cols, work, len(work)) {
						r.Fatalf("%dx%d: no convergence", rows, cols)
					}
					r.add(fmt.Sprintf("SVD %dx%d", rows, cols), ruleLapack, values, u, vt)
					a = dense(&s, rows, cols).RawMatrix()
					impl.Dgesvd(gonumlapack.SVDNone, gonumlapack.SVDNone, rows, cols, a.Data, a.Stride, values, nil, 1, nil, 1, work, len(work))
					r.add(fmt.Sprintf("singular values %dx%d", rows, cols), ruleLapack, values)
				}
			}
		}
	})
}

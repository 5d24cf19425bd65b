package golden_test

import (
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/eigen"
	"blskernel/internal/linalg/factor/eigensym"
	"blskernel/internal/linalg/factor/svd"
	"blskernel/internal/selftest"

	"gonum.org/v1/gonum/blas"
)

// These tests call the packages that lapack.Implementation calls above some order.

func TestGoldenEigenSym(t *testing.T) {
	each(t, "eigensym", func(r recorder, b blskernel.Backend) {
		bk := factor.On(b)
		for _, n := range orders {
			s := selftest.Source(n)
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				a, w := s.Vector(n*n), make([]float64, n)
				z, values := slices.Clone(a), make([]float64, n)
				if !eigensym.Syev(bk, ul, true, n, block.Dense(z, n), w) || !eigensym.Syev(bk, ul, false, n, block.Dense(a, n), values) {
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
		bk := factor.On(b)
		for _, n := range orders {
			s := selftest.Source(n)
			a := s.Vector(n * n)
			both, values := make([]complex128, n), make([]complex128, n)
			left, right, again := make([]float64, n*n), make([]float64, n*n), slices.Clone(a)
			var none block.Matrix
			if eigen.Geev(bk, false, n, block.Dense(a, n), both, true, block.Dense(left, n), true, block.Dense(right, n)) != 0 ||
				eigen.Geev(bk, false, n, block.Dense(again, n), values, false, none, false, none) != 0 {
				r.Fatalf("n=%d: no convergence", n)
			}
			r.add(fmt.Sprintf("eigenvectors of a general matrix n=%d", n), ruleLapack, parts(both), left, right)
			r.add(fmt.Sprintf("eigenvalues of a general matrix n=%d", n), ruleLapack, parts(values))
		}
	})
}

// parts returns the real parts of w, followed by the imaginary parts.
func parts(w []complex128) []float64 {
	x := make([]float64, 2*len(w))
	for i, v := range w {
		x[i], x[len(w)+i] = real(v), imag(v)
	}
	return x
}

func TestGoldenSVD(t *testing.T) {
	each(t, "svd", func(r recorder, b blskernel.Backend) {
		bk := factor.On(b)
		for _, n := range orders {
			s := selftest.Source(n)
			for _, m := range []int{n, n + 3, 2*n + 40} {
				if m > 400 {
					continue // this takes long in an emulator
				}
				for _, shape := range [][2]int{{m, n}, {n, m}}[:1+min(m-n, 1)] {
					rows, cols := shape[0], shape[1]
					a := dense(&s, rows, cols).RawMatrix()
					u, vt, values := make([]float64, rows*n), make([]float64, n*cols), make([]float64, n)
					left, right := svd.Vectors{Count: n, X: block.Dense(u, n)}, svd.Vectors{Count: n, X: block.Dense(vt, cols)}
					if !svd.Gesvd(bk, rows, cols, block.Dense(a.Data, a.Stride), values, left, right) {
						r.Fatalf("%dx%d: no convergence", rows, cols)
					}
					r.add(fmt.Sprintf("SVD %dx%d", rows, cols), ruleLapack, values, u, vt)
					a = dense(&s, rows, cols).RawMatrix()
					if !svd.Gesvd(bk, rows, cols, block.Dense(a.Data, a.Stride), values, svd.Vectors{}, svd.Vectors{}) {
						r.Fatalf("%dx%d: no convergence", rows, cols)
					}
					r.add(fmt.Sprintf("singular values %dx%d", rows, cols), ruleLapack, values)
				}
			}
		}
	})
}

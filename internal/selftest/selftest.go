// Package selftest provides inputs and hashes of results that are the same on every machine, and the
// self-test that 'blskernel info' prints.
package selftest

import (
	"fmt"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SelfTest returns a hash, 16 hexadecimal digits, of the results of products, reductions, a triangular
// solve, a factorization with a solve, and tanh. The products do not divide into whole tiles, and their
// sums run over more than one block. SelfTest takes a few milliseconds. On the pure backend the hash is
// the same on every 64-bit machine with fused multiply-adds; docs/reproducibility.md lists it.
func SelfTest(b blskernel.Backend) string {
	const m, n, k, order = 25, 33, 769, 200
	s := Source(22)
	x, y := s.Vector(m*k), s.Vector(n*k)
	var results [][]float64
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		lda, c := k, s.Vector(m*n)
		if tA == blas.Trans {
			lda = m
		}
		b.Dgemm(tA, blas.Trans, m, n, k, 1.3, x, lda, y, k, 0.7, c, n)
		results = append(results, c)
	}
	h := make([]float64, m*n)
	backend.Fused(b).DgemmTanh(blas.NoTrans, blas.Trans, m, n, k, 0.1, x, k, y, k, s.Vector(n), h, n)
	v := s.Vector(k)
	b.Dgemv(blas.NoTrans, m, k, 1.3, x, k, y, 1, 0.7, v, 1)
	results = append(results, h, v, []float64{b.Ddot(m*k, x, 1, y, 1), b.Dnrm2(m*k, x, 1), b.Dasum(m*k, x, 1)})

	t := s.Vector(order * order)
	for i := range t {
		t[i] /= 16
	}
	rhs := s.Vector(order * 9)
	b.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, order, 9, 1.3, t, order, rhs, 9)
	f, solution := lapack.LDLT{Backend: b}, mat.NewDense(order, 9, nil)
	err := f.Factorize(mat.NewSymPacked(order, s.Vector(order*(order+1)/2)))
	if err == nil {
		err = f.SolveTo(solution, mat.NewDense(order, 9, rhs))
	}
	if err != nil {
		panic(err) // the matrix is a constant, and far from singular
	}
	return fmt.Sprintf("%016x", Sum(append(results, rhs, solution.RawMatrix().Data)...))
}

//go:build cgo && linux && (amd64 || arm64)

package openblas

import "C" // so that Go skips this file, like open.go, if -tags cgo is set without a C compiler

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// openBLAS is netlib's binding to the C interface of the BLAS. Guarded panics on a size beyond 32 bits.
// This is usually a caller's bug, since a vector of 2³¹ elements takes 16 GiB. But a matrix of one
// row may have any leading dimension, and a vector of one element any increment.
type openBLAS struct {
	check.Guarded
	file string // name of the library
}

func (openBLAS) Name() string { return "openblas" }

// Dgemm does not read A and B if alpha = 0, as in the reference BLAS. The library multiplies small
// matrices even by alpha = 0, and a NaN in A or B would reach C. For alpha = 0, Dgemm therefore calls
// the library with k = 0, which computes C = beta*C.
func (o openBLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	switch {
	case alpha != 0:
		o.Guarded.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	case check.Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc):
		o.Guarded.Dgemm(blas.Trans, blas.NoTrans, m, n, 0, 0, nil, m, nil, n, beta, c, ldc)
	}
}

package lapack

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// libraryOrder is the order from which on the LAPACK of a backend that has one is as fast as what is
// made here of the backend's products: about 500 for OpenBLAS 0.3.21 on one thread, 300 on two.
const libraryOrder = 400

// library returns the backend's own LAPACK where it is to be used at order n.
func library(bk blskernel.Backend, n int) (blskernel.ColumnMajorLAPACK, bool) {
	if n < libraryOrder {
		return nil, false
	}
	return blskernel.ColumnMajor(bk)
}

// dpotrfLibrary is dpotrf by the backend's own LAPACK, for which rows are columns. It may not notice
// pivots that are not finite; those are then the first on the diagonal that it leaves behind.
func dpotrfLibrary(lib blskernel.ColumnMajorLAPACK, ul blas.Uplo, n int, a []float64, lda int) int {
	bad := lib.Dpotrf(otherTriangle(ul), n, a, lda) - 1
	end := n
	if bad >= 0 {
		end = bad
	}
	for i := range end {
		if !isFinite(a[i*lda+i]) {
			return i
		}
	}
	return bad
}

// otherTriangle returns the triangle that ul is in the transpose.
func otherTriangle(ul blas.Uplo) blas.Uplo {
	if ul == blas.Upper {
		return blas.Lower
	}
	return blas.Upper
}

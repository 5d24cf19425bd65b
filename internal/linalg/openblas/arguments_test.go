package openblas_test

import (
	"math"
	"testing"

	"blskernel/internal/linalg/check"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// TestLAPACKSizes gives each routine that lapack calls a size beyond 32 bits in each place.
func TestLAPACKSizes(t *testing.T) {
	l := needLAPACK(t)
	huge := math.MaxInt32
	huge++ // and not a constant, which would not compile where int has 32 bits
	a, ipiv := []float64{1}, []int32{1}
	for _, call := range []func(m, n, lda int){
		func(_, n, lda int) { l.Dpotri(blas.Upper, n, a, lda) },
		func(m, n, lda int) { l.Dgetrf(m, n, a, lda, ipiv) },
		func(_, n, lda int) { l.Dgetri(n, a, lda, ipiv, a) },
	} {
		call(1, 1, 1)
		testutil.MustPanic(t, check.TooLarge, func() { call(1, huge, 1) })
		testutil.MustPanic(t, check.TooLarge, func() { call(1, 1, huge) })
	}
	testutil.MustPanic(t, check.TooLarge, func() { l.Dgetrf(huge, 1, a, huge, ipiv) })
}

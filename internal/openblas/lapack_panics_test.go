package openblas_test

import (
	"math"
	"testing"

	"blskernel/internal/check"
	"blskernel/internal/testutil"
)

// TestLAPACKPanics gives each routine arguments that are right, empty, and wrong in one place.
func TestLAPACKPanics(t *testing.T) {
	l := needLAPACK(t)
	const (
		shortIpiv = "lapack: insufficient length of ipiv"
		shortWork = "lapack: insufficient length of work"
		nrhsLT0   = "lapack: nrhs < 0"
		over32    = "lapack: a size is beyond 32-bit integers"

		badJob     = "lapack: illegal job"
		badLeft    = "lapack: bad leading dimension of left vectors"
		badRight   = "lapack: bad leading dimension of right vectors"
		shortLeft  = "lapack: insufficient length of left vectors"
		shortRight = "lapack: insufficient length of right vectors"
		shortTau   = "lapack: insufficient length of tau"
		shortValue = "lapack: insufficient length of values"
		shortIWork = "lapack: insufficient length of iwork"
	)
	huge := math.MaxInt32
	huge++ // and not a constant, which would not compile where int has 32 bits
	x, b, ipiv := make([]float64, 9), make([]float64, 9), []int32{1, 2, 3}
	work, iwork := make([]float64, 67*68), make([]int32, 24)
	for k := range 3 {
		x[4*k], x[k] = 1, 1
	}
	for _, test := range []struct {
		want any
		name string
		call func()
	}{
		{nil, "Dpotrf, empty", func() { l.Dpotrf('U', 0, nil, 1) }},
		{check.BadUplo, "Dpotrf", func() { l.Dpotrf('x', 3, x, 3) }},
		{check.NLT0, "Dpotrf", func() { l.Dpotrf('U', -1, x, 3) }},
		{check.BadLdA, "Dpotrf", func() { l.Dpotrf('U', 3, x, 2) }},
		{check.BadLdA, "Dpotrf", func() { l.Dpotrf('U', 0, x, 0) }},
		{check.ShortA, "Dpotrf", func() { l.Dpotrf('U', 3, x[:8], 3) }},
		{over32, "Dpotrf", func() { l.Dpotrf('U', 3, x, huge) }},
		{over32, "Dpotrf", func() { l.Dpotrf('U', huge, x, huge) }},
		{nil, "Dpotri, empty", func() { l.Dpotri('L', 0, nil, 1) }},
		{check.BadUplo, "Dpotri", func() { l.Dpotri(0, 3, x, 3) }},
		{check.ShortA, "Dpotri", func() { l.Dpotri('U', 3, x, 4) }},
		{nil, "Dgetrf, empty", func() { l.Dgetrf(3, 0, nil, 3, nil) }},
		{nil, "Dgetrf, empty", func() { l.Dgetrf(0, 3, nil, 1, nil) }},
		{check.MLT0, "Dgetrf", func() { l.Dgetrf(-1, 3, x, 3, ipiv) }},
		{check.NLT0, "Dgetrf", func() { l.Dgetrf(3, -1, x, 3, ipiv) }},
		{check.BadLdA, "Dgetrf", func() { l.Dgetrf(3, 2, x, 2, ipiv) }},
		{check.ShortA, "Dgetrf", func() { l.Dgetrf(2, 4, x[:7], 2, ipiv) }},
		{shortIpiv, "Dgetrf", func() { l.Dgetrf(3, 2, x, 3, ipiv[:1]) }},
		{over32, "Dgetrf", func() { l.Dgetrf(3, huge, x, 3, ipiv) }},
		{nil, "Dgetri, empty", func() { l.Dgetri(0, nil, 1, nil, nil) }},
		{check.ShortA, "Dgetri", func() { l.Dgetri(3, x[:8], 3, ipiv, work) }},
		{shortIpiv, "Dgetri", func() { l.Dgetri(3, x, 3, ipiv[:2], work) }},
		{shortWork, "Dgetri", func() { l.Dgetri(3, x, 3, ipiv, work[:2]) }},
		{nil, "Dgetrs, empty", func() { l.Dgetrs('N', 0, 3, nil, 1, nil, nil, 1) }},
		{nil, "Dgetrs, empty", func() { l.Dgetrs('N', 3, 0, x, 3, ipiv, nil, 3) }},
		{check.BadTranspose, "Dgetrs", func() { l.Dgetrs('x', 3, 3, x, 3, ipiv, b, 3) }},
		{nrhsLT0, "Dgetrs", func() { l.Dgetrs('N', 3, -1, x, 3, ipiv, b, 3) }},
		{check.BadLdB, "Dgetrs", func() { l.Dgetrs('N', 3, 3, x, 3, ipiv, b, 2) }},
		{check.ShortB, "Dgetrs", func() { l.Dgetrs('N', 3, 3, x, 3, ipiv, b[:8], 3) }},
		{shortIpiv, "Dgetrs", func() { l.Dgetrs('N', 3, 3, x, 3, ipiv[:2], b, 3) }},
		{over32, "Dgetrs", func() { l.Dgetrs('N', 3, huge, x, 3, ipiv, b, 3) }},
		{over32, "Dgetrs", func() { l.Dgetrs('N', 3, 3, x, 3, ipiv, b, huge) }},
		{nil, "Dsptrf, empty", func() { l.Dsptrf('U', 0, nil, nil) }},
		{check.BadUplo, "Dsptrf", func() { l.Dsptrf('x', 3, x, ipiv) }},
		{check.NLT0, "Dsptrf", func() { l.Dsptrf('U', -1, x, ipiv) }},
		{check.ShortAP, "Dsptrf", func() { l.Dsptrf('U', 3, x[:5], ipiv) }},
		{shortIpiv, "Dsptrf", func() { l.Dsptrf('U', 3, x, ipiv[:2]) }},
		{over32, "Dsptrf", func() { l.Dsptrf('U', 46341, x, ipiv) }},
		{check.ShortAP, "Dsptrf", func() { l.Dsptrf('U', 46340, x, ipiv) }},
		{nil, "Dsptri, empty", func() { l.Dsptri('U', 0, nil, nil, nil) }},
		{check.ShortAP, "Dsptri", func() { l.Dsptri('U', 3, x[:5], ipiv, work) }},
		{shortIpiv, "Dsptri", func() { l.Dsptri('U', 3, x, ipiv[:2], work) }},
		{shortWork, "Dsptri", func() { l.Dsptri('U', 3, x, ipiv, work[:2]) }},
		{nil, "Dsytrf, empty", func() { l.Dsytrf('U', 0, nil, 1, nil, nil) }},
		{check.ShortA, "Dsytrf", func() { l.Dsytrf('U', 3, x[:8], 3, ipiv, work) }},
		{shortIpiv, "Dsytrf", func() { l.Dsytrf('U', 3, x, 3, ipiv[:2], work) }},
		{shortWork, "Dsytrf", func() { l.Dsytrf('U', 3, x, 3, ipiv, nil) }},
		{nil, "Dsytri2, empty", func() { l.Dsytri2('U', 0, nil, 1, nil, nil) }},
		{check.ShortA, "Dsytri2", func() { l.Dsytri2('U', 3, x[:8], 3, ipiv, work) }},
		{shortIpiv, "Dsytri2", func() { l.Dsytri2('U', 3, x, 3, ipiv[:2], work) }},
		{shortWork, "Dsytri2", func() { l.Dsytri2('U', 3, x, 3, ipiv, work[:2]) }},
		{nil, "Dgeqrf, empty", func() { l.Dgeqrf(3, 0, nil, 3, nil, nil) }},
		{check.MLT0, "Dgeqrf", func() { l.Dgeqrf(-1, 3, x, 3, b, work) }},
		{check.BadLdA, "Dgeqrf", func() { l.Dgeqrf(3, 2, x, 2, b, work) }},
		{check.ShortA, "Dgeqrf", func() { l.Dgeqrf(3, 3, x[:8], 3, b, work) }},
		{shortTau, "Dgeqrf", func() { l.Dgeqrf(3, 2, x, 3, b[:1], work) }},
		{shortWork, "Dgeqrf", func() { l.Dgeqrf(2, 3, x, 3, b, work[:2]) }},
		{nil, "Dsyevd, empty", func() { l.Dsyevd('V', 'U', 0, nil, 1, nil, nil, nil) }},
		{badJob, "Dsyevd", func() { l.Dsyevd('x', 'U', 3, x, 3, b, work, iwork) }},
		{check.BadUplo, "Dsyevd", func() { l.Dsyevd('V', 'x', 3, x, 3, b, work, iwork) }},
		{check.ShortA, "Dsyevd", func() { l.Dsyevd('N', 'U', 3, x[:8], 3, b, work, iwork) }},
		{shortValue, "Dsyevd", func() { l.Dsyevd('V', 'U', 3, x, 3, b[:2], work, iwork) }},
		{shortWork, "Dsyevd", func() { l.Dsyevd('V', 'U', 3, x, 3, b, work[:36], iwork) }},
		{shortIWork, "Dsyevd", func() { l.Dsyevd('V', 'U', 3, x, 3, b, work, iwork[:17]) }},
		{nil, "Dgesdd, empty", func() { l.Dgesdd('A', 0, 3, nil, 1, nil, nil, 1, nil, 1, nil, nil) }},
		{nil, "Dgesdd, values", func() { l.Dgesdd('N', 3, 3, x, 3, b, nil, 1, nil, 1, work, iwork) }},
		{badJob, "Dgesdd", func() { l.Dgesdd('O', 3, 3, x, 3, b, nil, 1, nil, 1, work, iwork) }},
		{check.ShortA, "Dgesdd", func() { l.Dgesdd('N', 3, 3, x[:8], 3, b, nil, 1, nil, 1, work, iwork) }},
		{badLeft, "Dgesdd", func() { l.Dgesdd('S', 3, 2, x, 3, b, b, 2, b, 2, work, iwork) }},
		{shortLeft, "Dgesdd", func() { l.Dgesdd('A', 3, 2, x, 3, b, b[:8], 3, b, 2, work, iwork) }},
		{badRight, "Dgesdd", func() { l.Dgesdd('A', 2, 3, x, 2, b, b, 2, b, 2, work, iwork) }},
		{shortRight, "Dgesdd", func() { l.Dgesdd('S', 2, 3, x, 2, b, b, 2, b[:5], 2, work, iwork) }},
		{over32, "Dgesdd", func() { l.Dgesdd('S', 3, 3, x, 3, b, b, huge, b, 3, work, iwork) }},
		{shortValue, "Dgesdd", func() { l.Dgesdd('N', 3, 3, x, 3, b[:2], nil, 1, nil, 1, work, iwork) }},
		{shortWork, "Dgesdd", func() { l.Dgesdd('N', 3, 3, x, 3, b, nil, 1, nil, 1, work[:59], iwork) }},
		{shortIWork, "Dgesdd", func() { l.Dgesdd('N', 3, 3, x, 3, b, nil, 1, nil, 1, work, iwork[:23]) }},
		{nil, "Dgeev, empty", func() { l.Dgeev('V', 'V', 0, nil, 1, nil, nil, nil, 1, nil, 1, nil) }},
		{badJob, "Dgeev", func() { l.Dgeev('x', 'N', 3, x, 3, b, b, nil, 1, nil, 1, work) }},
		{badJob, "Dgeev", func() { l.Dgeev('N', 'x', 3, x, 3, b, b, nil, 1, nil, 1, work) }},
		{check.ShortA, "Dgeev", func() { l.Dgeev('N', 'N', 3, x[:8], 3, b, b, nil, 1, nil, 1, work) }},
		{badLeft, "Dgeev", func() { l.Dgeev('V', 'N', 3, x, 3, b, b, b, 2, nil, 1, work) }},
		{shortLeft, "Dgeev", func() { l.Dgeev('V', 'N', 3, x, 3, b, b, b[:8], 3, nil, 1, work) }},
		{badRight, "Dgeev", func() { l.Dgeev('N', 'V', 3, x, 3, b, b, nil, 1, b, 0, work) }},
		{shortRight, "Dgeev", func() { l.Dgeev('N', 'V', 3, x, 3, b, b, nil, 1, b, 4, work) }},
		{shortValue, "Dgeev", func() { l.Dgeev('N', 'N', 3, x, 3, b, b[:2], nil, 1, nil, 1, work) }},
		{shortWork, "Dgeev", func() { l.Dgeev('N', 'N', 3, x, 3, b, b, nil, 1, nil, 1, work[:11]) }},
	} {
		if got := testutil.PanicValue(test.call); got != test.want {
			t.Errorf("%s: panics with %v; want %v", test.name, got, test.want)
		}
	}
}

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
	)
	huge := math.MaxInt32
	huge++ // and not a constant, which would not compile where int has 32 bits
	x, b, ipiv := make([]float64, 9), make([]float64, 9), []int32{1, 2, 3}
	work := make([]float64, 67*68)
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
	} {
		if got := testutil.PanicValue(test.call); got != test.want {
			t.Errorf("%s: panics with %v; want %v", test.name, got, test.want)
		}
	}
}

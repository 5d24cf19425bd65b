package speed

import (
	"testing"
	"time"

	"blskernel"
	"blskernel/internal/linalg/openblas/opponents"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A fake is gonum's implementation with a clock that advances only with calls of some routines.
type fake struct {
	gonum.Implementation
	name  string
	clock *time.Duration
	takes time.Duration // a call of Dgemm, Dtrsm or Ddot
	calls int
	wrong func(c []float64) // spoils the result of Dgemm
}

func (f *fake) Name() string { return f.name }

func (f *fake) tick() {
	f.calls++
	if f.clock != nil {
		*f.clock += f.takes
	}
}

func (f *fake) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	f.tick()
	f.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	if f.wrong != nil {
		f.wrong(c)
	}
}

func (f *fake) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	f.tick()
	f.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (f *fake) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	f.tick()
	return f.Implementation.Ddot(n, x, incX, y, incY)
}

// Dsyrk is gonum's on a zeroed C if beta is zero: for the lower triangle of Aᵀ·A, gonum multiplies C by
// beta, which leaves NaN.
func (f *fake) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	for i := range n {
		from, to := i, n
		if ul == blas.Lower {
			from, to = 0, i+1
		}
		if beta == 0 {
			clear(c[i*ldc+from : i*ldc+to])
		}
	}
	f.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// usable returns the usable backends of this process, and gonum's own.
func usable() []blskernel.Backend {
	all := []blskernel.Backend{&fake{name: "gonum"}}
	for _, name := range blskernel.Names() {
		if b, err := blskernel.Lookup(name); err == nil {
			all = append(all, b)
		}
	}
	return all
}

// A library is a fake with the LAPACK of OpenBLAS, in which a call of Dpotrf may fail.
type library struct {
	*fake
	opponents.LAPACK
	until int // calls of Dpotrf; 0 for never
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	b, err := Library(nil)
	if err != nil {
		testutil.SkipOrFail(t, "openblas", err)
	}
	l, err := opponents.Of(b)
	testutil.NoError(t, err)
	return &library{fake: &fake{name: "fake"}, LAPACK: l}
}

func (l *library) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) int {
	if l.until--; l.until == 0 {
		return 7
	}
	return l.LAPACK.Dpotrf(ul, n, a, lda)
}

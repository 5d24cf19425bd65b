package benchmarks

import (
	"errors"
	"testing"

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// implementation runs sub-benchmarks of lapack.Implementation, with the backend for blas64 as well, as
// a program has it that is all gonum.
func implementation(b *testing.B, names []string, prepare func(impl lapack.Implementation, v string, n int) call) {
	before := blas64.Implementation()
	defer blas64.Use(before)
	variants(b, names, func(bk blskernel.Backend, v string, n int) call {
		blas64.Use(bk)
		return prepare(lapack.Implementation{Backend: bk}, v, n)
	})
}

var errFailed = errors.New("the routine returned false")

// done turns the ok of a routine into an error.
func done(ok bool) error {
	if !ok {
		return errFailed
	}
	return nil
}

func BenchmarkImplementationDpotrf(b *testing.B) {
	implementation(b, uplos, func(impl lapack.Implementation, v string, n int) call {
		s := save(square(n, float64(n)))
		return call{flops: cube(n) / 3, reset: s.reset, do: func() error { return done(impl.Dpotrf(uplo(v, 0), n, s.data, n)) }}
	})
}

func BenchmarkImplementationDpotri(b *testing.B) {
	implementation(b, uplos, func(impl lapack.Implementation, v string, n int) call {
		a := square(n, float64(n))
		check(done(impl.Dpotrf(uplo(v, 0), n, a, n)))
		s := save(a)
		return call{flops: 2 * cube(n) / 3, reset: s.reset, do: func() error { return done(impl.Dpotri(uplo(v, 0), n, s.data, n)) }}
	})
}

func BenchmarkImplementationDpotrs(b *testing.B) {
	implementation(b, uplos, func(impl lapack.Implementation, v string, n int) call {
		a, x := square(n, float64(n)), save(vector(n*n))
		check(done(impl.Dpotrf(uplo(v, 0), n, a, n)))
		return call{flops: 2 * cube(n), reset: x.reset, do: func() error {
			impl.Dpotrs(uplo(v, 0), n, n, a, n, x.data, n)
			return nil
		}}
	})
}

func BenchmarkImplementationDgetrf(b *testing.B) {
	implementation(b, []string{""}, func(impl lapack.Implementation, _ string, n int) call {
		s, ipiv := save(vector(n*n)), make([]int, n)
		return call{flops: 2 * cube(n) / 3, reset: s.reset, do: func() error { return done(impl.Dgetrf(n, n, s.data, n, ipiv)) }}
	})
}

func BenchmarkImplementationDgetri(b *testing.B) {
	implementation(b, []string{""}, func(impl lapack.Implementation, _ string, n int) call {
		a, ipiv, best := vector(n*n), make([]int, n), make([]float64, 1)
		check(done(impl.Dgetrf(n, n, a, n, ipiv)))
		impl.Dgetri(n, a, n, ipiv, best, -1)
		s, work := save(a), make([]float64, int(best[0]))
		return call{flops: 4 * cube(n) / 3, reset: s.reset, do: func() error {
			return done(impl.Dgetri(n, s.data, n, ipiv, work, len(work)))
		}}
	})
}

func BenchmarkImplementationDgetrs(b *testing.B) {
	implementation(b, transposes, func(impl lapack.Implementation, v string, n int) call {
		a, ipiv, x := vector(n*n), make([]int, n), save(vector(n*n))
		check(done(impl.Dgetrf(n, n, a, n, ipiv)))
		return call{flops: 2 * cube(n), reset: x.reset, do: func() error {
			impl.Dgetrs(trans(v, 0), n, n, a, n, ipiv, x.data, n)
			return nil
		}}
	})
}

func BenchmarkImplementationDtrtri(b *testing.B) {
	implementation(b, uplos, func(impl lapack.Implementation, v string, n int) call {
		s := save(triangle(n))
		return call{flops: cube(n) / 3, reset: s.reset, do: func() error {
			return done(impl.Dtrtri(uplo(v, 0), blas.NonUnit, n, s.data, n))
		}}
	})
}

func BenchmarkImplementationDtrtrs(b *testing.B) {
	implementation(b, triangular, func(impl lapack.Implementation, v string, n int) call {
		a, x := triangle(n), save(vector(n*n))
		return call{flops: cube(n), reset: x.reset, do: func() error {
			return done(impl.Dtrtrs(uplo(v, 0), trans(v, 1), blas.NonUnit, n, n, a, n, x.data, n))
		}}
	})
}

func BenchmarkImplementationDorgqr(b *testing.B) {
	implementation(b, []string{""}, func(impl lapack.Implementation, _ string, n int) call {
		m := tall * n
		a, tau, work := vector(m*n), make([]float64, n), make([]float64, 64*n)
		impl.Dgeqrf(m, n, a, n, tau, work, len(work))
		s := save(a)
		return call{flops: flopsQR(n), reset: s.reset, do: func() error {
			impl.Dorgqr(m, n, n, s.data, n, tau, work, len(work))
			return nil
		}}
	})
}

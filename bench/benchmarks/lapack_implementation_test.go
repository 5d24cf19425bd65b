package benchmarks

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkImplementation has the routines of lapack.Implementation, with the backend for blas64 as
// well, as a program that is all gonum has it. Solves are with as many right-hand sides as the order.
func BenchmarkImplementation(b *testing.B) {
	defer blas64.Use(blas64.Implementation())
	var names []string
	for _, routine := range slices.Sorted(maps.Keys(implementation)) {
		names = append(names, "routine="+routine)
	}
	variants(b, names, func(bk blskernel.Backend, name string, n int) call {
		blas64.Use(bk)
		return implementation[strings.TrimPrefix(name, "routine=")](lapack.Implementation{Backend: bk}, n)
	})
}

// done turns the ok of a routine into an error.
func done(ok bool) error {
	if !ok {
		return errors.New("the routine returned false")
	}
	return nil
}

// cholesky64 returns the factor of Dpotrf, and lu64 that of Dgetrf with its interchanges.
func cholesky64(impl lapack.Implementation, n int) []float64 {
	a := spd(n)
	check(done(impl.Dpotrf(blas.Upper, n, a, n)))
	return a
}

func lu64(impl lapack.Implementation, n int) (a []float64, ipiv []int) {
	a, ipiv = vector(n*n), make([]int, n)
	check(done(impl.Dgetrf(n, n, a, n, ipiv)))
	return a, ipiv
}

// spd returns a symmetric positive definite matrix, by its upper triangle.
func spd(n int) []float64 {
	a := vector(n * n)
	for i := range n {
		a[i*n+i] = float64(n)
	}
	return a
}

// implementation has a call of each routine on matrices of order n.
var implementation = map[string]func(impl lapack.Implementation, n int) call{
	"Dpotrf": func(impl lapack.Implementation, n int) call {
		s := save(spd(n))
		return call{flops: cube(n) / 3, reset: s.reset, do: func() error { return done(impl.Dpotrf(blas.Upper, n, s.data, n)) }}
	},
	"Dpotri": func(impl lapack.Implementation, n int) call {
		s := save(cholesky64(impl, n))
		return call{flops: 2 * cube(n) / 3, reset: s.reset, do: func() error { return done(impl.Dpotri(blas.Upper, n, s.data, n)) }}
	},
	"Dpotrs": func(impl lapack.Implementation, n int) call {
		a, x := cholesky64(impl, n), save(vector(n*n))
		return call{flops: 2 * cube(n), reset: x.reset, do: func() error {
			impl.Dpotrs(blas.Upper, n, n, a, n, x.data, n)
			return nil
		}}
	},
	"Dgetrf": func(impl lapack.Implementation, n int) call {
		s, ipiv := save(vector(n*n)), make([]int, n)
		return call{flops: 2 * cube(n) / 3, reset: s.reset, do: func() error { return done(impl.Dgetrf(n, n, s.data, n, ipiv)) }}
	},
	"Dgetri": func(impl lapack.Implementation, n int) call {
		a, ipiv := lu64(impl, n)
		s, work := save(a), make([]float64, 64*n)
		return call{flops: 4 * cube(n) / 3, reset: s.reset, do: func() error {
			return done(impl.Dgetri(n, s.data, n, ipiv, work, len(work)))
		}}
	},
	"Dgetrs": func(impl lapack.Implementation, n int) call {
		a, ipiv := lu64(impl, n)
		x := save(vector(n * n))
		return call{flops: 2 * cube(n), reset: x.reset, do: func() error {
			impl.Dgetrs(blas.NoTrans, n, n, a, n, ipiv, x.data, n)
			return nil
		}}
	},
	"Dtrtri": func(impl lapack.Implementation, n int) call {
		s := save(triangle(n))
		return call{flops: cube(n) / 3, reset: s.reset, do: func() error {
			return done(impl.Dtrtri(blas.Upper, blas.NonUnit, n, s.data, n))
		}}
	},
	"Dtrtrs": func(impl lapack.Implementation, n int) call {
		a, x := triangle(n), save(vector(n*n))
		return call{flops: cube(n), reset: x.reset, do: func() error {
			return done(impl.Dtrtrs(blas.Upper, blas.NoTrans, blas.NonUnit, n, n, a, n, x.data, n))
		}}
	},
	"Dorgqr": func(impl lapack.Implementation, n int) call {
		a, tau, work := vector(n*n), make([]float64, n), make([]float64, 64*n)
		impl.Dgeqrf(n, n, a, n, tau, work, len(work))
		s := save(a)
		return call{flops: 4 * cube(n) / 3, reset: s.reset, do: func() error {
			impl.Dorgqr(n, n, n, s.data, n, tau, work, len(work))
			return nil
		}}
	},
}

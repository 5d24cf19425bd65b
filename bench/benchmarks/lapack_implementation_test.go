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
	for _, name := range slices.Sorted(maps.Keys(implementation)) {
		names = append(names, "routine="+name)
	}
	variants(b, names, func(bk blskernel.Backend, name string, n int) call {
		blas64.Use(bk)
		r := implementation[strings.TrimPrefix(name, "routine=")]
		x, do := r.prepare(lapack.Implementation{Backend: bk}, n)
		s := save(x)
		return call{flops: r.flops * cube(n), reset: s.reset, do: func() error { return done(do(s.data)) }}
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

// implementation has the routines, with their flops as multiples of n³, and a call of each on matrices
// of order n, which overwrites x.
var implementation = map[string]struct {
	flops   float64
	prepare func(impl lapack.Implementation, n int) (x []float64, do func(x []float64) (ok bool))
}{
	"Dpotrf": {1. / 3, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		return spd(n), func(x []float64) bool { return impl.Dpotrf(blas.Upper, n, x, n) }
	}},
	"Dpotri": {2. / 3, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		return cholesky64(impl, n), func(x []float64) bool { return impl.Dpotri(blas.Upper, n, x, n) }
	}},
	"Dpotrs": {2, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		a := cholesky64(impl, n)
		return vector(n * n), func(x []float64) bool { impl.Dpotrs(blas.Upper, n, n, a, n, x, n); return true }
	}},
	"Dgetrf": {2. / 3, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		ipiv := make([]int, n)
		return vector(n * n), func(x []float64) bool { return impl.Dgetrf(n, n, x, n, ipiv) }
	}},
	"Dgetri": {4. / 3, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		a, ipiv := lu64(impl, n)
		work := make([]float64, 64*n)
		return a, func(x []float64) bool { return impl.Dgetri(n, x, n, ipiv, work, len(work)) }
	}},
	"Dgetrs": {2, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		a, ipiv := lu64(impl, n)
		return vector(n * n), func(x []float64) bool { impl.Dgetrs(blas.NoTrans, n, n, a, n, ipiv, x, n); return true }
	}},
	"Dtrtri": {1. / 3, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		return triangle(n), func(x []float64) bool { return impl.Dtrtri(blas.Upper, blas.NonUnit, n, x, n) }
	}},
	"Dtrtrs": {1, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		a := triangle(n)
		return vector(n * n), func(x []float64) bool {
			return impl.Dtrtrs(blas.Upper, blas.NoTrans, blas.NonUnit, n, n, a, n, x, n)
		}
	}},
	"Dorgqr": {4. / 3, func(impl lapack.Implementation, n int) ([]float64, func([]float64) bool) {
		a, tau, work := vector(n*n), make([]float64, n), make([]float64, 64*n)
		impl.Dgeqrf(n, n, a, n, tau, work, len(work))
		return a, func(x []float64) bool { impl.Dorgqr(n, n, n, x, n, tau, work, len(work)); return true }
	}},
}

package speed

import (
	"errors"

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
)

// routine returns the problem of a routine of lapack.Implementation that overwrites initial, and
// returns false if it fails.
func routine(initial []float64, do func(l lapack.Implementation, x []float64) (ok bool)) *Problem {
	return once(initial, func(be blskernel.Backend, x []float64) func() error {
		l := lapack.Implementation{Backend: be}
		return func() error {
			if !do(l, x) {
				return errors.New("the routine returned false")
			}
			return nil
		}
	})
}

// definite returns a symmetric positive definite matrix, by its upper triangle.
func (r source) definite(n int) []float64 {
	a := r.draw(n * n)
	for i := range n {
		a[i*n+i] += float64(n)
	}
	return a
}

// cholesky returns the factor of a definite matrix, lu the factors of a general one with its
// interchanges. Both exist: the matrices are drawn so.
func (r source) cholesky(n int) []float64 {
	a := r.definite(n)
	lapack.Implementation{}.Dpotrf(blas.Upper, n, a, n)
	return a
}

func (r source) lu(n int) (a []float64, ipiv []int) {
	a, ipiv = r.draw(n*n), make([]int, n)
	lapack.Implementation{}.Dgetrf(n, n, a, n, ipiv)
	return a, ipiv
}

func dpotrf(_ string, n int, r source) *Problem {
	return routine(r.definite(n), func(l lapack.Implementation, x []float64) bool { return l.Dpotrf(blas.Upper, n, x, n) })
}

func dpotri(_ string, n int, r source) *Problem {
	return routine(r.cholesky(n), func(l lapack.Implementation, x []float64) bool { return l.Dpotri(blas.Upper, n, x, n) })
}

func dpotrs(_ string, n int, r source) *Problem {
	a := r.cholesky(n)
	return routine(r.draw(n*n), func(l lapack.Implementation, x []float64) bool { l.Dpotrs(blas.Upper, n, n, a, n, x, n); return true })
}

func dgetrf(_ string, n int, r source) *Problem {
	ipiv := make([]int, n)
	return routine(r.draw(n*n), func(l lapack.Implementation, x []float64) bool { return l.Dgetrf(n, n, x, n, ipiv) })
}

func dgetri(_ string, n int, r source) *Problem {
	a, ipiv := r.lu(n)
	work := make([]float64, 64*n)
	return routine(a, func(l lapack.Implementation, x []float64) bool { return l.Dgetri(n, x, n, ipiv, work, len(work)) })
}

func dgetrs(_ string, n int, r source) *Problem {
	a, ipiv := r.lu(n)
	return routine(r.draw(n*n), func(l lapack.Implementation, x []float64) bool {
		l.Dgetrs(blas.NoTrans, n, n, a, n, ipiv, x, n)
		return true
	})
}

func dtrtri(_ string, n int, r source) *Problem {
	return routine(r.nearIdentity(n), func(l lapack.Implementation, x []float64) bool {
		return l.Dtrtri(blas.Upper, blas.NonUnit, n, x, n)
	})
}

func dtrtrs(_ string, n int, r source) *Problem {
	a := r.nearIdentity(n)
	return routine(r.draw(n*n), func(l lapack.Implementation, x []float64) bool {
		return l.Dtrtrs(blas.Upper, blas.NoTrans, blas.NonUnit, n, n, a, n, x, n)
	})
}

func dorgqr(_ string, n int, r source) *Problem {
	a, tau, work := r.draw(n*n), make([]float64, n), make([]float64, 64*n)
	lapack.Implementation{}.Dgeqrf(n, n, a, n, tau, work, len(work))
	return routine(a, func(l lapack.Implementation, x []float64) bool {
		l.Dorgqr(n, n, n, x, n, tau, work, len(work))
		return true
	})
}

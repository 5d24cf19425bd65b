package speed

import (
	"errors"

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
)

// A call runs a routine of lapack.Implementation that overwrites x, and returns false if it fails.
type call = func(l lapack.Implementation, x []float64) (ok bool)

// routine returns the case op of coefficient·n³ flops. before draws the operands. It returns the
// operand that the routine overwrites, and the call of the routine.
func routine(op string, coefficient float64, before func(n int, r source) (initial []float64, do call)) Case {
	return Case{op, "", nil, coefficient, 3, func(_ string, n int, r source) *Problem {
		initial, do := before(n, r)
		return once(initial, 0, func(be blskernel.Backend, x []float64) func() error {
			l := lapack.Implementation{Backend: be}
			return func() error {
				if !do(l, x) {
					return errors.New("the routine returned false")
				}
				return nil
			}
		})
	}}
}

// definite draws the upper triangle of a symmetric positive definite matrix, in full storage.
func (r source) definite(n int) []float64 {
	a := r.draw(n * n)
	for i := range n {
		a[i*n+i] += float64(n)
	}
	return a
}

// cholesky returns the factor of a definite matrix, and lu the factors of a general one with its
// interchanges. Both factorizations exist for the drawn matrices.
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

var routines = []Case{
	routine("dpotrf", 1./3, func(n int, r source) ([]float64, call) {
		return r.definite(n), func(l lapack.Implementation, x []float64) bool { return l.Dpotrf(blas.Upper, n, x, n) }
	}),
	routine("dpotri", 2./3, func(n int, r source) ([]float64, call) {
		return r.cholesky(n), func(l lapack.Implementation, x []float64) bool { return l.Dpotri(blas.Upper, n, x, n) }
	}),
	routine("dpotrs", 2, func(n int, r source) ([]float64, call) {
		a := r.cholesky(n)
		return r.draw(n * n), func(l lapack.Implementation, x []float64) bool {
			l.Dpotrs(blas.Upper, n, n, a, n, x, n)
			return true
		}
	}),
	routine("dgetrf", 2./3, func(n int, r source) ([]float64, call) {
		ipiv := make([]int, n)
		return r.draw(n * n), func(l lapack.Implementation, x []float64) bool { return l.Dgetrf(n, n, x, n, ipiv) }
	}),
	routine("dgetri", 4./3, func(n int, r source) ([]float64, call) {
		a, ipiv := r.lu(n)
		work := make([]float64, 64*n)
		return a, func(l lapack.Implementation, x []float64) bool { return l.Dgetri(n, x, n, ipiv, work, len(work)) }
	}),
	routine("dgetrs", 2, func(n int, r source) ([]float64, call) {
		a, ipiv := r.lu(n)
		return r.draw(n * n), func(l lapack.Implementation, x []float64) bool {
			l.Dgetrs(blas.NoTrans, n, n, a, n, ipiv, x, n)
			return true
		}
	}),
	routine("dtrtri", 1./3, func(n int, r source) ([]float64, call) {
		return r.nearIdentity(n), func(l lapack.Implementation, x []float64) bool {
			return l.Dtrtri(blas.Upper, blas.NonUnit, n, x, n)
		}
	}),
	routine("dtrtrs", 1, func(n int, r source) ([]float64, call) {
		a := r.nearIdentity(n)
		return r.draw(n * n), func(l lapack.Implementation, x []float64) bool {
			return l.Dtrtrs(blas.Upper, blas.NoTrans, blas.NonUnit, n, n, a, n, x, n)
		}
	}),
	routine("dorgqr", 4./3, func(n int, r source) ([]float64, call) {
		a, tau, work := r.draw(n*n), make([]float64, n), make([]float64, 64*n)
		lapack.Implementation{}.Dgeqrf(n, n, a, n, tau, work, len(work))
		return a, func(l lapack.Implementation, x []float64) bool {
			l.Dorgqr(n, n, n, x, n, tau, work, len(work))
			return true
		}
	}),
}

package speed

import (
	"errors"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/openblas/opponents"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// dsptri is the opponent that is packed.
const dsptri = "dsptrf+dsptri"

var factorizations = []Case{
	{"cholesky-inverse", "", []string{"dpotrf+dpotri"}, 1, 3, func(_ string, n int, r source) *Problem {
		return symmetricInverse(n, r, float64(n), func(be blskernel.Backend) factorization[*mat.SymPacked] {
			return &lapack.Cholesky{Backend: be}
		})
	}},
	{"ldlt-inverse", "", []string{dsptri, "dsytrf+dsytri2"}, 1, 3, func(_ string, n int, r source) *Problem {
		return symmetricInverse(n, r, 0, func(be blskernel.Backend) factorization[*mat.SymPacked] {
			return &lapack.LDLT{Backend: be}
		})
	}},
	{"lu-inverse", "", []string{"dgetrf+dgetri"}, 2, 3, func(_ string, n int, r source) *Problem {
		a := r.draw(n * n)
		square := func(n int, x []float64) *mat.Dense { return mat.NewDense(n, n, x) }
		return inverse(a, a, n, square, func(be blskernel.Backend) factorization[*mat.Dense] {
			return &lapack.LU{Backend: be}
		})
	}},
	{"lu-solve", "", []string{"dgetrs"}, 2, 3, luSolve},
}

// A factorization is the timed interface of the types of package lapack.
type factorization[M any] interface {
	FactorizeInPlace(a M) error
	InverseInPlace() (M, error)
}

// inverse returns the inverse of a by a factorization of the matrix that it is, and of a or for other
// opponents full by LAPACK.
func inverse[M any](
	a, full []float64, n int, matrix func(n int, x []float64) M, by func(be blskernel.Backend) factorization[M],
) *Problem {
	p := once(a, func(be blskernel.Backend, x []float64) func() error {
		f := by(be)
		return func() error {
			if err := f.FactorizeInPlace(matrix(n, x)); err != nil {
				return err
			}
			_, err := f.InverseInPlace()
			return err
		}
	})
	p.against = func(opponent string) *Problem {
		if opponent == dsptri {
			return inverseByLAPACK(opponent, a, n)
		}
		return inverseByLAPACK(opponent, full, n)
	}
	return p
}

// symmetricInverse returns the inverse of A + shift·I, packed. Its opponents find the lower triangle by
// columns, which is the upper one by rows, packed or on full storage.
func symmetricInverse(n int, r source, shift float64, by func(be blskernel.Backend) factorization[*mat.SymPacked]) *Problem {
	a, full := r.draw(n*(n+1)/2), make([]float64, n*n)
	for at, i := 0, 0; i < n; i++ {
		a[at] += shift
		copy(full[i*n+i:(i+1)*n], a[at:])
		at += n - i
	}
	return inverse(a, full, n, mat.NewSymPacked, by)
}

// inverseByLAPACK returns the inverse of a, with workspaces that are made before the call.
func inverseByLAPACK(opponent string, a []float64, n int) *Problem {
	return once(a, func(be blskernel.Backend, x []float64) func() error {
		ipiv, work := make([]int32, n), make([]float64, 67*(n+65)) // more than dsytri2 and the others want
		return onLAPACK(be, func(l opponents.LAPACK) (info int) {
			switch opponent {
			case "dpotrf+dpotri":
				if info = l.Dpotrf(blas.Lower, n, x, n); info == 0 {
					info = l.Dpotri(blas.Lower, n, x, n)
				}
			case dsptri:
				if info = l.Dsptrf(blas.Lower, n, x, ipiv); info == 0 {
					info = l.Dsptri(blas.Lower, n, x, ipiv, work)
				}
			case "dsytrf+dsytri2":
				if info = l.Dsytrf(blas.Lower, n, x, n, ipiv, work); info == 0 {
					info = l.Dsytri2(blas.Lower, n, x, n, ipiv, work)
				}
			case "dgetrf+dgetri":
				if info = l.Dgetrf(n, n, x, n, ipiv); info == 0 {
					info = l.Dgetri(n, x, n, ipiv, work)
				}
			}
			return info
		})
	})
}

// onLAPACK returns a call of f, which returns the info of its routines, with the LAPACK of a backend.
func onLAPACK(be blskernel.Backend, f func(l opponents.LAPACK) (info int)) func() error {
	l, err := opponents.Of(be)
	return func() error {
		if err != nil {
			return errors.New("there is no LAPACK with it")
		}
		if info := f(l); info != 0 {
			return fmt.Errorf("info of LAPACK is %d", info)
		}
		return nil
	}
}

// luSolve has as many right-hand sides as the order. A call is bound with the factors of A. dgetrs
// reads the storage of A as Aᵀ by columns, and the storage of B as the right-hand sides by columns.
func luSolve(_ string, n int, r source) *Problem {
	a, b := r.draw(n*n), r.draw(n*n)
	p := once(b, func(be blskernel.Backend, x []float64) func() error {
		f := &lapack.LU{Backend: be}
		failed, to := f.Factorize(mat.NewDense(n, n, a)), mat.NewDense(n, n, x)
		return func() error {
			if failed != nil {
				return failed
			}
			return f.SolveTo(to, to)
		}
	})
	p.against = func(string) *Problem {
		return once(b, func(be blskernel.Backend, x []float64) func() error {
			factors, ipiv := slices.Clone(a), make([]int32, n)
			info := -1
			return onLAPACK(be, func(l opponents.LAPACK) int {
				if info < 0 { // the first call is no timed one
					info = l.Dgetrf(n, n, factors, n, ipiv)
				}
				if info != 0 {
					return info
				}
				return l.Dgetrs(blas.NoTrans, n, n, factors, n, ipiv, x, n)
			})
		})
	}
	return p
}

// Library returns the backend whose LAPACK the opponents use: the first of the given ones
// that has one, else openblas. The error says why there is none.
func Library(backends []blskernel.Backend) (blskernel.Backend, error) {
	for _, b := range backends {
		if _, err := opponents.Of(b); err == nil {
			return b, nil
		}
	}
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		return nil, err
	}
	if _, err := opponents.Of(b); err != nil {
		return nil, fmt.Errorf("speed: backend %q has no LAPACK: %w", b.Name(), err)
	}
	return b, nil
}

// Against returns the corresponding problem of the opponent of the given name, for Library's backend.
// It panics if the case has no such opponent.
func (p *Problem) Against(opponent string) *Problem {
	if !slices.Contains(p.Case.Opponents, opponent) {
		panic("speed: the case has no such opponent")
	}
	q := p.against(opponent)
	q.Case, q.N, q.opponent = p.Case, p.N, opponent
	if q.compared != nil {
		q.reference = p.reference
	}
	return q
}

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

var factorizations = []Case{
	{"cholesky-inverse", "", []string{"dpotrf+dpotri"}, 1, 3, func(_ string, n int, r source) *Problem {
		packed, full := r.symmetricPacked(n, float64(n))
		p := inverse(packed, n, mat.NewSymPacked, func(be blskernel.Backend) factorization[*mat.SymPacked] {
			return &lapack.Cholesky{Backend: be}
		})
		p.against = func(string) *Problem {
			return byLAPACK(full, 0, func(l opponents.LAPACK, x []float64) (info int) {
				return then(l.Dpotrf(blas.Lower, n, x, n), func() int { return l.Dpotri(blas.Lower, n, x, n) })
			})
		}
		return p
	}},
	{"ldlt-inverse", "", []string{"dsptrf+dsptri", "dsytrf+dsytri2"}, 1, 3, func(_ string, n int, r source) *Problem {
		packed, full := r.symmetricPacked(n, 0)
		p := inverse(packed, n, mat.NewSymPacked, func(be blskernel.Backend) factorization[*mat.SymPacked] {
			return &lapack.LDLT{Backend: be}
		})
		p.against = func(opponent string) *Problem {
			ipiv, work := make([]int32, n), make([]float64, 67*(n+65)) // what dsytri2 needs
			if opponent == "dsptrf+dsptri" {
				return byLAPACK(packed, 0, func(l opponents.LAPACK, x []float64) (info int) {
					return then(l.Dsptrf(blas.Lower, n, x, ipiv), func() int { return l.Dsptri(blas.Lower, n, x, ipiv, work) })
				})
			}
			return byLAPACK(full, 0, func(l opponents.LAPACK, x []float64) (info int) {
				return then(l.Dsytrf(blas.Lower, n, x, n, ipiv, work), func() int { return l.Dsytri2(blas.Lower, n, x, n, ipiv, work) })
			})
		}
		return p
	}},
	{"lu-inverse", "", []string{"dgetrf+dgetri"}, 2, 3, func(_ string, n int, r source) *Problem {
		a := r.draw(n * n)
		square := func(n int, x []float64) *mat.Dense { return mat.NewDense(n, n, x) }
		p := inverse(a, n, square, func(be blskernel.Backend) factorization[*mat.Dense] { return &lapack.LU{Backend: be} })
		p.against = func(string) *Problem {
			ipiv, work := make([]int32, n), make([]float64, 64*n)
			return byLAPACK(a, 0, func(l opponents.LAPACK, x []float64) (info int) {
				return then(l.Dgetrf(n, n, x, n, ipiv), func() int { return l.Dgetri(n, x, n, ipiv, work) })
			})
		}
		return p
	}},
	// There are n right-hand sides. Binding a call factorizes A. dgetrs reads the storage of A as
	// Aᵀ by columns, and the storage of B as the right-hand sides by columns.
	{"lu-solve", "", []string{"dgetrs"}, 2, 3, func(_ string, n int, r source) *Problem {
		a, b := r.draw(n*n), r.draw(n*n)
		p := once(b, 0, func(be blskernel.Backend, x []float64) func() error {
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
			factors, ipiv, info := slices.Clone(a), make([]int32, n), -1
			return byLAPACK(b, 0, func(l opponents.LAPACK, x []float64) int {
				if info < 0 { // the first call is not timed
					info = l.Dgetrf(n, n, factors, n, ipiv)
				}
				return then(info, func() int { return l.Dgetrs(blas.NoTrans, n, n, factors, n, ipiv, x, n) })
			})
		}
		return p
	}},
}

// A factorization is the interface through which the types of package lapack are timed.
type factorization[M any] interface {
	FactorizeInPlace(a M) error
	InverseInPlace() (M, error)
}

// inverse returns the problem of inverting matrix(n, a) with the factorization that by returns.
func inverse[M any](a []float64, n int, matrix func(n int, x []float64) M, by func(be blskernel.Backend) factorization[M]) *Problem {
	return once(a, 0, func(be blskernel.Backend, x []float64) func() error {
		f := by(be)
		return func() error {
			if err := f.FactorizeInPlace(matrix(n, x)); err != nil {
				return err
			}
			_, err := f.InverseInPlace()
			return err
		}
	})
}

// symmetricPacked draws a symmetric A and returns A + shift·I, packed and in full storage. Opponents
// read the upper triangle by rows as the lower one by columns.
func (r source) symmetricPacked(n int, shift float64) (packed, full []float64) {
	packed, full = r.draw(n*(n+1)/2), make([]float64, n*n)
	for at, i := 0, 0; i < n; i++ {
		packed[at] += shift
		copy(full[i*n+i:(i+1)*n], packed[at:])
		at += n - i
	}
	return packed, full
}

// byLAPACK returns the problem of calling routines of LAPACK, which overwrite x, a copy of initial
// followed by room more elements. An info other than 0 is an error.
func byLAPACK(initial []float64, room int, routines func(l opponents.LAPACK, x []float64) (info int)) *Problem {
	return once(initial, room, func(be blskernel.Backend, x []float64) func() error {
		l, err := opponents.Of(be)
		return func() error {
			if err != nil {
				return errors.New("the backend has no LAPACK")
			}
			if info := routines(l, x); info != 0 {
				return fmt.Errorf("LAPACK returned info = %d", info)
			}
			return nil
		}
	})
}

func then(info int, next func() int) int {
	if info != 0 {
		return info
	}
	return next()
}

// Library returns the backend whose LAPACK the opponents use: the first of the given backends that has
// one, or else openblas. The error says why there is none.
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

// Against returns the named opponent's problem with the same operands. LAPACK opponents run on
// Library's backend. It panics if the case has no such opponent.
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

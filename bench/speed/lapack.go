package speed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// solves returns the problem of an X with A·X = B, for an A of the given order and n right-hand sides.
// X is computed in the storage that is returned, which has a copy of B.
//
// A·(X·t) is held against B·t to within the threshold of LAPACK's own tests of inverses (Working Note
// 41, section 7): ‖B - A·X‖ <= 30n·eps·‖A‖·‖X‖, by the largest sums of rows, n the larger of order and
// right-hand sides. No element of (B - A·X)·t is larger than the norm on the left. A·(X·t) itself is
// computed with an error of γ_2n·‖A‖·‖X‖, which is n·eps of it, and B·t with one of half of that.
func solves(a, b operand, order, n int) (p *Problem, x []float64) {
	to := b.copied()
	p = inPlace(to, b.data, n, product(blas.Left, a.by, to.by), to.by, nil)
	p.most = 1
	normA := a.norm(a.data, order)
	p.bound = func() float64 {
		const factor = 64
		return factor * float64(max(order, n)) * unit * normA * to.norm(to.data, n)
	}
	return p, to.data
}

// inverts returns the problem of the inverse of A, of order n, in the storage that is returned, which
// has a copy of A.
func inverts(a operand, n int) (p *Problem, x []float64) {
	p, x = solves(a, a, n, n)
	p.expected = func(t []float64) []float64 { return t }
	p.matrix, p.prepared = 8*len(x), 8*len(x)
	return p, x
}

// A factorization is what lapack.Cholesky and lapack.LDLT are timed for.
type factorization interface {
	FactorizeInPlace(a *mat.SymPacked) error
	InverseInPlace() (*mat.SymPacked, error)
}

// unpacked returns a packed symmetric matrix on full storage: LAPACK's lower triangle by columns is the
// upper one by rows. The other triangle is NaN.
func (a operand) unpacked(n int) operand {
	full := symmetric(blas.Upper, n).zero()
	poison(full.data)
	for at, i := 0, 0; i < n; i++ {
		copy(full.data[i*n+i:(i+1)*n], a.data[at:])
		at += n - i
	}
	return full
}

// symmetricInverse returns the inverse of A + shift·I, packed, by a factorization.
func symmetricInverse(s Shape, r source, shift float64, factor func(be blskernel.Backend) factorization) *Problem {
	n := s.N
	a := r.draw(packed(blas.Upper, n))
	for at, i := 0, 0; i < n; i++ {
		a.data[at] += shift
		at += n - i
	}
	p, x := inverts(a, n)
	p.bind = func(be blskernel.Backend) func() error {
		f := factor(be)
		return func() error {
			if err := f.FactorizeInPlace(mat.NewSymPacked(n, x)); err != nil {
				return err
			}
			_, err := f.InverseInPlace()
			return err
		}
	}
	p.against = func(opponent string) *Problem {
		if lapackInverses[opponent].packed {
			return inverseByLAPACK(opponent, a, n)
		}
		return inverseByLAPACK(opponent, a.unpacked(n), n)
	}
	return p
}

// lapackInverses are pairs of routines of LAPACK that invert a matrix of order n on full storage or
// packed.
var lapackInverses = map[string]struct {
	packed bool
	work   func(n int) int // the length of the workspace, or nil
	invert func(l backend.ColumnMajorLAPACK, n int, a []float64, ipiv []int32, work []float64) error
}{
	"dpotrf+dpotri": {
		invert: func(l backend.ColumnMajorLAPACK, n int, a []float64, _ []int32, _ []float64) error {
			return inTurn(l.Dpotrf(blas.Lower, n, a, n), func() int { return l.Dpotri(blas.Lower, n, a, n) })
		},
	},
	"dsptrf+dsptri": {
		packed: true, work: func(n int) int { return n },
		invert: func(l backend.ColumnMajorLAPACK, n int, ap []float64, ipiv []int32, work []float64) error {
			return inTurn(l.Dsptrf(blas.Lower, n, ap, ipiv), func() int { return l.Dsptri(blas.Lower, n, ap, ipiv, work) })
		},
	},
	"dsytrf+dsytri2": {
		work: func(n int) int { return 67 * (n + 65) },
		invert: func(l backend.ColumnMajorLAPACK, n int, a []float64, ipiv []int32, work []float64) error {
			return inTurn(l.Dsytrf(blas.Lower, n, a, n, ipiv, work), func() int {
				return l.Dsytri2(blas.Lower, n, a, n, ipiv, work)
			})
		},
	},
	"dgetrf+dgetri": {
		work: func(n int) int { return 64 * n },
		invert: func(l backend.ColumnMajorLAPACK, n int, a []float64, ipiv []int32, work []float64) error {
			return inTurn(l.Dgetrf(n, n, a, n, ipiv), func() int { return l.Dgetri(n, a, n, ipiv, work) })
		},
	},
}

// inTurn returns an error for the info of a factorization, or for that of the routine after it.
func inTurn(info int, then func() int) error {
	if info != 0 {
		return fmt.Errorf("info of the factorization is %d", info)
	}
	if info = then(); info != 0 {
		return fmt.Errorf("info of the routine after the factorization is %d", info)
	}
	return nil
}

// inverseByLAPACK returns the inverse of a, whose storage is copied, with workspaces that are made
// before the call.
func inverseByLAPACK(opponent string, a operand, n int) *Problem {
	of := lapackInverses[opponent]
	p, x := inverts(a, n)
	var ipiv []int32
	var work []float64
	if of.work != nil {
		ipiv, work = make([]int32, n), make([]float64, of.work(n))
		p.prepared += 4*len(ipiv) + 8*len(work)
	}
	p.bind = func(be blskernel.Backend) func() error {
		return onLAPACK(be, func(l backend.ColumnMajorLAPACK) error { return of.invert(l, n, x, ipiv, work) })
	}
	return p
}

// onLAPACK returns a call of f with the LAPACK of a backend.
func onLAPACK(be blskernel.Backend, f func(l backend.ColumnMajorLAPACK) error) func() error {
	l, ok := backend.ColumnMajor(be)
	return func() error {
		if !ok {
			return errors.New("there is no LAPACK with it")
		}
		return f(l)
	}
}

func choleskyInverse(_ string, s Shape, r source) *Problem {
	return symmetricInverse(s, r, float64(s.N), func(be blskernel.Backend) factorization {
		return &lapack.Cholesky{Backend: be}
	})
}

func ldltInverse(_ string, s Shape, r source) *Problem {
	return symmetricInverse(s, r, 0, func(be blskernel.Backend) factorization { return &lapack.LDLT{Backend: be} })
}

// luInverse checks the residual that inverses by the factors of LU keep small: I - X·A, and for LAPACK,
// which takes A for Aᵀ and X for Xᵀ, I - A·X. (The other one may be larger by the condition of A.)
func luInverse(_ string, s Shape, r source) *Problem {
	n := s.N
	a := r.draw(general(blas.Trans, n, n))
	p, x := inverts(a, n)
	p.bind = func(be blskernel.Backend) func() error {
		f := &lapack.LU{Backend: be}
		return func() error {
			if err := f.FactorizeInPlace(mat.NewDense(n, n, x)); err != nil {
				return err
			}
			_, err := f.InverseInPlace()
			return err
		}
	}
	p.against = func(opponent string) *Problem {
		return inverseByLAPACK(opponent, operand{general(blas.NoTrans, n, n), a.data}, n)
	}
	return p
}

// luSolve has an m×m A and an m×n right-hand side. A call is bound with the factors of A.
func luSolve(_ string, s Shape, r source) *Problem {
	m, n := s.M, s.N
	a, b := r.draw(general(blas.NoTrans, m, m)), r.draw(general(blas.NoTrans, m, n))
	p, x := solves(a, b, m, n)
	p.bind = func(be blskernel.Backend) func() error {
		f := &lapack.LU{Backend: be}
		failed, to := f.Factorize(mat.NewDense(m, m, a.data)), mat.NewDense(m, n, x)
		return func() error {
			if failed != nil {
				return failed
			}
			return f.SolveTo(to, to)
		}
	}
	p.against = func(string) *Problem { return dgetrs(a, b, m, n) }
	return p
}

// dgetrs takes the storage of A for that of Aᵀ by columns, and that of B for the right-hand side by
// columns.
func dgetrs(a, b operand, m, n int) *Problem {
	p, x := solves(operand{general(blas.Trans, m, m), a.data}, operand{general(blas.Trans, m, n), b.data}, m, n)
	p.bind = func(be blskernel.Backend) func() error {
		factors, ipiv := a.copied().data, make([]int32, m)
		info := -1
		return onLAPACK(be, func(l backend.ColumnMajorLAPACK) error {
			if info < 0 { // the first call is no timed one
				info = l.Dgetrf(m, m, factors, m, ipiv)
			}
			return inTurn(info, func() int { return l.Dgetrs(blas.NoTrans, m, n, factors, m, ipiv, x, m) })
		})
	}
	return p
}

// among returns the opponents of the case that are among the given names, in the order of the names.
func (c Case) among(opponents []string) []string {
	return slices.DeleteFunc(slices.Clone(opponents), func(name string) bool { return !slices.Contains(c.Opponents, name) })
}

// Library returns the backend of which the LAPACK is taken for opponents: the first of the given ones
// that has a backend.ColumnMajor, else openblas. The error says why there is none.
func Library(backends []blskernel.Backend) (blskernel.Backend, error) {
	for _, b := range backends {
		if _, ok := backend.ColumnMajor(b); ok {
			return b, nil
		}
	}
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		return nil, err
	}
	if _, ok := backend.ColumnMajor(b); !ok {
		why := cmp.Or(backend.MissingLAPACK(b), "it brings none along")
		return nil, fmt.Errorf("speed: backend %q has no LAPACK: %s", b.Name(), why)
	}
	return b, nil
}

// Against returns the problem that the opponent of the given name has instead of this one, to be run on
// Library's backend. It panics if the case has no such opponent.
func (p *Problem) Against(opponent string) *Problem {
	if !slices.Contains(p.Case.Opponents, opponent) {
		panic("speed: the case has no such opponent")
	}
	q := p.against(opponent)
	q.Case, q.Shape, q.opponent, q.t = p.Case, p.Shape, opponent, p.t
	q.matrix = p.matrix // memory is in multiples of the matrix of the operation
	q.want = q.expected(q.t)
	return q
}

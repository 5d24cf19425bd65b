package speed

import (
	"fmt"
	"math"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// What factorizations give is held against the threshold of LAPACK's own tests of inverses (Working
// Note 41, section 7): ‖I - A·X‖ <= 30n·eps·‖A‖·‖X‖, by the largest sums of rows, for the inverse X of
// A, and the same for ‖B - A·X‖ of a solution, n the larger of order and right-hand sides. For signs t
// no element of (I - A·X)·t is larger than the norm on the left. A·(X·t) itself is computed with an
// error of γ_2n·‖A‖·‖X‖, which is n·eps of it, and B·t with one of half of that.
const factorTerms = 32

// residualBound returns that bound.
func residualBound(n int, normA, normX float64) float64 {
	return factorTerms * float64(n) * 2 * unit * normA * normX
}

// symmetricProblem is what the inverses of symmetric matrices and their opponents share: A is initial
// with shift added to each element of its diagonal, and both it and the inverse are packed.
type symmetricProblem struct {
	n       int
	initial []float64
	ap      []float64 // what is overwritten
}

func (r *source) symmetric(n int) *symmetricProblem {
	return &symmetricProblem{n, r.vector(n * (n + 1) / 2), make([]float64, n*(n+1)/2)}
}

// problem returns the inverse of A in the storage of ap.
func (s *symmetricProblem) problem(shift float64) *Problem {
	normA := packedNorm(s.n, s.shifted(shift))
	bytes := 8 * len(s.ap)
	return &Problem{
		operand:  bytes,
		prepared: bytes,
		reset:    func() { s.restore(s.ap, shift) },
		reads:    true,
		once:     true,
		signs:    s.n,
		result:   func(t []float64) []float64 { return s.times(shift, packedTimes(blas.Upper, s.n, s.ap, t)) },
		expected: func(t []float64) []float64 { return t },
		within:   func() float64 { return residualBound(s.n, normA, packedNorm(s.n, s.ap)) },
	}
}

// restore writes A to dst.
func (s *symmetricProblem) restore(dst []float64, shift float64) {
	copy(dst, s.initial)
	if shift != 0 {
		at := 0
		for i := range s.n {
			dst[at] += shift
			at += s.n - i
		}
	}
}

// shifted returns A in the storage of ap.
func (s *symmetricProblem) shifted(shift float64) []float64 {
	s.restore(s.ap, shift)
	return s.ap
}

// times returns A·t.
func (s *symmetricProblem) times(shift float64, t []float64) []float64 {
	y := packedTimes(blas.Upper, s.n, s.initial, t)
	reference.Daxpy(s.n, shift, t, 1, y, 1)
	return y
}

// A factorization is what lapack.Cholesky and lapack.LDLT are to be timed for.
type factorization interface {
	FactorizeInPlace(a *mat.SymPacked) error
	InverseInPlace() (*mat.SymPacked, error)
}

// invert returns a problem that is solved by a factorization on a backend.
func (s *symmetricProblem) invert(shift float64, on func(b blskernel.Backend) factorization) *Problem {
	p := s.problem(shift)
	p.bind = func(b blskernel.Backend) func() {
		f := on(b)
		return func() {
			err := f.FactorizeInPlace(mat.NewSymPacked(s.n, s.ap))
			if err == nil {
				_, err = f.InverseInPlace()
			}
			p.fail(err)
		}
	}
	return p
}

func (s *symmetricProblem) cholesky() *Problem {
	return s.invert(float64(s.n), func(b blskernel.Backend) factorization { return &lapack.Cholesky{Backend: b} })
}

// full changes p so that the inverse is computed on full storage: by rows in the upper triangle, which
// is by columns the lower one. The other triangle is NaN.
func (s *symmetricProblem) full(p *Problem) matrix {
	a := newMatrix(s.n, s.n)
	poison(a.data)
	p.prepared = 8 * len(a.data)
	pack := func(to func(packed, full []float64)) {
		at := 0
		for i := range s.n {
			to(s.ap[at:at+s.n-i], a.data[i*s.n+i:(i+1)*s.n])
			at += s.n - i
		}
	}
	reset, result := p.reset, p.result
	p.reset = func() {
		reset()
		pack(func(packed, full []float64) { copy(full, packed) })
	}
	p.result = func(t []float64) []float64 {
		pack(func(packed, full []float64) { copy(packed, full) })
		return result(t)
	}
	return a
}

func choleskyInverse(_ string, shape Shape, r *source) *Problem {
	s := r.symmetric(shape.N)
	p := s.cholesky()
	p.against = func(string) *Problem {
		q := s.problem(float64(s.n))
		a := s.full(q)
		q.bind = func(b blskernel.Backend) func() {
			return q.runLAPACK(b, func(l backend.ColumnMajorLAPACK) (string, int) {
				if info := l.Dpotrf(blas.Lower, s.n, a.data, a.ld()); info != 0 {
					return "dpotrf", info
				}
				return "dpotri", l.Dpotri(blas.Lower, s.n, a.data, a.ld())
			})
		}
		return q
	}
	return p
}

func ldltInverse(_ string, shape Shape, r *source) *Problem {
	s := r.symmetric(shape.N)
	p := s.invert(0, func(b blskernel.Backend) factorization { return &lapack.LDLT{Backend: b} })
	p.against = func(opponent string) *Problem {
		switch opponent {
		case "cholesky-inverse":
			return s.cholesky()
		case "dsptrf+dsptri":
			return s.sptri()
		case "dsytrf+dsytri2":
			return s.sytri2()
		}
		panic(fmt.Sprintf("speed: no problem for opponent %q", opponent))
	}
	return p
}

func (s *symmetricProblem) sptri() *Problem {
	p := s.problem(0)
	ipiv, work := p.workspace(s.n, s.n)
	p.bind = func(b blskernel.Backend) func() {
		return p.runLAPACK(b, func(l backend.ColumnMajorLAPACK) (string, int) {
			if info := l.Dsptrf(blas.Lower, s.n, s.ap, ipiv); info != 0 {
				return "dsptrf", info
			}
			return "dsptri", l.Dsptri(blas.Lower, s.n, s.ap, ipiv, work)
		})
	}
	return p
}

func (s *symmetricProblem) sytri2() *Problem {
	p := s.problem(0)
	a := s.full(p)
	ipiv, work := p.workspace(s.n, 67*(s.n+65))
	p.bind = func(b blskernel.Backend) func() {
		return p.runLAPACK(b, func(l backend.ColumnMajorLAPACK) (string, int) {
			if info := l.Dsytrf(blas.Lower, s.n, a.data, a.ld(), ipiv, work); info != 0 {
				return "dsytrf", info
			}
			return "dsytri2", l.Dsytri2(blas.Lower, s.n, a.data, a.ld(), ipiv, work)
		})
	}
	return p
}

// packedNorm returns the largest sum of the absolute values of a row of a packed symmetric matrix.
func packedNorm(n int, ap []float64) float64 {
	sums := make([]float64, n)
	at := 0
	for i := range n {
		for j := i; j < n; j++ {
			v := math.Abs(ap[at])
			at++
			sums[i] += v
			if j > i {
				sums[j] += v
			}
		}
	}
	return largest(sums)
}

// largest returns the largest element, or NaN where there is one.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = math.Max(most, v)
	}
	return most
}

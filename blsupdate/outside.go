package blsupdate

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// outside is C = Axᵀ - AᵀD, the part of the new rows outside the row space of A, by those of its
// singular values that are not rounding noise: Cᵀ = U diag(values) Vᵀ.
type outside struct {
	rank   int
	values []float64
	u, v   *mat.Dense // the first rank columns count
}

// undecidable is the relative tolerance for singular values of C above which its rank is not decided:
// the state is then so ill-conditioned that rounding noise looks like new rows.
const undecidable = 1e-2

// outsidePart decides the rank of C; it is zero, too, where C is not computed.
//
// Singular values up to max(l+q, k) eps κ ‖Ax‖ count as zero, with κ = ‖A‖‖A⁺‖ in Frobenius norms, the largest of
// each so far: rounding in C is of the order eps (‖Ax‖ + ‖A‖‖D‖) for rows in general position and of eps κ(A) ‖Ax‖
// for combinations of the rows of A. After updates and removals the A⁺ that is multiplied by has errors of their
// own, for which there is the factor drift. The rank of A and that of C together are at most k.
func (s *addition) outsidePart() (outside, error) {
	if s.ct == nil {
		return outside{}, nil
	}
	u, q, k := s.u, s.q, s.u.k
	u.counter.Enter(StepRank)
	defer u.counter.Leave()
	kappa := max(1, u.conditionNumber(), u.worst.a*u.worst.plus)
	tolerance := float64(max(u.p.count+q, k)) * eps * kappa * u.drift
	if !(tolerance < undecidable) {
		return outside{}, &ConditionError{What: "the rows so far, whose rank has to be known", RCond: 1 / kappa}
	}
	if isfinite.First(s.ct) >= 0 {
		return outside{}, ErrOverflow
	}
	values, left, right, err := svdThin(u.counter, mat.NewDense(q, k, s.ct))
	if err != nil {
		return outside{}, err
	}
	tolerance *= norm(s.ax)
	rank := 0
	for rank < min(len(values), k-u.rank) && values[rank] > tolerance {
		rank++
	}
	return outside{rank: rank, values: values[:rank], u: left, v: right}, nil
}

// leadingRows returns the indices of as many rows of Cᵀ as its rank which are a well-conditioned basis
// of its row space: the pivots of a QR factorization of C with column pivoting.
func (s *addition) leadingRows(rank int) []int {
	q, k := s.q, s.u.k
	s.u.counter.Enter(StepRank)
	defer s.u.counter.Leave()
	c := make([]float64, k*q)
	for i := range q {
		for j := range k {
			c[j*q+i] = s.ct[i*k+j]
		}
	}
	return leadingColumns(s.u.counter, k, q, c, rank)
}

// leadingColumns returns the first pivots of a QR factorization with column pivoting of the m×n c,
// which is overwritten. It is gonum's, whatever the backend.
func leadingColumns(b blskernel.Backend, m, n int, c []float64, rank int) []int {
	backend.Begin(b, backend.Routine{Name: "Dgeqp3", M: m, N: n})
	pivots := make([]int, n)
	for i := range pivots {
		pivots[i] = -1
	}
	var lapack gonum.Implementation
	work := make([]float64, 1)
	tau := make([]float64, min(m, n))
	lapack.Dgeqp3(m, n, c, n, pivots, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqp3(m, n, c, n, pivots, tau, work, len(work))
	return pivots[:rank]
}

// beyond computes B = (C⁺)ᵀ for a C of full column rank.
func (s *addition) beyond(c outside) {
	counter, q, k := s.u.counter, s.q, s.u.k
	counter.Enter(StepB)
	defer counter.Leave()
	scaleColumns(c.u, c.values)
	ru, rv := c.u.RawMatrix(), c.v.RawMatrix()
	s.bt = make([]float64, q*k) // C⁺ = U diag(1/values) Vᵀ
	counter.Dgemm(blas.NoTrans, blas.Trans, q, k, c.rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, s.bt, k)
}

package pinv

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// outside is C = Axᵀ - AᵀD, the part of the new rows outside the row space of A, by those of its
// singular values that are not rounding noise: Cᵀ = U diag(values) Vᵀ.
type residual struct {
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
func (s *Addition) rowSpaceResidual() (residual, error) {
	if s.ct == nil {
		return residual{}, nil
	}
	u, q, k := s.U, s.Q, s.U.K
	u.Counter.Enter(cost.StepRank)
	defer u.Counter.Leave()
	kappa := max(1, u.conditionNumber(), u.Worst.a*u.Worst.plus)
	tolerance := float64(max(u.P.Count+q, k)) * dense.Eps * kappa * u.drift
	if !(tolerance < undecidable) {
		return residual{}, &api.ConditionError{What: "the rows so far, whose rank has to be known", RCond: 1 / kappa}
	}
	if isfinite.First(s.ct) >= 0 {
		return residual{}, api.ErrOverflow
	}
	values, left, right, err := dense.SvdThin(u.Counter, mat.NewDense(q, k, s.ct))
	if err != nil {
		return residual{}, err
	}
	tolerance *= dense.Norm(s.ax)
	rank := 0
	for rank < min(len(values), k-u.Rank) && values[rank] > tolerance {
		rank++
	}
	return residual{rank: rank, values: values[:rank], u: left, v: right}, nil
}

// leadingRows returns the indices of as many rows of Cᵀ as its rank which are a well-conditioned basis
// of its row space: the pivots of a QR factorization of C with column pivoting.
func (s *Addition) leadingRows(rank int) []int {
	q, k := s.Q, s.U.K
	s.U.Counter.Enter(cost.StepRank)
	defer s.U.Counter.Leave()
	c := make([]float64, k*q)
	for i := range q {
		for j := range k {
			c[j*q+i] = s.ct[i*k+j]
		}
	}
	return dense.LeadingColumns(s.U.Counter, k, q, c, rank)
}

// beyond computes B = (C⁺)ᵀ for a C of full column rank.
func (s *Addition) fullRank(c residual) {
	counter, q, k := s.U.Counter, s.Q, s.U.K
	counter.Enter(cost.StepB)
	defer counter.Leave()
	dense.ScaleColumns(c.u, c.values)
	ru, rv := c.u.RawMatrix(), c.v.RawMatrix()
	s.bt = make([]float64, q*k) // C⁺ = U diag(1/values) Vᵀ
	counter.Dgemm(blas.NoTrans, blas.Trans, q, k, c.rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, s.bt, k)
}

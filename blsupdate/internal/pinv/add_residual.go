package pinv

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A residual is C = Axᵀ - AᵀD, the part of the new rows outside the row space of A, by those of its singular values that
// are not rounding noise: Cᵀ = U diag(values) Vᵀ.
type residual struct {
	rank   int
	values []float64
	u, v   *mat.Dense // the first rank columns count
}

// undecidable is the relative tolerance for singular values of C above which its rank is not decided: the state is then
// so ill-conditioned that rounding noise looks like new rows.
const undecidable = 1e-2

// rowSpaceResidual decides the rank of C, which is zero where C is not computed.
//
// Singular values up to max(l+q, k) eps κ ‖Ax‖ count as zero, with κ = ‖A‖‖A⁺‖ in Frobenius norms, the largest of each so
// far. Rounding in C is about eps (‖Ax‖ + ‖A‖‖D‖) for rows in general position, and eps κ(A) ‖Ax‖ for combinations of the
// rows of A. After updates and removals A⁺ has errors of its own, for which there is the factor drift. The ranks of A and
// of C together are at most k.
func (s *addition) rowSpaceResidual() (residual, error) {
	if s.ct == nil {
		return residual{}, nil
	}
	u, q, k := s.u, s.q, s.u.K
	u.Counter.Enter(cost.StepRank)
	defer u.Counter.Leave()
	kappa := max(1, u.conditionNumber(), u.worst.a*u.worst.plus)
	tolerance := float64(max(u.p.count+q, k)) * dense.Eps * kappa * u.drift
	if !(tolerance < undecidable) {
		return residual{}, &api.ConditionError{What: "the rows so far, whose rank has to be known", RCond: 1 / kappa}
	}
	if isfinite.First(s.ct.RawMatrix().Data) >= 0 {
		return residual{}, api.ErrOverflow
	}
	values, left, right, err := dense.SVD(u.Counter, s.ct)
	if err != nil {
		return residual{}, err
	}
	rank := countAbove(values, tolerance*dense.Norm(s.ax.RawMatrix().Data), k-u.rank)
	return residual{rank: rank, values: values[:rank], u: left, v: right}, nil
}

// countAbove returns how many of the descending values are above the tolerance, at most most.
func countAbove(values []float64, tolerance float64, most int) int {
	rank := 0
	for rank < min(len(values), most) && values[rank] > tolerance {
		rank++
	}
	return rank
}

// leadingRows returns the indices of rank rows of Cᵀ that are a well-conditioned basis of its row space: the pivots of a
// QR factorization of C with column pivoting.
func (s *addition) leadingRows(rank int) []int {
	s.u.Counter.Enter(cost.StepRank)
	defer s.u.Counter.Leave()
	return dense.LeadingColumns(s.u.Counter, dense.Transposed(s.ct), rank)
}

// fullRank computes B = (C⁺)ᵀ for a C of full column rank.
func (s *addition) fullRank(c residual) {
	counter, q, k := s.u.Counter, s.q, s.u.K
	counter.Enter(cost.StepB)
	defer counter.Leave()
	dense.DivideColumns(c.u, c.values)
	ru, rv := c.u.RawMatrix(), c.v.RawMatrix()
	s.bt = mat.NewDense(q, k, nil) // C⁺ = U diag(1/values) Vᵀ
	counter.Dgemm(blas.NoTrans, blas.Trans, q, k, c.rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, s.bt.RawMatrix().Data, k)
}

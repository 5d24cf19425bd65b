package pinv

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// decide finds the rank of C, by the same kind of tolerance as for added rows: singular values up to
// max(l, k+p) eps ‖H‖ max(1, ‖A‖‖A⁺‖) count as zero. A QR factorization shows full rank by the
// condition of R where that leaves no doubt, else by the singular values of R.
func (s *widening) decide() error {
	u, wide := s.u, s.u.K+s.p
	kappa := max(1, u.conditionNumber())
	tolerance := float64(max(s.l, wide)) * dense.Eps * kappa
	if !(tolerance < undecidable) {
		return &api.ConditionError{What: "the columns so far, whose rank has to be known", RCond: 1 / kappa}
	}
	tolerance *= s.h.Norm(2)
	u.Counter.Enter(cost.StepRank)
	defer u.Counter.Leave()
	r := s.c // what has the singular values of C
	if s.l >= s.p {
		qr := lapack.QR{Backend: u.Counter}
		if err := qr.Factorize(s.c); err != nil {
			return api.ErrOverflow
		}
		r = new(mat.Dense)
		qr.RTo(r)
		// The smallest singular value is at least 1/(‖R⁻¹‖₁ sqrt(p)), and the estimate of the norm of
		// the inverse is within a factor 10, if it is wrong at all.
		s.qr, s.r = &qr, r
		if least := qr.RCond() * r.Norm(1) / (10 * math.Sqrt(float64(s.p))); least > tolerance && s.p <= s.l-u.Rank {
			s.way.Rank = s.p
			return nil
		}
	}
	s.way.Values = true
	values, _, _, err := dense.SvdThin(u.Counter, r)
	if err != nil {
		return err
	}
	for s.way.Rank < min(len(values), min(s.l, wide)-u.Rank) && values[s.way.Rank] > tolerance {
		s.way.Rank++
	}
	return nil
}

// leadingNodes returns the indices of as many columns of C as its rank which are a well-conditioned
// basis of its column space.
func (s *widening) leadingNodes() []int {
	s.u.Counter.Enter(cost.StepRank)
	defer s.u.Counter.Leave()
	c := s.c
	if s.r != nil {
		c = s.r // whose columns have the same inner products
	}
	return dense.LeadingColumns(s.u.Counter, dense.Rows(c), s.p, dense.Compact(c), s.way.Rank)
}

// beyond computes Bᵀ = (C⁺)ᵀ = Q R⁻ᵀ for a C of full column rank.
func (s *widening) fullRank() error {
	counter := s.u.Counter
	counter.Enter(cost.StepNodesB)
	defer counter.Leave()
	s.bt = s.qr.QInPlace()
	return s.solveTriangle(s.bt, s.r)
}

// inside computes Bᵀ = P D (I + DᵀD)⁻¹ for C = 0. From the QR factorization of [D; I] with Q = [Q1; Q2]
// that is P Q1 R⁻ᵀ, and the condition of DᵀD does not come in.
func (s *widening) inside() error {
	u, k, p := s.u, s.u.K, s.p
	u.Counter.Enter(cost.StepNodesB)
	defer u.Counter.Leave()
	stacked := mat.NewDense(k+p, p, nil)
	stacked.Slice(0, k, 0, p).(*mat.Dense).Copy(s.d)
	for j := range p {
		stacked.Set(k+j, j, 1)
	}
	qr := lapack.QR{Backend: u.Counter}
	if err := qr.FactorizeInPlace(stacked); err != nil {
		return api.ErrOverflow
	}
	var r mat.Dense
	qr.RTo(&r)
	z := qr.QInPlace().Slice(0, k, 0, p).(*mat.Dense)
	if err := s.solveTriangle(z, &r); err != nil {
		return err
	}
	s.bt = mat.NewDense(s.l, p, nil)
	b, rz := s.bt.RawMatrix(), z.RawMatrix()
	u.P.panels(0, s.l, s.l, func(first, n int, plus []float64) {
		u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, n, p, k, 1, plus, k, rz.Data, rz.Stride, 0, b.Data[first*p:], p)
	})
	return nil
}

// solveTriangle replaces X by X R⁻ᵀ.
func (s *widening) solveTriangle(x, r *mat.Dense) error {
	if err := lapack.SolveTriangularRows(s.u.Counter, x, r, true); err != nil {
		return api.ErrOverflow // R is regular, and X finite
	}
	return nil
}

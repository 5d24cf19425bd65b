package pinv

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"

	"gonum.org/v1/gonum/blas"
)

// newWeights returns W + B (Ya - Ax W).
func (s *Addition) newWeights() ([]float64, error) {
	u, q, k, c := s.U, s.Q, s.U.K, s.U.C
	u.Counter.Enter(cost.StepWeights)
	defer u.Counter.Leave()
	u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, q, c, k, -1, s.ax, k, u.W, c, 1, s.ya, c)
	w := append([]float64(nil), u.W...)
	u.Counter.Dgemm(blas.Trans, blas.NoTrans, k, c, q, 1, s.bt, k, s.ya, c, 1, w, c)
	if isfinite.First(w) >= 0 {
		return nil, api.ErrOverflow
	}
	return w, nil
}

// checkOverflow makes sure that A⁺ - B Dᵀ, which is computed in place, will be finite: no element of
// B Dᵀ is larger than the product of the norms of B and D, and ‖D‖ is at most ‖A⁺‖‖Ax‖.
func (s *Addition) checkOverflow() error {
	b := dense.Norm(s.bt)
	if !(b < math.MaxFloat64/4) {
		return api.ErrOverflow
	}
	// For C = 0 no row of B Dᵀ is larger than one of A⁺; only otherwise can the product be anything.
	if s.ct != nil {
		if bound := b * (s.U.P.norm() * dense.Norm(s.ax)); !(bound < math.MaxFloat64/2) {
			return api.ErrOverflow
		}
	}
	return nil
}

// commit changes the state; nothing in it can fail.
func (s *Addition) commit(w []float64, rankC int) {
	u, q, k := s.U, s.Q, s.U.K
	_ = s.eachD(context.Background(), cost.StepDAgain, func(_, n int, p, d []float64) {
		u.Counter.Enter(cost.StepPseudoinverse)
		u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, n, k, q, -1, d, q, s.bt, k, 1, p, k)
	})
	u.P.Append(s.bt)
	u.W = w
	u.Norm = math.Hypot(u.Norm, dense.Norm(s.ax))
	u.drift = max(u.drift, updatedDrift)
	if s.form == api.Large {
		u.Worst.Power = 2
	}
	if rankC > 0 { // only then can A⁺ have grown
		u.remember(u.P.norm())
	} else {
		u.remember(0)
	}
	if u.computesC() {
		u.A.Append(s.ax)
		u.Rank = min(u.Rank+rankC, k)
		if !u.computesC() {
			u.A = Rows{Cols: k}
		}
	}
}

package blsupdate

import (
	"context"
	"math"

	"blskernel/internal/isfinite"

	"gonum.org/v1/gonum/blas"
)

// newWeights returns W + B (Ya - Ax W).
func (s *addition) newWeights() ([]float64, error) {
	u, q, k, c := s.u, s.q, s.u.k, s.u.c
	u.counter.Enter(StepWeights)
	defer u.counter.Leave()
	u.counter.Dgemm(blas.NoTrans, blas.NoTrans, q, c, k, -1, s.ax, k, u.w, c, 1, s.ya, c)
	w := append([]float64(nil), u.w...)
	u.counter.Dgemm(blas.Trans, blas.NoTrans, k, c, q, 1, s.bt, k, s.ya, c, 1, w, c)
	if isfinite.First(w) >= 0 {
		return nil, ErrOverflow
	}
	return w, nil
}

// checkOverflow makes sure that A⁺ - B Dᵀ, which is computed in place, will be finite: no element of
// B Dᵀ is larger than the product of the norms of B and D, and ‖D‖ is at most ‖A⁺‖‖Ax‖.
func (s *addition) checkOverflow() error {
	b := norm(s.bt)
	if !(b < math.MaxFloat64/4) {
		return ErrOverflow
	}
	// For C = 0 no row of B Dᵀ is larger than one of A⁺; only otherwise can the product be anything.
	if s.ct != nil {
		if bound := b * (s.u.p.norm() * norm(s.ax)); !(bound < math.MaxFloat64/2) {
			return ErrOverflow
		}
	}
	return nil
}

// commit changes the state; nothing in it can fail.
func (s *addition) commit(w []float64, rankC int) {
	u, q, k := s.u, s.q, s.u.k
	_ = s.eachD(context.Background(), StepDAgain, func(_, n int, p, d []float64) {
		u.counter.Enter(StepPseudoinverse)
		u.counter.Dgemm(blas.NoTrans, blas.NoTrans, n, k, q, -1, d, q, s.bt, k, 1, p, k)
	})
	u.p.append(s.bt)
	u.w = w
	u.norm = math.Hypot(u.norm, norm(s.ax))
	u.drift = max(u.drift, updatedDrift)
	if s.form == Large {
		u.worst.power = 2
	}
	if rankC > 0 { // only then can A⁺ have grown
		u.remember(u.p.norm())
	} else {
		u.remember(0)
	}
	if u.computesC() {
		u.a.append(s.ax)
		u.rank = min(u.rank+rankC, k)
		if !u.computesC() {
			u.a = rows{cols: k}
		}
	}
}

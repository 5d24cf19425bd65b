package pinv

import (
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// project computes D = P Axᵀ and Dbarᵀ = DᵀP, and DᵀD in Original and Cᵀ where they are wanted, in
// one pass over P.
func (s *Addition) project(ctx context.Context) error {
	u, q, k := s.U, s.Q, s.U.K
	s.d = make([]float64, s.kept*q)
	s.dbar = make([]float64, q*k)
	if u.Method == api.Original {
		s.Inner = mat.NewSymPacked(q, nil)
	}
	if u.computesC() {
		s.ct = append([]float64(nil), s.ax...)
	}
	return s.eachD(ctx, cost.StepD, func(first, n int, p, d []float64) {
		u.Counter.Enter(cost.StepDbar)
		u.Counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, 1, d, q, p, k, 1, s.dbar, k)
		if s.Inner != nil {
			u.Counter.Enter(cost.StepInner)
			u.Counter.Dsprk(blas.Trans, q, n, 1, d, q, 1, s.Inner.RawSymPacked().Data)
		}
		if s.ct != nil {
			u.Counter.Enter(cost.StepC)
			u.A.panels(first, first+n, n, func(i, n int, a []float64) {
				u.Counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, -1, d[(i-first)*q:], q, a, k, 1, s.ct, k)
			})
		}
	})
}

// eachD calls f for every panel of P with the same rows of D, which are computed as part of step: all
// of them for StepD, which fills s.d, and only those that are not in s.d for StepDAgain. It looks at ctx before each
// panel.
func (s *Addition) eachD(ctx context.Context, step cost.Step, f func(first, n int, p, d []float64)) error {
	u, q, k := s.U, s.Q, s.U.K
	var err error
	stop := func() bool {
		if err == nil {
			err = interrupt.Check(ctx)
		}
		return err != nil
	}
	project := func(n int, p, d []float64) {
		u.Counter.Enter(step)
		u.Counter.Dgemm(blas.NoTrans, blas.Trans, n, q, k, 1, p, k, s.ax, k, 0, d, q)
	}
	u.P.panels(0, s.kept, keptPanelRows(q), func(first, n int, p []float64) {
		if stop() {
			return
		}
		d := s.d[first*q : (first+n)*q]
		if step == cost.StepD {
			project(n, p, d)
		}
		f(first, n, p, d)
	})
	var scratch []float64
	most := min(PanelRows(q), u.P.Count-s.kept)
	u.P.panels(s.kept, u.P.Count, most, func(first, n int, p []float64) {
		if stop() {
			return
		}
		if scratch == nil {
			scratch = make([]float64, most*q)
		}
		d := scratch[:n*q]
		project(n, p, d)
		f(first, n, p, d)
	})
	u.Counter.Leave()
	return err
}

// keptPanelRows returns the number of rows of P that are gone through together with q new rows where D is kept: as many
// as in other sums over rows, and fewer for very many new rows, but not so few that the products become slower.
func keptPanelRows(q int) int {
	return max(state.ContextRows/8, min(state.ContextRows, state.ContextRows*state.ContextRows/q))
}

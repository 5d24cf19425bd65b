package blsupdate

import (
	"context"

	"blskernel/internal/interrupt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// project computes D = P Axᵀ and Dbarᵀ = DᵀP, and DᵀD in Original and Cᵀ where they are wanted, in
// one pass over P.
func (s *addition) project(ctx context.Context) error {
	u, q, k := s.u, s.q, s.u.k
	s.d = make([]float64, s.kept*q)
	s.dbar = make([]float64, q*k)
	if u.method == Original {
		s.inner = mat.NewSymPacked(q, nil)
	}
	if u.computesC() {
		s.ct = append([]float64(nil), s.ax...)
	}
	return s.eachD(ctx, StepD, func(first, n int, p, d []float64) {
		u.counter.Enter(StepDbar)
		u.counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, 1, d, q, p, k, 1, s.dbar, k)
		if s.inner != nil {
			u.counter.Enter(StepInner)
			u.counter.Dsprk(blas.Trans, q, n, 1, d, q, 1, s.inner.RawSymPacked().Data)
		}
		if s.ct != nil {
			u.counter.Enter(StepC)
			u.a.panels(first, first+n, n, func(i, n int, a []float64) {
				u.counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, -1, d[(i-first)*q:], q, a, k, 1, s.ct, k)
			})
		}
	})
}

// eachD calls f for every panel of P with the same rows of D, which are computed as part of step: all
// of them for StepD, which fills s.d, and only those that are not in s.d for StepDAgain. It looks at ctx before each
// panel.
func (s *addition) eachD(ctx context.Context, step Step, f func(first, n int, p, d []float64)) error {
	u, q, k := s.u, s.q, s.u.k
	var err error
	stop := func() bool {
		if err == nil {
			err = interrupt.Check(ctx)
		}
		return err != nil
	}
	project := func(n int, p, d []float64) {
		u.counter.Enter(step)
		u.counter.Dgemm(blas.NoTrans, blas.Trans, n, q, k, 1, p, k, s.ax, k, 0, d, q)
	}
	u.p.panels(0, s.kept, keptPanelRows(q), func(first, n int, p []float64) {
		if stop() {
			return
		}
		d := s.d[first*q : (first+n)*q]
		if step == StepD {
			project(n, p, d)
		}
		f(first, n, p, d)
	})
	var scratch []float64
	most := min(panelRows(q), u.p.count-s.kept)
	u.p.panels(s.kept, u.p.count, most, func(first, n int, p []float64) {
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
	u.counter.Leave()
	return err
}

// keptPanelRows returns the number of rows of P that are gone through together with q new rows where D is kept: as many
// as in other sums over rows, and fewer for very many new rows, but not so few that the products become slower.
func keptPanelRows(q int) int { return max(contextRows/8, min(contextRows, contextRows*contextRows/q)) }

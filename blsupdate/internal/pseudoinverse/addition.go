package pseudoinverse

import (
	"context"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// An addition holds the intermediate results of an update, before the state changes.
type addition struct {
	u      *State
	q      int
	ax, ya *mat.Dense // q×k and q×c, contiguous
	form   types.Form // Small or Large, or Auto if C has rank q
	solve  bool       // see Options.Solve

	kept  int            // rows of D that are kept
	d     []float64      // the kept rows, kept×q, and a panel of the other rows
	dbar  *mat.Dense     // Dbarᵀ = DᵀA⁺ᵀ, q×k
	inner *mat.SymPacked // DᵀD, q×q: formed at once in Original, on demand in Improved
	ct    *mat.Dense     // Cᵀ = Ax - DᵀA, q×k, if it is computed
	bt    *mat.Dense     // Bᵀ, q×k

	// left overwrites the residuals E of the rows with (I + DᵀD)⁻¹E, the residuals after the
	// update, by the factor that gave B. In the form Large it is nil.
	left func(e *mat.Dense) error
}

// project computes D = P Axᵀ and Dbarᵀ = DᵀP, with P = (A⁺)ᵀ; also DᵀD in Original, and Cᵀ if C is
// needed. It makes one pass over P.
func (s *addition) project(ctx context.Context) error {
	u, q := s.u, s.q
	u.Counter.Enter(cost.StepD)
	s.reserveD(cost.KeptRows(u.Options, u.p.count, q))
	s.dbar = mat.NewDense(q, u.K, nil)
	if u.Method == types.Original {
		s.inner = mat.NewSymPacked(q, nil)
	}
	if u.computesC() {
		s.ct = dense.Copy(s.ax)
	}
	return s.eachD(ctx, cost.StepD, func(first int, p, d *mat.Dense) {
		u.Counter.Enter(cost.StepDbar)
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, d, p, 1, s.dbar)
		if s.inner != nil {
			u.Counter.Enter(cost.StepInner)
			dense.Sprk(u.Counter, 1, d, 1, s.inner)
		}
		if s.ct != nil {
			u.Counter.Enter(cost.StepC)
			n := dense.Rows(d)
			u.a.panels(first, first+n, n, func(i int, a *mat.Dense) {
				rows := dense.RowRange(d, i-first, i-first+dense.Rows(a))
				dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, -1, rows, a, 1, s.ct)
			})
		}
	})
}

// reserveD allocates storage for the given number of kept rows of D, and for a panel of its other rows.
func (s *addition) reserveD(kept int) {
	s.kept = kept
	s.d = memory.Zeros((kept + min(panelRows(s.q), s.u.p.count-kept)) * s.q)
}

// eachD calls f for panels of P with the corresponding rows of D, and checks ctx before each. It
// computes rows of D, and counts their flops in step: all for StepD, otherwise the rows not kept.
func (s *addition) eachD(ctx context.Context, step cost.Step, f func(first int, p, d *mat.Dense)) (err error) {
	u, q := s.u, s.q
	panel := func(first int, p *mat.Dense) {
		if err == nil {
			err = interrupt.Check(ctx)
		}
		if err != nil {
			return
		}
		n := dense.Rows(p)
		d := mat.NewDense(n, q, s.d[min(first, s.kept)*q:][:n*q])
		if step == cost.StepD || first >= s.kept {
			u.Counter.Enter(step)
			dense.Gemm(u.Counter, blas.NoTrans, blas.Trans, 1, p, s.ax, 0, d)
		}
		f(first, p, d)
	}
	u.p.panels(0, s.kept, keptPanelRows(q), panel)
	u.p.panels(s.kept, u.p.count, panelRows(q), panel)
	return err
}

// panelRows returns the number of rows of P in a panel if D is not kept. With 1024 rows Dgemm runs at
// full speed; there are fewer if the panel of D would exceed 64 MiB, but at least 16.
func panelRows(q int) int { return max(16, min(1024, (64<<20)/(8*q))) }

// keptPanelRows returns the number of rows of P in a panel if D is kept: state.PanelRows, or fewer for
// a larger batch. Even the minimum, an eighth of PanelRows, keeps products fast.
func keptPanelRows(q int) int {
	const rows = state.PanelRows
	return max(rows/8, min(rows, rows*rows/q))
}

// subtract computes A⁺ := A⁺ - B Dᵀ, and the rows of D that are not kept, which it counts in step.
func (s *addition) subtract(step cost.Step) {
	u := s.u
	_ = s.eachD(context.Background(), step, func(_ int, p, d *mat.Dense) {
		u.Counter.Enter(cost.StepPseudoinverse)
		dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, -1, d, s.bt, 1, p)
	})
}

package pinv

import (
	"context"
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/elementary"
	"blskernel/internal/interrupt"
	"blskernel/internal/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Add adds rows in the form that the options say.
func (u *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	least, rows := min(q, u.K), memory.Floats(q, u.K)
	d := memory.Floats(cost.KeptRows(u.Options, u.p.count, least), least)
	// For Ax, and D or B.
	if err := u.Reserve(q, memory.Sum(rows, max(rows, d))); err != nil {
		return out, err
	}
	shape, opt := u.shape(q).Shape, u.Options
	switch {
	case u.Method == api.Original:
		opt.Form, opt.Solve = api.Small, false
	case opt.Form != api.Paper: // which is resolved for each part of the batch
		opt.Form = cost.Resolve(opt, shape)
	}
	if opt.Form == api.Compressed {
		out, err = u.addCompressed(ctx, ax, ya, shape, opt)
	} else {
		out, err = u.addRows(ctx, dense.Copy(ax), dense.Copy(ya), opt)
	}
	if err == nil {
		u.learnRows(ax, ya)
	}
	return out, err
}

// shape returns the sizes of an update by q rows as far as they are known before it.
func (u *State) shape(q int) cost.AddedShape {
	return cost.AddedShape{Shape: cost.Shape{L: u.p.count, K: u.K, Q: q, C: u.C}, CheckC: u.computesC()}
}

// An addition is an update under way: what is computed from the state before the state changes.
type addition struct {
	u      *State
	q      int
	ax, ya *mat.Dense // q×k, q×c, without gaps
	form   api.Form   // Small or Large, or Auto where C is not zero
	solve  bool       // see Options.Solve

	kept  int            // rows of D that are kept
	d     []float64      // those rows, kept×q, and a panel of others
	dbar  *mat.Dense     // Dbarᵀ = DᵀA⁺ᵀ, q×k
	inner *mat.SymPacked // DᵀD, q×q: at once in Original, on demand in Improved
	ct    *mat.Dense     // Cᵀ = Ax - DᵀA, q×k, where it is computed
	bt    *mat.Dense     // Bᵀ, q×k
}

// addRows adds rows in the form Small, Large or Paper, and returns what was done. It overwrites ax and
// ya. After an error the state is unchanged.
func (u *State) addRows(ctx context.Context, ax, ya *mat.Dense, opt api.Options) (out state.Outcome, err error) {
	shape := u.shape(dense.Rows(ax))
	s := &addition{u: u, q: shape.Q, ax: ax, ya: ya, form: cost.Resolve(opt, shape.Shape), solve: opt.Solve}
	if err := s.project(ctx); err != nil {
		return out, err
	}
	rank, err := s.rowSpaceResidual()
	if err != nil {
		return out, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	shape.RankC = rank
	var first []int // the rows to add before the others, where the batch is divided
	switch {
	case 0 < rank && rank < s.q: // those that complete the row space; the others lie in it
		first = s.leadingRows(rank)
	case rank == s.q: // B is there
	case s.form == api.Large:
		err = s.large(ctx)
	default:
		size := s.innerNorm()
		if !(size <= math.MaxFloat64) {
			return out, api.ErrOverflow
		}
		shape.Large = size > largeNorm && s.q > 1
		switch {
		case !shape.Large:
			err = s.small()
		case s.kept == shape.L:
			err = s.smallOrthogonal(ctx)
		default: // D is not kept; a single row needs no help
			first = order(s.q)[:s.q/2]
		}
	}
	if err != nil {
		return out, err
	}
	shape.Split = first != nil
	out.Model = cost.MergeModels(cost.PinvAdd(u.Method, s.form, opt, shape))
	if shape.Split {
		return u.addParts(ctx, s, first, opt, out)
	}
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	w, err := s.newWeights()
	if err != nil {
		return out, err
	}
	if err := s.checkOverflow(); err != nil {
		return out, err
	}
	s.apply(w, shape.RankC)
	out.Form, out.RankC = s.form, shape.RankC
	return out, nil
}

// addParts adds the rows of s in two parts, those of the indices first and then the others, and
// restores their order. out is the work that led to the decision.
func (u *State) addParts(ctx context.Context, s *addition, first []int, opt api.Options, out state.Outcome) (state.Outcome, error) {
	if err := u.Reserve(s.q, memory.Floats(u.p.count, u.K)); err != nil {
		return out, err
	}
	saved, l, all := u.save(), u.p.count, completed(first, s.q)
	for _, part := range [][]int{all[:len(first)], all[len(first):]} {
		done, err := u.addRows(ctx, pickRows(s.ax, part), pickRows(s.ya, part), opt)
		if err != nil {
			*u = saved
			return out, err
		}
		out.Model = cost.MergeModels(out.Model, done.Model)
		out.RankC += done.RankC
		out.Form = max(out.Form, done.Form)
	}
	u.p.reorder(l, all)
	if u.a.count == u.p.count {
		u.a.reorder(l, all)
	}
	return out, nil
}

// completed returns the indices below n, those in first before the others.
func completed(first []int, n int) []int {
	others := order(n)
	for _, i := range first {
		others[i] = -1
	}
	return slices.Concat(first, slices.DeleteFunc(others, func(i int) bool { return i < 0 }))
}

// order returns the indices below n.
func order(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// pickRows returns a copy of the given rows of m.
func pickRows(m *mat.Dense, which []int) *mat.Dense {
	out := mat.NewDense(len(which), dense.Cols(m), nil)
	for i, row := range which {
		copy(out.RawRowView(i), m.RawRowView(row))
	}
	return out
}

// project computes D = P Axᵀ and Dbarᵀ = DᵀP, and DᵀD in Original and Cᵀ where they are wanted, in one
// pass over P.
func (s *addition) project(ctx context.Context) error {
	u, q := s.u, s.q
	s.reserveD(cost.KeptRows(u.Options, u.p.count, q))
	s.dbar = mat.NewDense(q, u.K, nil)
	if u.Method == api.Original {
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

// reserveD makes room for kept rows of D, and for a panel of the others.
func (s *addition) reserveD(kept int) {
	s.kept = kept
	s.d = memory.Zeros((kept + min(panelRows(s.q), s.u.p.count-kept)) * s.q)
}

// eachD calls f for panels of P with the same rows of D, and checks ctx before each. It computes rows
// of D in the given step: all of them in StepD, and in StepDAgain those that are not kept.
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

// panelRows returns the number of rows of P in a panel where D is not kept: 1024, enough for Dgemm to
// run at full speed, or what fits into 64 MB of D.
func panelRows(q int) int { return max(16, min(1024, (64<<20)/(8*q))) }

// keptPanelRows returns that where D is kept: as in other sums over rows, and fewer for very many new
// rows, but not so few that the products become slower.
func keptPanelRows(q int) int {
	const rows = state.PanelRows
	return max(rows/8, min(rows, rows*rows/q))
}

// newWeights returns W + B (Ya - Ax W). It overwrites Ya.
func (s *addition) newWeights() (*mat.Dense, error) {
	u := s.u
	u.Counter.Enter(cost.StepWeights)
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, -1, s.ax, u.w, 1, s.ya)
	w := dense.Copy(u.w)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.bt, s.ya, 1, w)
	if !dense.Finite(w) {
		return nil, api.ErrOverflow
	}
	return w, nil
}

// checkOverflow returns ErrOverflow unless A⁺ - B Dᵀ, which is computed in place, will be finite. No
// element of B Dᵀ is larger than the product of the norms of B and D, and ‖D‖ is at most ‖A⁺‖‖Ax‖.
func (s *addition) checkOverflow() error {
	b := dense.Norm(s.bt.RawMatrix().Data)
	if !(b < math.MaxFloat64/4) {
		return api.ErrOverflow
	}
	// For C = 0 no row of B Dᵀ is larger than one of A⁺; otherwise the product can be anything.
	if s.ct != nil {
		if bound := b * (s.u.p.norm() * dense.Norm(s.ax.RawMatrix().Data)); !(bound < math.MaxFloat64/2) {
			return api.ErrOverflow
		}
	}
	return nil
}

// apply changes the state. It cannot fail.
func (s *addition) apply(w *mat.Dense, rankC int) {
	u := s.u
	s.subtract(cost.StepDAgain)
	u.p.append(s.bt.RawMatrix().Data)
	u.w = w
	u.norm = elementary.Hypot(u.norm, dense.Norm(s.ax.RawMatrix().Data))
	u.drift = max(u.drift, updatedDrift)
	if s.form == api.Large {
		u.worst.power = 2
	}
	if rankC > 0 { // only then can A⁺ have grown
		u.remember(u.p.norm())
	} else {
		u.remember(0)
	}
	if u.computesC() {
		u.a.append(s.ax.RawMatrix().Data)
		u.rank = min(u.rank+rankC, u.K)
		if !u.computesC() {
			u.a = rows{cols: u.K}
		}
	}
}

// subtract computes A⁺ := A⁺ - B Dᵀ, with D computed in the given step where it is not kept.
func (s *addition) subtract(step cost.Step) {
	u := s.u
	_ = s.eachD(context.Background(), step, func(_ int, p, d *mat.Dense) {
		u.Counter.Enter(cost.StepPseudoinverse)
		dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, -1, d, s.bt, 1, p)
	})
}

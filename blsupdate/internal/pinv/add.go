package pinv

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Add adds rows in the form that the options say.
func (u *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	shape, form, how := u.shape(dense.Rows(ax)), api.Small, strategy{form: api.Small}
	if u.method == api.Improved {
		form = cost.Resolve(u.Options, shape.Shape)
		how = strategy{form, u.Options.Solve}
		if u.Options.Form == api.Paper {
			how.form = api.Paper
		}
	}
	if form == api.Compressed {
		out, err = u.addCompressed(ctx, ax, ya, shape.Shape)
	} else {
		var parts []part
		parts, err = u.addRows(ctx, dense.Copy(ax), dense.Copy(ya), how)
		out = u.outcome(parts)
	}
	if err == nil && u.keys != nil {
		u.keys = append(u.keys, rowKeys(ya, ax)...)
	}
	return out, err
}

// shape returns the sizes of an update by q rows as far as they are known before it.
func (u *State) shape(q int) cost.AddedShape {
	return cost.AddedShape{Shape: cost.Shape{L: u.p.count, K: u.K, Q: q, C: u.C}, CheckC: u.computesC()}
}

// A strategy is how B is found where C is zero.
type strategy struct {
	form  api.Form // Small, Large or, to choose between them by the size of every part of the batch, Paper
	solve bool     // see Options.Solve
}

// A part is what was done about a part of a batch. Its form is Small or Large, or Auto where C is not
// zero.
type part struct {
	strategy
	shape cost.AddedShape
}

// outcome returns what was done in all parts together.
func (u *State) outcome(parts []part) (out state.Outcome) {
	var models [][]cost.StepFlops
	for _, p := range parts {
		if !p.shape.Split {
			out.RankC += p.shape.RankC
			out.Form = max(out.Form, p.form)
		}
		opt := api.Options{Solve: p.solve, Workspace: u.Options.Workspace}
		models = append(models, cost.PinvAdd(u.method, p.form, opt, p.shape))
	}
	out.Model = cost.MergeModels(models...)
	return out
}

// An addition is an update under way: what is computed from the state before the state changes.
type addition struct {
	u *State
	strategy
	q      int
	ax, ya *mat.Dense // q×k, q×c, without gaps

	kept  int            // rows of D that are kept
	d     []float64      // those rows, kept×q
	dbar  *mat.Dense     // Dbarᵀ = DᵀA⁺ᵀ, q×k
	inner *mat.SymPacked // DᵀD, q×q: at once in Original, on demand in Improved
	ct    *mat.Dense     // Cᵀ = Ax - DᵀA, q×k, where it is computed
	bt    *mat.Dense     // Bᵀ, q×k
	rest  float64        // 1-h of a removal
}

// addRows adds rows, and returns what was done. It overwrites ax and ya. After an error the state is
// unchanged.
func (u *State) addRows(ctx context.Context, ax, ya *mat.Dense, how strategy) ([]part, error) {
	s := &addition{u: u, strategy: how, q: dense.Rows(ax), ax: ax, ya: ya}
	shape := u.shape(s.q)
	s.kept = cost.KeptRows(u.Options, shape.L, s.q)
	if s.form == api.Paper {
		s.form = cost.Resolve(api.Options{Form: api.Paper}, shape.Shape)
	}
	if err := s.project(ctx); err != nil {
		return nil, err
	}
	c, err := s.rowSpaceResidual()
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	shape.RankC = c.rank
	switch {
	case 0 < c.rank && c.rank < s.q: // first the rows that complete the row space, then the others, which lie in it
		shape.Split = true
		return u.addParts(ctx, s, s.leadingRows(c.rank), part{s.strategy, shape}, how)
	case c.rank == s.q:
		s.form = api.Auto
		s.fullRank(c)
	case s.form == api.Large:
		err = s.large(ctx)
	default:
		size := s.innerNorm()
		if !(size <= math.MaxFloat64) {
			return nil, api.ErrOverflow
		}
		shape.Large = size > largeNorm && s.q > 1
		switch {
		case !shape.Large:
			err = s.small()
		case s.kept == shape.L:
			err = s.smallOrthogonal()
		default: // D is not kept; a single row needs no help
			shape.Split = true
			return u.addParts(ctx, s, firstHalf(s.q), part{s.strategy, shape}, how)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	w, err := s.newWeights()
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	if err := s.checkOverflow(); err != nil {
		return nil, err
	}
	s.apply(w, shape.RankC)
	return []part{{s.strategy, shape}}, nil
}

// project computes D = P Axᵀ and Dbarᵀ = DᵀP, and DᵀD in Original and Cᵀ where they are wanted, in one
// pass over P.
func (s *addition) project(ctx context.Context) error {
	u, q := s.u, s.q
	s.d = make([]float64, s.kept*q)
	s.dbar = mat.NewDense(q, u.K, nil)
	if u.method == api.Original {
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

// eachD calls f for panels of P with the same rows of D, and checks ctx before each. It computes rows
// of D in the given step: all of them in StepD, which fills s.d, and in StepDAgain those that are not
// in s.d.
func (s *addition) eachD(ctx context.Context, step cost.Step, f func(first int, p, d *mat.Dense)) error {
	u, q := s.u, s.q
	defer u.Counter.Leave()
	var err error
	each := func(from, to, most int, compute bool, rows func(first, n int) []float64) {
		u.p.panels(from, to, most, func(first int, p *mat.Dense) {
			if err == nil {
				err = interrupt.Check(ctx)
			}
			if err != nil {
				return
			}
			n := dense.Rows(p)
			d := mat.NewDense(n, q, rows(first, n))
			if compute {
				u.Counter.Enter(step)
				dense.Gemm(u.Counter, blas.NoTrans, blas.Trans, 1, p, s.ax, 0, d)
			}
			f(first, p, d)
		})
	}
	each(0, s.kept, keptPanelRows(q), step == cost.StepD, func(first, n int) []float64 { return s.d[first*q : (first+n)*q] })
	var scratch []float64
	most := min(panelRows(q), u.p.count-s.kept)
	each(s.kept, u.p.count, most, true, func(_, n int) []float64 {
		if scratch == nil {
			scratch = make([]float64, most*q)
		}
		return scratch[:n*q]
	})
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
	defer u.Counter.Leave()
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, -1, s.ax, u.w, 1, s.ya)
	w := dense.Copy(u.w)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.bt, s.ya, 1, w)
	if isfinite.First(w.RawMatrix().Data) >= 0 {
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
	u.norm = math.Hypot(u.norm, dense.Norm(s.ax.RawMatrix().Data))
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

package pseudoinverse

import (
	"context"
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Add adds the rows ax with the targets ya, in the form that the options select.
func (u *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	least, rows := min(q, u.K), memory.Floats(q, u.K)
	d := memory.Floats(cost.KeptRows(u.Options, u.p.count, least), least)
	if err := u.Reserve(types.ActionAdd, q, memory.Sum(rows, max(rows, d))); err != nil { // for Ax, and D or B
		return out, err
	}
	shape, opt := u.shape(q).Shape, u.Options
	switch {
	case u.Method == types.Original:
		opt.Form, opt.Solve = types.Small, false
	case opt.Form != types.Paper: // Paper is resolved for each part of the batch
		opt.Form = cost.Resolve(opt, shape)
	}
	before, growing := *u, u.computesC() && u.rank < u.K
	if opt.Form == types.Compressed {
		out, err = u.addCompressed(ctx, ax, ya, shape, opt)
	} else {
		out, err = u.addRows(ctx, dense.Copy(ax), dense.Copy(ya), opt, shape.L+q, false)
	}
	if err != nil {
		u.doubt = before.doubt // parts of the batch may have set it
	} else {
		u.size.Y = slices.Clone(u.size.Y)
		state.AddLengths(u.size.Y, dense.ColumnNorms(ya))
		u.size.Err(state.Unit(q, u.K))
		u.learnRows(ax, ya)
		if growing && u.rank == u.K {
			out.Model = cost.Plus(out.Model, u.renew(&before, ax, ya))
		}
	}
	return out, err
}

// renew recomputes A⁺ and W from a QR factorization of all rows, once the rank has reached k. before is
// the state without the new rows ax and ya. While the rank grew, A⁺ gained errors of eps κ². If Y is
// not known, the fitted values of the earlier rows replace it. renew returns its steps of the flop
// model. It changes nothing after an error, or if A is still rank-deficient to working precision.
func (u *State) renew(before *State, ax, ya *mat.Dense) []cost.StepFlops {
	l, q := before.a.count, dense.Rows(ax)
	a, y := mat.NewDense(l+q, u.K, nil), mat.NewDense(l+q, u.C, nil)
	before.a.blockwise(func(first int, m *mat.Dense) { dense.Place(a, first, 0, m) })
	dense.Place(a, l, 0, ax)
	if u.keys != nil {
		u.y.blockwise(func(first int, m *mat.Dense) { dense.Place(y, first, 0, m) })
	} else {
		fit := dense.RowRange(y, 0, l)
		dense.Gemm(u.Counter.Unwrap(), blas.NoTrans, blas.NoTrans, 1, dense.RowRange(a, 0, l), before.w, 0, fit)
		dense.Place(y, l, 0, ya)
	}
	next, out := State{Base: u.Base, keys: u.keys, y: u.y, rank: u.K}, state.Outcome{Start: types.StartSVD}
	next.noteNorms(a, y)
	dense.Add(next.size.ErrY, 1, before.size.ErrY) // of targets, and the misfit of the start
	if u.keys == nil {
		next.size.ErrWeights(before.Condition().Error, 0, before.w)
	}
	p, err := next.startQR(context.Background(), a, y, &out)
	if err == nil && next.rank == u.K {
		err = next.finish(context.Background(), p, a, y)
	}
	model := cost.PseudoinverseStart(u.Options, cost.Shape{L: l + q, K: u.K, C: u.C, Start: out.Start, Rank: next.rank})
	if next.rank < u.K {
		return model[:len(model)-1] // W stays
	}
	if err == nil {
		if u.keys == nil { // the residuals of the earlier rows, which the fitted values lack
			next.NoteSquares(1, before.Sums.RSS)
		}
		*u = next
	}
	return model
}

func (u *State) reserveRenewal(rankC, total int) error {
	if rankC == 0 || u.rank+rankC < u.K {
		return nil
	}
	bytes := memory.Sum(memory.Floats(2*total, u.K), memory.Floats(total, u.C), memory.Floats(u.K, u.K)) // of A, Q, Y and R
	return u.Reserve(types.ActionAdd, total-u.p.count, bytes)
}

// shape returns the sizes of an update by q rows, as far as they are known beforehand.
func (u *State) shape(q int) cost.AddedShape {
	return cost.AddedShape{Shape: cost.Shape{L: u.p.count, K: u.K, Q: q, C: u.C}, CheckC: u.computesC()}
}

// addRows adds rows in the form opt.Form, which is Small, Large or Paper, and returns the outcome. It
// overwrites ya and may keep ax. total is l after the whole batch; part is set if ax is only a part of
// the batch. After an error the state is unchanged, unless part is set: then the caller restores it.
func (u *State) addRows(ctx context.Context, ax, ya *mat.Dense, opt types.Options, total int, part bool) (out state.Outcome, err error) {
	shape := u.shape(dense.Rows(ax))
	s := &addition{u: u, q: shape.Q, ax: ax, ya: ya, form: cost.Resolve(opt, shape.Shape), solve: opt.Solve}
	if err := s.project(ctx); err != nil {
		return out, err
	}
	c, err := s.rowSpaceResidual()
	if err != nil {
		return out, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	shape.RankC = len(c.values)
	if err := u.reserveRenewal(shape.RankC, total); err != nil {
		return out, err
	}
	var first []int // the rows to add before the others, if the batch is divided
	switch {
	case 0 < shape.RankC && shape.RankC < s.q: // rows that complete the row space; the others lie in it
		u.Counter.Enter(cost.StepRank)
		first = dense.LeadingColumns(u.Counter, dense.Transposed(s.ct), shape.RankC)
	case shape.RankC == s.q: // Bᵀ = C⁺
		u.Counter.Enter(cost.StepB)
		s.form, s.bt = types.Auto, u.inverseOf(c.values, c.u, c.v)
		s.left = func(e *mat.Dense) error { e.Zero(); return nil }
	case s.form == types.Large:
		s.bt, err = s.large(ctx)
	default:
		size := s.innerNorm()
		if !(size <= math.MaxFloat64) {
			return out, types.ErrOverflow
		}
		shape.HighLeverage = size > highLeverage && s.q > 1 // for one row I + DᵀD is a scalar
		switch {
		case !shape.HighLeverage:
			s.bt, err = s.small()
		case s.kept == shape.L:
			s.bt, err = s.smallOrthogonal(ctx)
		default: // not all of D is kept: add half of the rows at a time
			first = factor.Indices(s.q)[:s.q/2]
		}
	}
	if err != nil {
		return out, err
	}
	shape.Split = first != nil
	out.Model = cost.MergeModels(cost.PseudoinverseAdd(u.Method, s.form, opt, shape))
	if shape.Split {
		return u.addParts(ctx, s, first, opt, out, total, part)
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

// addParts adds the rows of s in two parts, first the rows with indices in first, then the others, and
// restores their order. It returns out, which holds the steps so far, with both parts added. If part is
// false, the rows are a whole batch, and an error restores the state from a copy.
func (u *State) addParts(ctx context.Context, s *addition, first []int, opt types.Options, out state.Outcome, total int, part bool) (state.Outcome, error) {
	var saved State
	if !part {
		if err := u.Reserve(types.ActionAdd, s.q, memory.Floats(u.p.count, u.K)); err != nil {
			return out, err
		}
		saved = u.save()
	}
	s.d, s.dbar, s.inner, s.ct, s.bt = nil, nil, nil, nil, nil // each part computes its own
	l, all := u.p.count, completed(first, s.q)
	for _, rows := range [][]int{all[:len(first)], all[len(first):]} {
		done, err := u.addRows(ctx, block.PickRows(s.ax, rows), block.PickRows(s.ya, rows), opt, total, true)
		if err != nil {
			if !part {
				*u = saved
			}
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

// completed returns the indices in first, followed by the other indices below n.
func completed(first []int, n int) []int {
	others := factor.Indices(n)
	for _, i := range first {
		others[i] = -1
	}
	return slices.Concat(first, slices.DeleteFunc(others, func(i int) bool { return i < 0 }))
}

// newWeights returns W + B (Ya - Ax W). It overwrites Ya.
func (s *addition) newWeights() (*mat.Dense, error) {
	u := s.u
	u.Counter.Enter(cost.StepWeights)
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, -1, s.ax, u.w, 1, s.ya)
	w := dense.Copy(u.w)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.bt, s.ya, 1, w)
	if !dense.Finite(w) {
		return nil, types.ErrOverflow
	}
	return w, nil
}

func (u *State) changeTo(w *mat.Dense) *mat.Dense {
	change := dense.Copy(w)
	change.Sub(w, u.w)
	return change
}

// fitted is Fitted for the rows of s. ya holds their residuals with the old weights, and change is the
// difference between the new weights and the old. The new residuals of rows of high leverage are much
// smaller than the rounding errors of Ya - Ax change, so they come from left.
func (s *addition) fitted(sign float64, change *mat.Dense) []float64 {
	after := dense.Copy(s.ya)
	if s.left == nil || s.left(after) != nil {
		after = s.u.ResidualAfter(s.ax, s.ya, change)
	}
	return s.u.Fitted(sign, s.ya, after)
}

// checkOverflow returns ErrOverflow unless A⁺ - B Dᵀ, which is computed in place, will be finite. No
// element of B Dᵀ is larger than the product of the norms of B and D, and ‖D‖ is at most ‖A⁺‖‖Ax‖.
func (s *addition) checkOverflow() error {
	b := dense.Norm(s.bt.RawMatrix().Data)
	if !(b < math.MaxFloat64/4) {
		return types.ErrOverflow
	}
	// For C = 0 no row of B Dᵀ is longer than the row of A⁺; otherwise only this bound is known.
	if s.ct != nil {
		if bound := b * (s.u.p.norm() * dense.Norm(s.ax.RawMatrix().Data)); !(bound < math.MaxFloat64/2) {
			return types.ErrOverflow
		}
	}
	return nil
}

// largeUnits is the error of the form Large in units of the errors of the other forms.
const largeUnits = 20

// apply changes the state, given the new W in w and the rank of C. It cannot fail.
func (s *addition) apply(w *mat.Dense, rankC int) {
	u := s.u
	before, lengths, norms, change := u.size.Rest, u.size.A, u.rowNorms(), u.changeTo(w)
	s.subtract(cost.StepDAgain)
	u.p.append(s.bt.RawMatrix().Data)
	u.size.Rest = slices.Clone(u.size.Rest)
	state.AddLengths(u.size.Rest, s.fitted(1, change))
	u.size = u.size.With(s.ax, mat.NewDense(s.q, u.C, nil), u.Lambda)
	u.size.ErrWeights(state.Unit(s.q, u.K), u.Lambda, u.w)
	u.prior.move(change)
	u.w = w
	u.noteWeights(dense.ColumnNorms(u.w))
	u.size.ErrWeights(state.Unit(s.q, u.K), u.Lambda, u.w)
	now, fit := u.reachOf(norms), []float64(nil)
	if s.form == types.Large { // I + Dbar Ax is not symmetric: errors of eps κ² in all of ΔW
		fit = u.size.Fits(u.Lambda, change)
		u.worst.power = 2
		u.size.Err(largeUnits * state.Unit(s.q, u.K) * now.Scaled)
		now.Scaled *= largeUnits * now.Scaled
	} else { // I + DᵀD has errors of eps ‖DᵀD‖, up to eps highLeverage
		now.Scaled *= min(now.Scaled, math.Sqrt(highLeverage))
	}
	u.size.ErrGain(s.q, 1, u.Lambda, now, u.reaches(), before, fit)
	u.norm = detmath.Hypot(u.norm, dense.Norm(s.ax.RawMatrix().Data))
	u.drift = max(u.drift, updatedDrift)
	if rankC > 0 { // only then can A⁺ have grown
		u.worst.power = 2
		u.noteReach()
		u.remember(u.p.norm())
	} else {
		u.remember(0)
		u.recede(norms, lengths)
	}
	if u.computesC() {
		u.a.append(s.ax.RawMatrix().Data)
		u.rank = min(u.rank+rankC, u.K, u.p.count)
		if !u.computesC() {
			u.a = rows{cols: u.K}
		}
	}
}

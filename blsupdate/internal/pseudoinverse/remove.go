package pseudoinverse

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/memory"
	"blskernel/mat"
)

// Remove removes samples from the model. Let Br be their columns of A⁺, and A⁺k the other columns. With
//
//	B = -Br (I - Ax Br)⁻¹    (k×q)
//
// the update is A⁺ := A⁺k - B (Ax A⁺k), W := W + B (Ya - Ax W): an addition with another B and without
// new columns. Ax Br is symmetric, and its eigenvalues are the leverages. While the rank of A does not
// change, they are below 1, so that I - Ax Br has a Cholesky factor.
func (u *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	if err := u.checkChanged(u.Samples-q, u.K); err != nil {
		return out, err
	}
	if u.keys == nil {
		instead := slices.DeleteFunc(types.Methods(), func(m types.Method) bool { return m == types.Original || m == types.Improved })
		return out, &types.ForgottenRowsError{Method: u.Method, Instead: instead}
	}
	places, err := u.find(ax, ya)
	if err != nil {
		return out, err
	}
	if q == u.p.count {
		return out, &types.LeverageError{Action: types.ActionRemove, TooFew: true}
	}
	size := memory.Floats(q, u.K) // of Ax, and of B
	if err := u.Reserve(types.ActionRemove, q, memory.Sum(size, size, memory.Triangle(q))); err != nil {
		return out, err
	}
	s := &addition{u: u, q: q, ax: dense.Copy(ax), ya: dense.Copy(ya), bt: u.p.pick(places)}
	rest, err := s.leave()
	if err != nil {
		return out, err
	}
	w, err := s.newWeights()
	if err != nil {
		return out, err
	}
	u.Counter.Enter(cost.StepPseudoinverse)
	norm := dense.Norm(s.ax.RawMatrix().Data)
	b := dense.Norm(s.bt.RawMatrix().Data)
	if !(b*(u.p.norm()*norm) < math.MaxFloat64/2) {
		return out, types.ErrOverflow
	}
	out.Model = cost.PseudoinverseRemove(u.shape(q).Shape)

	slices.Sort(places) // nothing fails from here on
	u.p.remove(places)
	u.keys = drop(u.keys, 1, 0, places)
	u.y.remove(places)
	u.norm = state.Leg(u.norm, norm)
	if u.a.count > 0 {
		u.a.remove(places)
		u.norm = u.a.norm()
	}
	s.reserveD(0)
	s.subtract(cost.StepD)
	before, change := u.size.Rest, u.changeTo(w)
	s.fitted(-1, change)
	gone := dense.ColumnNorms(u.ResidualAfter(ax, ya, w))
	u.size = u.size.Without(ax, ya, u.Lambda, rest, state.CloseRest, gone)
	left := make([]float64, u.C)
	u.y.blockwise(func(_ int, y *mat.Dense) { state.AddLengths(left, dense.ColumnNorms(y)) })
	for t, y := range u.size.Y {
		if y == 0 { // Leg also returns 0 below 1e-8 of the removed targets
			u.size.Y[t] = left[t]
		}
	}
	first, _ := slices.BinarySearch(places, u.prior.first)
	u.prior.leave(u.Lambda, change, u.Samples, first, ax, gone, b, rest, u.reaches().Plain)
	u.w = w
	u.size.ErrWeights(state.Unit(q, u.K), u.Lambda, w)
	u.noteWeights(dense.ColumnNorms(u.w))
	u.noteReach()
	u.size.ErrGain(q, rest, u.Lambda, u.reachOf(u.rowNorms()), u.reaches(), before, nil)
	u.Counter.Enter(cost.StepPseudoinverse)
	u.remember(u.p.norm())
	u.drift = max(u.drift, removedDrift/rest)
	return out, nil
}

// leave replaces Bᵀ, the removed rows of (A⁺)ᵀ, by -(I - Ax B)⁻¹ Bᵀ. It returns 1-h, or a
// *LeverageError if 1-h is too small.
func (s *addition) leave() (rest float64, err error) {
	limit, err := state.RemovalLimit(s.u.certainty())
	if err != nil {
		return 0, err
	}
	counter := s.u.Counter
	counter.Enter(cost.StepInner)
	m := mat.NewSymPacked(s.q, nil)
	dense.Gemmtp(counter, -1, s.ax, s.bt, 0, m)
	m.AddDiagonal(1)
	counter.Enter(cost.StepInverse)
	chol, rest, err := s.u.KernelFactor(m, "I - Ax B", limit)
	if err != nil {
		return 0, err
	}
	counter.Enter(cost.StepB)
	err = chol.SolveTo(s.bt, s.bt)
	s.leftBy(m)
	dense.Scale(-1, s.bt.RawMatrix().Data)
	return rest, state.Overflow(err)
}

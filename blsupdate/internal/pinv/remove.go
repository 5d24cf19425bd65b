package pinv

import (
	"context"
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// remove takes samples out of the pseudoinverse. With Br, the columns of A⁺ that belong to them, and
// A⁺k, the others, and with
//
//	B = -Br (I - Ax Br)⁻¹    (k×q)
//
// what is left is A⁺ := A⁺k - B (Ax A⁺k) and W := W + B (Ya - Ax W): an addition with another B,
// without its new columns. Ax Br is symmetric, and as long as the rank of A stays its eigenvalues, the
// leverages, are below 1, so that there is a Cholesky factor.
func (u *State) Remove(ax, ya *mat.Dense) (state.Outcome, error) {
	q := dense.Rows(ax)
	if u.Keys == nil {
		return state.Outcome{}, api.ForgottenRows(u.Method)
	}
	if err := api.CheckStart(u.Method, u.Options, u.P.Count-q, u.K); err != nil {
		return state.Outcome{}, err
	}
	places, err := u.find(RowKeys(ya, ax))
	if err != nil {
		return state.Outcome{}, err
	}
	if q == u.P.Count {
		return state.Outcome{}, &api.LeverageError{Action: api.ActionRemove}
	}
	rows := memory.Floats(q, u.K) // of Ax, and of B
	if err := u.Reserve(u.Method, api.ActionRemove, q, memory.Sum(rows, rows, memory.Triangle(q))); err != nil {
		return state.Outcome{}, err
	}
	s := &Addition{U: u, Q: q, ax: dense.Compact(ax), ya: dense.Compact(ya), bt: u.P.Pick(places)}
	if err := s.leave(); err != nil {
		return state.Outcome{}, err
	}
	w, err := s.newWeights()
	if err != nil {
		return state.Outcome{}, err
	}
	u.Counter.Enter(cost.StepPseudoinverse)
	defer u.Counter.Leave()
	if !(dense.Norm(s.bt)*(u.P.norm()*dense.Norm(s.ax)) < math.MaxFloat64/2) {
		return state.Outcome{}, api.ErrOverflow
	}
	model := cost.PinvRemove(u.shape(q).Shape)

	// Nothing fails from here on.
	slices.Sort(places)
	u.P.Remove(places)
	u.Keys = keysWithout(u.Keys, places)
	u.Norm = state.Leg(u.Norm, dense.Norm(s.ax))
	if u.A.Count > 0 {
		u.A.Remove(places)
		u.Norm = u.A.norm()
	}
	_ = s.eachD(context.Background(), cost.StepD, func(_, n int, p, d []float64) {
		u.Counter.Enter(cost.StepPseudoinverse)
		u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, n, u.K, q, -1, d, q, s.bt, u.K, 1, p, u.K)
	})
	u.W = w
	u.Counter.Enter(cost.StepPseudoinverse)
	u.remember(u.P.norm())
	u.drift = max(u.drift, removedDrift/s.rest)
	u.NoteLoss(1 / s.rest)
	return state.Outcome{Model: model}, nil
}

// leave replaces Bᵀ, the rows of (A⁺)ᵀ that are to go, by -(I - Ax B)⁻¹ Bᵀ, or returns a
// *LeverageError.
func (s *Addition) leave() error {
	rcond, power := s.U.Condition()
	limit, err := state.RemovalLimit(rcond, power)
	if err != nil {
		return err
	}
	counter, q, k := s.U.Counter, s.Q, s.U.K
	defer counter.Leave()
	counter.Enter(cost.StepInner)
	m := mat.NewSymPacked(q, nil)
	counter.Dgemmtp(blas.NoTrans, blas.Trans, q, k, -1, s.ax, k, s.bt, k, 0, m.RawSymPacked().Data)
	m.AddDiagonal(1)
	counter.Enter(cost.StepInverse)
	chol := lapack.Cholesky{Backend: counter}
	if err := chol.FactorizeInPlace(m); err != nil {
		return &api.LeverageError{Least: limit, Action: api.ActionRemove}
	}
	// The smallest eigenvalue of I - Ax Br is 1 - h.
	rest := s.U.SmallestEigenvalue(&chol)
	if !(rest >= limit) {
		return &api.LeverageError{Rest: rest, Least: limit, Action: api.ActionRemove}
	}
	s.rest = rest
	counter.Enter(cost.StepB)
	b := mat.NewDense(q, k, s.bt)
	if err := chol.SolveTo(b, b); err != nil {
		return api.ErrOverflow
	}
	floats.Scale(-1, s.bt)
	return nil
}

// keysWithout returns keys without those at the given places, in ascending order, in the same storage.
func keysWithout(keys []uint64, places []int) []uint64 {
	kept := keys[:places[0]]
	for i, place := range places {
		end := len(keys)
		if i+1 < len(places) {
			end = places[i+1]
		}
		kept = append(kept, keys[place+1:end]...)
	}
	return kept
}

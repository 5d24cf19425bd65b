package blsupdate

import (
	"context"
	"math"
	"slices"

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
func (u *pseudoinverse) remove(ax, ya *mat.Dense) (done, error) {
	q := rowsOf(ax)
	if u.keys == nil {
		return done{}, forgottenRows(u.method)
	}
	if err := CheckStart(u.method, u.opt, u.p.count-q, u.k); err != nil {
		return done{}, err
	}
	places, err := u.find(rowKeys(ya, ax))
	if err != nil {
		return done{}, err
	}
	if q == u.p.count {
		return done{}, &LeverageError{Action: ActionRemove}
	}
	rows := memory.Floats(q, u.k) // of Ax, and of B
	if err := u.room(u.method, ActionRemove, q, memory.Sum(rows, rows, memory.Triangle(q))); err != nil {
		return done{}, err
	}
	s := &addition{u: u, q: q, ax: compact(ax), ya: compact(ya), bt: u.p.pick(places)}
	if err := s.leave(); err != nil {
		return done{}, err
	}
	w, err := s.newWeights()
	if err != nil {
		return done{}, err
	}
	u.counter.Enter(StepPseudoinverse)
	defer u.counter.Leave()
	if !(norm(s.bt)*(u.p.norm()*norm(s.ax)) < math.MaxFloat64/2) {
		return done{}, ErrOverflow
	}
	model := removalModel(u.shape(q).Shape)

	// Nothing fails from here on.
	slices.Sort(places)
	u.p.remove(places)
	u.keys = keysWithout(u.keys, places)
	u.norm = leg(u.norm, norm(s.ax))
	if u.a.count > 0 {
		u.a.remove(places)
		u.norm = u.a.norm()
	}
	_ = s.eachD(context.Background(), StepD, func(_, n int, p, d []float64) {
		u.counter.Enter(StepPseudoinverse)
		u.counter.Dgemm(blas.NoTrans, blas.NoTrans, n, u.k, q, -1, d, q, s.bt, u.k, 1, p, u.k)
	})
	u.w = w
	u.counter.Enter(StepPseudoinverse)
	u.remember(u.p.norm())
	u.drift = max(u.drift, removedDrift/s.rest)
	u.noteLoss(1 / s.rest)
	return done{model: model}, nil
}

// leave replaces Bᵀ, the rows of (A⁺)ᵀ that are to go, by -(I - Ax B)⁻¹ Bᵀ, or returns a
// *LeverageError.
func (s *addition) leave() error {
	rcond, power := s.u.condition()
	limit, err := removalLimit(rcond, power)
	if err != nil {
		return err
	}
	counter, q, k := s.u.counter, s.q, s.u.k
	defer counter.Leave()
	counter.Enter(StepInner)
	m := mat.NewSymPacked(q, nil)
	counter.Dgemmtp(blas.NoTrans, blas.Trans, q, k, -1, s.ax, k, s.bt, k, 0, m.RawSymPacked().Data)
	m.AddDiagonal(1)
	counter.Enter(StepInverse)
	chol := lapack.Cholesky{Backend: counter}
	if err := chol.FactorizeInPlace(m); err != nil {
		return &LeverageError{Least: limit, Action: ActionRemove}
	}
	// The smallest eigenvalue of I - Ax Br is 1 - h.
	rest := s.u.smallestEigenvalue(&chol)
	if !(rest >= limit) {
		return &LeverageError{Rest: rest, Least: limit, Action: ActionRemove}
	}
	s.rest = rest
	counter.Enter(StepB)
	b := mat.NewDense(q, k, s.bt)
	if err := chol.SolveTo(b, b); err != nil {
		return ErrOverflow
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

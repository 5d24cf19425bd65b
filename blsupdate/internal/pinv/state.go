// Package pinv implements Original and Improved, which keep A⁺ and W.
package pinv

import (
	"context"
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// pseudoinverse is the state of Original and Improved.
type State struct {
	state.Base
	Method api.Method

	P    Rows      // (A⁺)ᵀ, l×k
	W    []float64 // W, k×c
	Keys []uint64  // of the samples, in the order of the rows of p; nil if they are not known any more

	A    Rows    // A while C is to be computed, else empty
	Rank int     // of A
	Norm float64 // Frobenius norm of A

	Worst Conditioning
	drift float64 // by how much the errors of A⁺ may exceed those of a start: see outsidePart
}

// How errors of A⁺ may grow: updatedDrift by updates, nodesDrift by added nodes, and removedDrift/(1-h) by a
// removal.
const (
	updatedDrift = 4
	nodesDrift   = 20
	removedDrift = 10
)

func Start(ctx context.Context, m api.Method, base state.Base, a, y *mat.Dense) (*State, state.Outcome, error) {
	l, k, c := a.RawMatrix().Rows, base.K, base.C
	u := &State{Base: base, Method: m}
	s, err := u.start(ctx, a)
	if err != nil {
		return nil, state.Outcome{}, err
	}
	u.P = Rows{Cols: k}
	u.P.Append(s.p)
	u.Rank = s.rank
	u.A = Rows{Cols: k}
	u.Norm = a.Norm(2)
	if u.computesC() {
		u.A.Append(dense.Compact(a))
	}
	u.W = make([]float64, k*c)
	ry := y.RawMatrix()
	err = u.EachPanel(ctx, cost.StepInitial, l, func(from, to int) error {
		u.Counter.Dgemm(blas.Trans, blas.NoTrans, k, c, to-from, 1, s.p[from*k:], k, ry.Data[from*ry.Stride:], ry.Stride, 1, u.W, c)
		return nil
	})
	u.Counter.Leave()
	if err != nil {
		return nil, state.Outcome{}, err
	}
	if isfinite.First(s.p) >= 0 || isfinite.First(u.W) >= 0 {
		return nil, state.Outcome{}, api.ErrOverflow
	}
	u.Keys = RowKeys(y, a)
	u.Worst.Power, u.drift = 1, 1
	if u.Lambda > 0 {
		u.remember(1 / (s.rcond * u.size()))
	} else {
		u.remember(u.P.norm())
	}
	shape := cost.Shape{L: l, K: k, C: c, Start: s.start, Rank: s.rank}
	return u, state.Outcome{Start: s.start, Abandoned: s.abandoned, Model: cost.PinvStart(u.Options, shape)}, nil
}

// computesC tells whether the next update by rows has to look at C.
func (u *State) computesC() bool {
	return u.Options.C == api.CCheck || u.Options.C == api.CAuto && u.Lambda == 0 && u.Rank < u.K
}

// save returns what restore needs to undo updates. A is only ever appended to and W replaced, so they
// are not copied.
func (u *State) save() State {
	saved := *u
	saved.P = u.P.clone()
	saved.A.Blocks = slices.Clone(u.A.Blocks)
	return saved
}

func (u *State) restore(saved State) { *u = saved }

func (u *State) Weights() (*mat.Dense, state.Outcome, error) {
	return mat.NewDense(u.K, u.C, u.W), state.Outcome{}, nil
}

// forget multiplies all rows so far by sqrt(factor), and with them A, and A⁺ by the reciprocal. Nobody
// can know the bits of the rows then.
func (u *State) Forget(factor float64) error {
	root := math.Sqrt(factor)
	if !(u.P.norm() < root*math.MaxFloat64) {
		return api.ErrOverflow
	}
	for _, b := range u.P.Blocks {
		floats.Scale(1/root, b.Data)
	}
	for _, b := range u.A.Blocks {
		floats.Scale(root, b.Data)
	}
	u.Norm *= root
	u.Lambda *= factor
	u.Worst.a *= root
	u.Worst.plus /= root
	u.Keys = nil
	return nil
}

// conditioning is how ill-conditioned a pseudoinverse has been at worst. Its errors stay: they are
// those of the largest A⁺ so far, in the directions in which A was smallest, against the largest A.
type Conditioning struct {
	a, plus float64 // the largest Frobenius norms so far, of A, or of [A; sqrt(lambda) I], and of the pseudoinverse
	Power   int     // of the condition number with which the error grows: 2 since the form Large was used
}

// remember takes note of the present norm of A and of that of A⁺.
func (u *State) remember(plus float64) {
	u.Worst.a = max(u.Worst.a, u.size())
	u.Worst.plus = max(u.Worst.plus, plus)
}

// size returns the Frobenius norm of [A; sqrt(lambda) I].
func (u *State) size() float64 {
	return math.Hypot(u.Norm, math.Sqrt(u.Lambda)*math.Sqrt(float64(u.K))) // lambda k may overflow
}

// conditionNumber returns ‖A‖‖A⁺‖ in Frobenius norms. For a pseudoinverse of rank r it lies between
// the 2-norm condition number κ of A and r κ.
func (u *State) conditionNumber() float64 { return u.Norm * u.P.norm() }

// condition is that of the worst state so far. A start whose error grows with the square of κ is only
// ever taken where it is below that of the updates.
func (u *State) Condition() (rcond float64, power int) {
	return min(1, 1/(u.Worst.a*u.Worst.plus)), u.Worst.Power
}

// Package gram implements Gram, which keeps AᵀA and AᵀY.
package gram

import (
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// gram is the state of the method Gram: G = AᵀA and T = AᵀY, without the ridge, which is added to a copy of
// G when the weights are wanted. The cost of no update depends on l.
type State struct {
	state.Base
	g    *mat.SymPacked // G, k×k
	t    *mat.Dense     // T, k×c
	size state.Norms

	// The solution, nil where it has not been asked for since the last change.
	factor   *lapack.Cholesky // of G + lambda I
	factored *mat.SymPacked   // its storage
	w        *mat.Dense

	spare *mat.SymPacked // storage of a factor that is of no use any more, or nil
}

func Start(ctx context.Context, base state.Base, a, y *mat.Dense) (*State, state.Outcome, error) {
	s := &State{Base: base, g: mat.NewSymPacked(base.K, nil), t: mat.NewDense(base.K, base.C, nil)}
	size, err := state.NewNorms(base.K, base.C).With(a, y).Safe()
	if err != nil {
		return nil, state.Outcome{}, err
	}
	s.size = size
	if err := s.learn(ctx, s.g, s.t, a, y); err != nil {
		return nil, state.Outcome{}, err
	}
	return s, state.Outcome{Model: cost.GramUpdate(dense.Rows(a), s.K, s.C)}, nil
}

// add computes G += AxᵀAx and T += AxᵀYa.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (state.Outcome, error) {
	q := dense.Rows(ax)
	size, err := s.size.With(ax, ya).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	g, t := s.g, s.t
	if state.ManyPanels(ctx, q) {
		g, t = dense.CloneSym(g), gonummat.DenseCopyOf(t)
	}
	if err := s.learn(ctx, g, t, ax, ya); err != nil {
		return state.Outcome{}, err
	}
	s.g, s.t, s.size = g, t, size
	s.changed()
	return state.Outcome{Model: cost.GramUpdate(q, s.K, s.C)}, nil
}

// learn computes G += AxᵀAx and T += AxᵀYa panel by panel.
func (s *State) learn(ctx context.Context, g *mat.SymPacked, t, ax, ya *mat.Dense) error {
	return state.EachPanel(ctx, dense.Rows(ax), func(from, to int) error {
		s.update(g, t, 1, dense.RowRange(ax, from, to), dense.RowRange(ya, from, to))
		return nil
	})
}

// update computes G += sign AxᵀAx and T += sign AxᵀYa.
func (s *State) update(g *mat.SymPacked, t *mat.Dense, sign float64, ax, ya *mat.Dense) {
	defer s.Counter.Leave()
	x, y, rt := ax.RawMatrix(), ya.RawMatrix(), t.RawMatrix()
	s.Counter.Enter(cost.StepG)
	s.Counter.Dsprk(blas.Trans, s.K, x.Rows, sign, x.Data, x.Stride, 1, g.RawSymPacked().Data)
	s.Counter.Enter(cost.StepT)
	s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, s.C, x.Rows, sign, x.Data, x.Stride, y.Data, y.Stride, 1, rt.Data, rt.Stride)
}

// factorize returns the Cholesky factor of G + lambda I, and the steps that it took if it had to be made. It asks for
// the memory of the factor, and for so many bytes that are wanted beside it.
func (s *State) factorize(beside int64) (*lapack.Cholesky, []cost.StepFlops, error) {
	fits := s.spare != nil && s.spare.SymmetricDim() == s.K
	bytes := beside
	if s.factor == nil && !fits {
		bytes = memory.Sum(beside, memory.Triangle(s.K))
	}
	if err := s.Reserve(api.Gram, api.ActionWeights, 0, bytes); err != nil {
		return nil, nil, err
	}
	if s.factor != nil {
		return s.factor, nil, nil
	}
	g := s.spare
	s.spare = nil
	if !fits {
		g = new(mat.SymPacked)
	}
	s.Counter.Enter(cost.StepFactor)
	defer s.Counter.Leave()
	g.CopySym(s.g)
	g.AddDiagonal(s.Lambda)
	factor := &lapack.Cholesky{Backend: s.Counter}
	err := factor.FactorizeInPlace(g)
	switch {
	case errors.Is(err, lapack.ErrNotFinite):
		err = api.ErrOverflow
	case err == nil:
		err = s.checkPivots(g)
	default:
		err = &api.ConditionError{What: gramMatrix, Err: err, Instead: []api.Method{api.QR}}
	}
	if err != nil {
		s.spare = g
		return nil, nil, err
	}
	s.factor, s.factored = factor, g
	return factor, []cost.StepFlops{cost.GramFactor(s.K)}, nil
}

// gramMatrix is what is factored.
const gramMatrix = "A'A + lambda I"

// checkPivots returns an error where a pivot of the factor u is no more than the rounding errors of what it was
// subtracted from, or was made of squares that underflow. The square of a pivot over its diagonal element is the
// share of its column that the columns before it do not have; how they are scaled makes no difference. Its rounding
// error was seen to be at most a few eps sqrt(k), and it has either sign: half of the singular matrices have a
// Cholesky factor.
func (s *State) checkPivots(u *mat.SymPacked) error {
	noise := 10 * dense.Eps * math.Sqrt(float64(s.K))
	for j := range s.K {
		diagonal := s.g.At(j, j) + s.Lambda
		if pivot := u.At(j, j); diagonal < dense.SmallestSquare || !(pivot*pivot > noise*diagonal) {
			return &api.ConditionError{What: gramMatrix, RCond: pivot * pivot / diagonal, Instead: []api.Method{api.QR}}
		}
	}
	return nil
}

// changed forgets the solution, but for its storage.
func (s *State) changed() {
	if s.factor != nil {
		s.spare = s.factored
	}
	s.factor, s.factored, s.w = nil, nil, nil
}

// weights solves (G + lambda I) W = T.
func (s *State) Weights() (*mat.Dense, state.Outcome, error) {
	if s.w != nil {
		return s.w, state.Outcome{}, nil
	}
	factor, model, err := s.factorize(memory.Floats(s.K, s.C))
	if err != nil {
		return nil, state.Outcome{}, err
	}
	s.Counter.Enter(cost.StepSolve)
	defer s.Counter.Leave()
	w := mat.NewDense(s.K, s.C, nil)
	if err := factor.SolveTo(w, s.t); err != nil {
		return nil, state.Outcome{}, api.ErrOverflow
	}
	s.w = w
	return w, state.Outcome{Model: append(model, cost.GramSolve(s.K, s.C))}, nil
}

// forget multiplies G, T and lambda.
func (s *State) Forget(factor float64) error {
	floats.Scale(factor, s.g.RawSymPacked().Data)
	s.t.Scale(factor, s.t)
	s.Lambda *= factor
	s.size = s.size.Scaled(math.Sqrt(factor))
	w := s.w // which stays
	s.changed()
	s.w = w
	return nil
}

// merge adds G and T of the other state.
func (s *State) Merge(other state.State) (state.Outcome, error) {
	o := other.(*State)
	size, err := s.size.Plus(o.size).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	s.size = size
	floats.Add(s.g.RawSymPacked().Data, o.g.RawSymPacked().Data)
	s.t.Add(s.t, o.t)
	s.NoteLoss(o.Lost)
	s.changed()
	return state.Outcome{}, nil
}

func (s *State) SetLambda(lambda float64) (state.Outcome, error) {
	if lambda != s.Lambda {
		s.Lambda = lambda
		s.changed()
	}
	return state.Outcome{}, nil
}

// condition is that of the present G + lambda I, whose condition number is κ², with the largest ‖A‖ so far.
func (s *State) Condition() (rcond float64, power int) {
	factor, _, err := s.factorize(0)
	if err != nil {
		return 0, 2
	}
	return math.Sqrt(factor.RCond()) * s.size.Shrunk(s.Lambda), 2
}

// Package gram implements Gram, which keeps AᵀA and AᵀY.
package gram

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// State is G = AᵀA and T = AᵀY, without the ridge, which a copy of G gets when W is solved for. No
// update depends on l.
type State struct {
	state.Base
	g    *mat.SymPacked // G, k×k
	t    *mat.Dense     // T, k×c
	size state.Norms

	// Each is nil where it is not known since the last change.
	factor *lapack.Cholesky // of G + lambda I
	w      *mat.Dense

	factored *mat.SymPacked // the storage of the present factor and of the next, or nil
}

// Start computes G and T.
func Start(ctx context.Context, base state.Base, a, y *mat.Dense) (_ *State, out state.Outcome, err error) {
	s := &State{Base: base, g: mat.NewSymPacked(base.K, nil), t: mat.NewDense(base.K, base.C, nil)}
	if s.size, err = state.NewNorms(s.K, s.C).With(a, y).Safe(); err != nil {
		return nil, out, err
	}
	out.Model = cost.GramAdd(dense.Rows(a), s.K, s.C)
	return s, out, s.learn(ctx, s.g, s.t, a, y)
}

// Add computes G += AxᵀAx and T += AxᵀYa, on copies where ctx may end it in between.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	q, g, t := dense.Rows(ax), s.g, s.t
	size, err := s.size.With(ax, ya).Safe()
	if err != nil {
		return out, err
	}
	if state.ManyPanels(ctx, q) {
		g, t = dense.CopySym(g), dense.Copy(t)
	}
	if err := s.learn(ctx, g, t, ax, ya); err != nil {
		return out, err
	}
	s.g, s.t, s.size = g, t, size
	s.changed()
	return state.Outcome{Model: cost.GramAdd(q, s.K, s.C)}, nil
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
	s.Counter.Enter(cost.StepG)
	dense.Sprk(s.Counter, sign, ax, 1, g)
	s.Counter.Enter(cost.StepT)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, sign, ax, ya, 1, t)
}

// Forget multiplies G, T and the ridge. W stays.
func (s *State) Forget(factor float64) error {
	floats.Scale(factor, s.g.RawSymPacked().Data)
	s.t.Scale(factor, s.t)
	s.Lambda *= factor
	s.size = s.size.Scaled(math.Sqrt(factor))
	w := s.w
	s.changed()
	s.w = w
	return nil
}

// Merge adds G and T of the other state.
func (s *State) Merge(other state.State) (out state.Outcome, err error) {
	o := other.(*State)
	size, err := s.size.Plus(o.size).Safe()
	if err != nil {
		return out, err
	}
	s.size = size
	floats.Add(s.g.RawSymPacked().Data, o.g.RawSymPacked().Data)
	s.t.Add(s.t, o.t)
	s.NoteLoss(o.Lost)
	s.changed()
	return out, nil
}

// SetLambda replaces the ridge.
func (s *State) SetLambda(lambda float64) (out state.Outcome, err error) {
	if lambda != s.Lambda {
		s.Lambda = lambda
		s.changed()
	}
	return out, nil
}

// AddNodes appends AᵀH and HᵀH to G, and HᵀY to T.
func (s *State) AddNodes(a, h, y *mat.Dense) (out state.Outcome, err error) {
	l, p := h.Dims()
	size, err := s.size.WithNodes(dense.ColumnNorms(h)).Safe()
	if err != nil {
		return out, err
	}
	wide := s.K + p
	side, corner, t := mat.NewDense(s.K, p, nil), mat.NewSymPacked(p, nil), mat.NewDense(wide, s.C, nil)
	dense.Place(t, 0, 0, s.t)
	s.Counter.Enter(cost.StepBorder)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, a, h, 0, side)
	dense.Sprk(s.Counter, 1, h, 0, corner)
	s.Counter.Enter(cost.StepT)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, h, y, 0, dense.RowRange(t, s.K, wide))

	out.Model = cost.GramNodes(cost.Shape{L: l, K: s.K, P: p, C: s.C})
	s.g, s.t, s.K, s.size = dense.Bordered(s.g, side, corner), t, wide, size
	s.changed()
	return out, nil
}

// Condition returns the 1/κ of the present G + lambda I, whose condition number is κ², with the largest
// ‖A‖ so far.
func (s *State) Condition() (rcond float64, power int) {
	factor, _, err := s.factorize(0)
	if err != nil {
		return 0, 2
	}
	return math.Sqrt(factor.RCond()) * s.size.Shrunk(s.Lambda), 2
}

// Code writes or reads G, T and W. Forget and Refine may leave a W that no solution gives back. The
// factor is computed anew.
func (s *State) Code(x *coder.Coder) {
	x.Symmetric("A'A", &s.g, s.K)
	x.Dense("A'Y", &s.t, s.K, s.C)
	s.size.Code(x, s.K, s.C)
	if x.Present(s.w != nil) {
		x.Dense("W", &s.w, s.K, s.C)
	}
}

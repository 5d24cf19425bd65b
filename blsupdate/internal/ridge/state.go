// Package ridge implements RidgeInverse, which keeps Q = (AᵀA + lambda I)⁻¹ and W.
package ridge

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
	"blskernel/mat"
)

// State holds Q and W. Only the upper triangle of Q is kept, so Q is exactly symmetric.
type State struct {
	state.Inverse
	Q *mat.SymPacked // Q/Gain, k×k
}

// Start computes Q and W from the Cholesky factor of AᵀA + lambda I.
func (s *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	if err := s.Begin(a, y); err != nil {
		return out, err
	}
	factor, _, err := s.StartFactor(ctx, a, dense.Eps)
	if err != nil {
		return out, err
	}
	if s.W, err = s.StartWeights(ctx, factor, a, y); err != nil {
		return out, err
	}
	s.Size.Rest = s.Refitted(s.W, y, a)
	if err := s.Enter(ctx, cost.StepQ); err != nil {
		return out, err
	}
	if s.Q, err = factor.InverseInPlace(); err != nil {
		return out, state.FactorError(state.GramMatrix, err, types.QR, types.InverseCholesky)
	}
	s.noteRows()
	s.NoteWeights(dense.Rows(a))
	s.BoundX, s.BoundW = dense.LargestOf(s.data()), dense.LargestOf(s.W.RawMatrix().Data)
	return state.Outcome{Model: cost.RidgeStart(dense.Rows(a), s.K, s.C), Start: types.StartCholesky}, nil
}

func (s *State) data() []float64 { return s.Q.RawSymPacked().Data }

// Forget divides Q by factor.
func (s *State) Forget(factor float64) error { return s.ForgetBy(factor, factor, s.data()) }

func (s *State) inverse() *mat.SymPacked {
	q := dense.CopySym(s.Q)
	if s.Gain != 1 {
		dense.Scale(s.Gain, q.RawSymPacked().Data)
	}
	return q
}

func (s *State) Condition() state.Condition { return s.ConditionOf(s.rows()) }

func (s *State) noteRows() { s.NoteRows(s.rows()) }

// rows returns the norms of the rows of F, where Q = F Fᵀ: the square roots of the diagonal of Q.
func (s *State) rows() []float64 {
	rows, data := make([]float64, s.K), s.data()
	for i := range rows {
		rows[i] = math.Sqrt(s.Gain) * math.Sqrt(max(0, data[0])) // rounding may leave a negative number
		data = data[s.K-i:]
	}
	return rows
}

// Covariance returns Q.
func (s *State) Covariance() (state.Covariance, error) {
	times := func(x *mat.Dense) (*mat.Dense, error) {
		p := mat.NewDense(dense.Rows(x), s.K, nil)
		TimesPacked(&s.Base, s.Gain, s.Q, x, p)
		return p, nil
	}
	factors := func(x *mat.Dense) (l, r *mat.Dense, err error) {
		r, err = times(x)
		return x, r, err
	}
	return state.Covariance{Rank: s.K, Factors: factors, Times: times}, nil
}

// Code writes or reads Q and W with their bounds.
func (s *State) Code(x *codec.Coder) {
	s.CodeInverse(x, "Q", func() { dense.CodeSym(x, "Q", &s.Q, s.K) }, s.data)
}

// reserve checks that there is memory to add or remove q rows: for P of a block and, with several
// blocks, for copies of Q and W. The form Large needs a copy of Q, which becomes the new Q, and two
// matrices of the size of W.
func (s *State) reserve(action types.Action, form types.Form, q int) error {
	triangle, w := memory.Triangle(s.K), memory.Floats(s.K, s.C)
	bytes := memory.Sum(triangle, w, w)
	if form != types.Large {
		blocks := cost.RidgeBlocks(q, s.K)
		bytes = memory.Floats(q/blocks, s.K)
		if blocks > 1 {
			bytes = memory.Sum(bytes, triangle, w)
		}
	}
	return s.Reserve(action, q, bytes)
}

package ridge

import (
	"errors"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// remove takes rows out: with P = Ax Q, I - Ax Pᵀ = UᵀU and T = U⁻ᵀP,
//
//	W := W - TᵀU⁻ᵀ(Ya - Ax W),   Q := Q + TᵀT.
//
// The smallest eigenvalue of I - Ax Pᵀ is 1 - h. What Q gains is up to 1/(1-h) times what it was.
func (s *State) Remove(ax, ya *mat.Dense) (state.Outcome, error) {
	limit, err := state.RemovalLimit(s.known(), 2)
	if err != nil {
		return state.Outcome{}, err
	}
	q := dense.Rows(ax)
	if err := s.roomForRows(api.ActionRemove, api.Small, q); err != nil {
		return state.Outcome{}, err
	}
	next := *s
	next.size = s.size.Without(ax, ya)
	blocks := cost.RidgeBlocks(q, s.K)
	if blocks > 1 {
		next.Q, next.W = dense.CloneSym(s.Q), gonummat.DenseCopyOf(s.W)
	}
	product := 1.0 // which is at most 1 - h of all rows together
	for i := range blocks {
		from, to := cost.BlockRange(q, blocks, i)
		g, err := next.gainOf(-1, dense.RowRange(ax, from, to))
		var indefinite *api.ConditionError
		if errors.As(err, &indefinite) {
			return state.Outcome{}, &api.LeverageError{Least: limit, Action: api.ActionRemove}
		}
		if err != nil {
			return state.Outcome{}, err
		}
		rest := s.SmallestEigenvalue(g.factor)
		if !(rest >= limit) {
			return state.Outcome{}, &api.LeverageError{Rest: rest, Least: limit, Action: api.ActionRemove}
		}
		product *= rest
		if err := next.apply(-1, g, dense.RowRange(ax, from, to), dense.RowRange(ya, from, to)); err != nil {
			return state.Outcome{}, err
		}
	}
	if blocks > 1 && !(product >= limit) {
		// Each block leaves enough of what was there before it, but all of them together may not.
		if product = 1 / (1 + next.kernelNorm(ax)); !(product >= limit) {
			return state.Outcome{}, &api.LeverageError{Rest: product, Least: limit, Action: api.ActionRemove}
		}
	}
	next.noteRemoval(q)
	next.NoteLoss(1 / product)
	*s = next
	return state.Outcome{Model: cost.RidgeSmall(s.Options, q, s.K, s.C)}, nil
}

// kernelNorm estimates the 2-norm of Ax Q Axᵀ, which after a removal is h/(1-h).
func (s *State) kernelNorm(ax *mat.Dense) float64 {
	x, q := ax.RawMatrix(), s.Q.RawSymPacked().Data
	u, v := make([]float64, s.K), make([]float64, s.K)
	return state.LargestEigenvalue(x.Rows, func(e []float64) {
		s.Counter.Dgemv(blas.Trans, x.Rows, s.K, 1, x.Data, x.Stride, e, 1, 0, u, 1)
		s.Counter.Dspmv(blas.Upper, s.K, s.gain, q, u, 1, 0, v, 1)
		s.Counter.Dgemv(blas.NoTrans, x.Rows, s.K, 1, x.Data, x.Stride, v, 1, 0, e, 1)
	})
}

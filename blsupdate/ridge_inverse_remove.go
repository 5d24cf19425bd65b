package blsupdate

import (
	"errors"

	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// remove takes rows out: with P = Ax Q, I - Ax Pᵀ = UᵀU and T = U⁻ᵀP,
//
//	W := W - TᵀU⁻ᵀ(Ya - Ax W),   Q := Q + TᵀT.
//
// The smallest eigenvalue of I - Ax Pᵀ is 1 - h. What Q gains is up to 1/(1-h) times what it was.
func (s *ridgeInverse) remove(ax, ya *mat.Dense) (done, error) {
	limit, err := removalLimit(s.known(), 2)
	if err != nil {
		return done{}, err
	}
	q := rowsOf(ax)
	if err := s.roomForRows(ActionRemove, Small, q); err != nil {
		return done{}, err
	}
	next := *s
	next.size = s.size.without(ax, ya)
	blocks := ridgeInverseBlocks(q, s.k)
	if blocks > 1 {
		next.q, next.w = cloneSym(s.q), gonummat.DenseCopyOf(s.w)
	}
	product := 1.0 // which is at most 1 - h of all rows together
	for i := range blocks {
		from, to := blockRange(q, blocks, i)
		g, err := next.gainOf(-1, rowRange(ax, from, to))
		var indefinite *ConditionError
		if errors.As(err, &indefinite) {
			return done{}, &LeverageError{Least: limit, Action: ActionRemove}
		}
		if err != nil {
			return done{}, err
		}
		rest := s.smallestEigenvalue(g.factor)
		if !(rest >= limit) {
			return done{}, &LeverageError{Rest: rest, Least: limit, Action: ActionRemove}
		}
		product *= rest
		if err := next.apply(-1, g, rowRange(ax, from, to), rowRange(ya, from, to)); err != nil {
			return done{}, err
		}
	}
	if blocks > 1 && !(product >= limit) {
		// Each block leaves enough of what was there before it, but all of them together may not.
		if product = 1 / (1 + next.kernelNorm(ax)); !(product >= limit) {
			return done{}, &LeverageError{Rest: product, Least: limit, Action: ActionRemove}
		}
	}
	next.noteRemoval(q)
	next.noteLoss(1 / product)
	*s = next
	return done{model: ridgeInverseSmall(s.opt, q, s.k, s.c)}, nil
}

// kernelNorm estimates the 2-norm of Ax Q Axᵀ, which after a removal is h/(1-h).
func (s *ridgeInverse) kernelNorm(ax *mat.Dense) float64 {
	x, q := ax.RawMatrix(), s.q.RawSymPacked().Data
	u, v := make([]float64, s.k), make([]float64, s.k)
	return largestEigenvalue(x.Rows, func(e []float64) {
		s.counter.Dgemv(blas.Trans, x.Rows, s.k, 1, x.Data, x.Stride, e, 1, 0, u, 1)
		s.counter.Dspmv(blas.Upper, s.k, s.gain, q, u, 1, 0, v, 1)
		s.counter.Dgemv(blas.NoTrans, x.Rows, s.k, 1, x.Data, x.Stride, v, 1, 0, e, 1)
	})
}

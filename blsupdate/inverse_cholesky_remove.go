package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// remove takes rows out: few of them row by row, more by a matrix of order k, with S = Ax F and UᵀU = I
// - SᵀS,
//
//	F := F U⁻¹,   W := W - F (I - SᵀS)⁻¹Sᵀ(Ya - Ax W).
//
// The smallest eigenvalue of I - SᵀS is 1 - h.
func (s *inverseCholesky) remove(ax, ya *mat.Dense) (done, error) {
	limit, err := removalLimit(s.known(), 1)
	if err != nil {
		return done{}, err
	}
	next := *s
	next.size = s.size.without(ax, ya)
	q := rowsOf(ax)
	form := inverseCholeskyForm(Auto, q, s.k)
	var rest float64
	if form == Large {
		rest, err = next.removeLarge(ax, ya, limit)
	} else {
		rest, err = next.byRows(context.Background(), -1, ax, ya, limit)
	}
	var indefinite *ConditionError
	if errors.As(err, &indefinite) {
		return done{}, &LeverageError{Least: limit, Action: ActionRemove}
	}
	if err != nil {
		return done{}, err
	}
	if q > 1 && !(rest >= limit) {
		// Each row leaves enough of what was there before it, but all of them together may not.
		if rest = 1 / (1 + next.kernelNorm(ax)); !(rest >= limit) {
			return done{}, &LeverageError{Rest: rest, Least: limit, Action: ActionRemove}
		}
	}
	next.noteRemoval(q)
	next.noteLoss(1 / rest)
	*s = next
	return done{model: inverseCholeskyRemoval(q, s.k, s.c)}, nil
}

// kernelNorm estimates the 2-norm of Ax F FᵀAxᵀ, which after a removal is h/(1-h).
func (s *inverseCholesky) kernelNorm(ax *mat.Dense) float64 {
	x, l := ax.RawMatrix(), s.l.RawMatrix().Data
	u := make([]float64, s.k)
	return largestEigenvalue(x.Rows, func(e []float64) {
		s.counter.Dgemv(blas.Trans, x.Rows, s.k, 1, x.Data, x.Stride, e, 1, 0, u, 1)
		s.counter.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, s.k, l, s.k, u, 1)
		floats.Scale(s.gain, u)
		s.counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.k, l, s.k, u, 1)
		s.counter.Dgemv(blas.NoTrans, x.Rows, s.k, s.gain, x.Data, x.Stride, u, 1, 0, e, 1)
	})
}

// removeLarge removes rows by I - SᵀS, and returns its 1-h.
func (s *inverseCholesky) removeLarge(ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	q, k, c := rowsOf(ax), s.k, s.c
	if err := s.roomForLarge(ActionRemove, q); err != nil {
		return 0, err
	}
	defer s.counter.Leave()
	seen, err := s.seen(context.Background(), ax)
	if err != nil {
		return 0, err
	}
	x := seen.RawMatrix().Data
	s.counter.Enter(StepKernel)
	inner := mat.NewSymPacked(k, nil)
	s.counter.Dsprk(blas.Trans, k, q, -1, x, k, 0, inner.RawSymPacked().Data)
	inner.AddDiagonal(1)
	s.counter.Enter(StepFactor)
	factor, err := s.definiteFactor(inner, "I - F'Ax'Ax F")
	if err != nil {
		return 0, err
	}
	rest = s.smallestEigenvalue(factor)
	if !(rest >= limit) {
		return 0, &LeverageError{Rest: rest, Least: limit, Action: ActionRemove}
	}

	s.counter.Enter(StepWeights)
	e := s.residual(ax, ya, s.w)
	v := mat.NewDense(k, c, nil)
	rv := v.RawMatrix().Data
	if q <= k {
		if err := s.gainSolve(-1, seen, e); err != nil {
			return 0, err
		}
	}
	s.counter.Dgemm(blas.Trans, blas.NoTrans, k, c, q, 1, x, k, e.RawMatrix().Data, c, 0, rv, c)
	if q > k {
		if err := factor.SolveTo(v, v); err != nil {
			return 0, ErrOverflow
		}
	}
	s.fTimes(rv)
	s.counter.Enter(StepF)
	if err := s.shrink(factor); err != nil {
		return 0, err
	}
	if s.normL = s.frobenius(); !(s.normL < math.MaxFloat64/4) {
		return 0, ErrOverflow
	}
	return rest, s.addWeights(-1, rv)
}

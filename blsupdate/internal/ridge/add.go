package ridge

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// add brings Q and W up to date by q more rows.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (state.Outcome, error) {
	size, err := s.size.With(ax, ya).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	next := *s
	next.size = size
	q := dense.Rows(ax)
	form := cost.RidgeForm(s.Options.Form, q, s.K, s.C)
	if err := s.roomForRows(api.ActionAdd, form, q); err != nil {
		return state.Outcome{}, err
	}
	if form == api.Large {
		err = next.addLarge(ctx, ax, ya)
	} else {
		err = next.addSmall(ctx, ax, ya)
	}
	if err != nil {
		return state.Outcome{}, err
	}
	*s = next
	return state.Outcome{Model: cost.RidgeAdd(s.Options, form, q, s.K, s.C), Form: form}, nil
}

// roomForRows asks for the memory of an addition or a removal of q rows: for P of a block and, where there are several
// blocks, copies of Q and W; in the form Large for a copy of Q, which becomes the new one, and two matrices like W.
func (s *State) roomForRows(action api.Action, form api.Form, q int) error {
	triangle, w := memory.Triangle(s.K), memory.Floats(s.K, s.C)
	bytes := memory.Sum(triangle, w, w)
	if form != api.Large {
		blocks := cost.RidgeBlocks(q, s.K)
		bytes = memory.Floats(q/blocks, s.K)
		if blocks > 1 {
			bytes = memory.Sum(bytes, triangle, w)
		}
	}
	return s.Reserve(api.RidgeInverse, action, q, bytes)
}

// addSmall is the formula of Woodbury, block by block of the rows, with P = Ax Q, UᵀU = I + Ax Pᵀ and
// T = U⁻ᵀP:
//
//	W := W + TᵀU⁻ᵀ(Ya - Ax W),   Q := Q - TᵀT.
//
// A symmetric product, and no inverse: with the inverse of UᵀU instead, as it is often written, the
// error is a hundred times as large. One block is added in place, more to copies, because a later one
// may fail.
func (s *State) addSmall(ctx context.Context, ax, ya *mat.Dense) error {
	q := dense.Rows(ax)
	blocks := cost.RidgeBlocks(q, s.K)
	if blocks > 1 {
		s.Q, s.W = dense.CloneSym(s.Q), gonummat.DenseCopyOf(s.W)
	}
	for i := range blocks {
		if err := interrupt.Check(ctx); err != nil {
			return err
		}
		from, to := cost.BlockRange(q, blocks, i)
		g, err := s.gainOf(1, dense.RowRange(ax, from, to))
		if err != nil {
			return err
		}
		if err := interrupt.Check(ctx); err != nil {
			return err
		}
		if err := s.apply(1, g, dense.RowRange(ax, from, to), dense.RowRange(ya, from, to)); err != nil {
			return err
		}
	}
	return nil
}

// A gain is what a block of q rows does to Q.
type gain struct {
	factor *lapack.Cholesky // U, with UᵀU = I + sign Ax Q Axᵀ
	t      *mat.Dense       // T = U⁻ᵀAx Q, q×k
}

// gainOf computes the gain of rows that are added (sign is 1) or removed (-1).
func (s *State) gainOf(sign float64, ax *mat.Dense) (gain, error) {
	q, x := dense.Rows(ax), ax.RawMatrix()
	defer s.Counter.Leave()
	s.Counter.Enter(cost.StepP)
	p := make([]float64, q*s.K)
	TimesPacked(&s.Base, q, s.gain, s.Q.RawSymPacked().Data, x.Data, x.Stride, p)

	s.Counter.Enter(cost.StepKernel)
	inner := mat.NewSymPacked(q, nil)
	s.Counter.Dgemmtp(blas.NoTrans, blas.Trans, q, s.K, sign, x.Data, x.Stride, p, s.K, 0, inner.RawSymPacked().Data)
	inner.AddDiagonal(1)

	s.Counter.Enter(cost.StepFactor)
	factor, err := s.DefiniteFactor(inner, "I + Ax Q Ax'")
	if err != nil {
		return gain{}, err
	}
	t := mat.NewDense(q, s.K, p)
	if err := factor.SolveUTo(t, t, true); err != nil {
		return gain{}, api.ErrOverflow
	}
	return gain{factor, t}, nil
}

// apply computes W += sign TᵀU⁻ᵀ(Ya - Ax W) and Q -= sign TᵀT in place, unless that could overflow.
func (s *State) apply(sign float64, g gain, ax, ya *mat.Dense) error {
	q := dense.Rows(ax)
	defer s.Counter.Leave()
	s.Counter.Enter(cost.StepWeights)
	e := s.Residual(ax, ya, s.W)
	if err := g.factor.SolveUTo(e, e, true); err != nil {
		return api.ErrOverflow
	}
	// No element of TᵀE or TᵀT is larger than the product of the norms of two columns.
	size := dense.Largest(dense.ColumnNorms(g.t))
	mostQ, mostW := s.MostQ+size*size/s.gain, s.MostW+size*dense.Largest(dense.ColumnNorms(e))
	if !(max(mostQ, mostW) < math.MaxFloat64/4) {
		return api.ErrOverflow
	}
	s.MostQ, s.MostW = mostQ, mostW
	t, r := g.t.RawMatrix().Data, e.RawMatrix().Data
	s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, s.C, q, sign, t, s.K, r, s.C, 1, s.W.RawMatrix().Data, s.C)
	s.Counter.Enter(cost.StepQ)
	AddOuter(&s.Base, q, -sign/s.gain, t, s.Q.RawSymPacked().Data)
	return nil
}

// addLarge computes, by two symmetric inverses,
//
//	Q := (Q⁻¹ + AxᵀAx)⁻¹,   W := W + Q Axᵀ(Ya - Ax W).
//
// The inverse of the unsymmetric I + Q AxᵀAx by LU, which it resembles, has an error of eps κ³.
func (s *State) addLarge(ctx context.Context, ax, ya *mat.Dense) error {
	const what = "Q"
	q, x := dense.Rows(ax), ax.RawMatrix()
	defer s.Counter.Leave()
	if err := s.Enter(ctx, cost.StepG); err != nil {
		return err
	}
	factor, err := s.DefiniteFactor(s.Inverse(), what)
	if err != nil {
		return err
	}
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	g, err := factor.InverseInPlace()
	if err != nil {
		return &api.ConditionError{What: what, Err: err, Instead: []api.Method{api.QR}}
	}
	err = state.EachPanel(ctx, q, func(from, to int) error {
		s.Counter.Dsprk(blas.Trans, s.K, to-from, 1, x.Data[from*x.Stride:], x.Stride, 1, g.RawSymPacked().Data)
		return nil
	})
	if err != nil {
		return err
	}

	if err := s.Enter(ctx, cost.StepQ); err != nil {
		return err
	}
	if factor, err = s.DefiniteFactor(g, "A'A + lambda I"); err != nil {
		return err
	}
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	if s.Q, err = factor.InverseInPlace(); err != nil {
		return &api.ConditionError{What: "A'A + lambda I", Err: err, Instead: []api.Method{api.QR}}
	}
	s.peak *= s.gain
	s.Noted *= s.gain
	s.gain, s.MostQ = 1, dense.LargestOf(s.Q.RawSymPacked().Data)

	v := make([]float64, s.K*s.C)
	err = s.EachPanel(ctx, cost.StepWeights, q, func(from, to int) error {
		e := s.Residual(dense.RowRange(ax, from, to), dense.RowRange(ya, from, to), s.W).RawMatrix().Data
		s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, s.C, to-from, 1, x.Data[from*x.Stride:], x.Stride, e, s.C, 1, v, s.C)
		return nil
	})
	if err != nil {
		return err
	}
	s.W = gonummat.DenseCopyOf(s.W)
	w := s.W.RawMatrix().Data
	s.Counter.Dspmm(blas.Left, s.K, s.C, 1, s.Q.RawSymPacked().Data, v, s.C, 1, w, s.C)
	if isfinite.First(w) >= 0 {
		return api.ErrOverflow
	}
	s.MostW = dense.LargestOf(w)
	return nil
}

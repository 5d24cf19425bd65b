package blsupdate

import (
	"context"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// add brings Q and W up to date by q more rows.
func (s *ridgeInverse) add(ctx context.Context, ax, ya *mat.Dense) (done, error) {
	size, err := s.size.with(ax, ya).safe()
	if err != nil {
		return done{}, err
	}
	next := *s
	next.size = size
	q := rowsOf(ax)
	form := ridgeInverseForm(s.opt.Form, q, s.k, s.c)
	if err := s.roomForRows(ActionAdd, form, q); err != nil {
		return done{}, err
	}
	if form == Large {
		err = next.addLarge(ctx, ax, ya)
	} else {
		err = next.addSmall(ctx, ax, ya)
	}
	if err != nil {
		return done{}, err
	}
	*s = next
	return done{model: ridgeInverseAddition(s.opt, form, q, s.k, s.c), form: form}, nil
}

// roomForRows asks for the memory of an addition or a removal of q rows: for P of a block and, where there are several
// blocks, copies of Q and W; in the form Large for a copy of Q, which becomes the new one, and two matrices like W.
func (s *ridgeInverse) roomForRows(action Action, form Form, q int) error {
	triangle, w := memory.Triangle(s.k), memory.Floats(s.k, s.c)
	bytes := memory.Sum(triangle, w, w)
	if form != Large {
		blocks := ridgeInverseBlocks(q, s.k)
		bytes = memory.Floats(q/blocks, s.k)
		if blocks > 1 {
			bytes = memory.Sum(bytes, triangle, w)
		}
	}
	return s.room(RidgeInverse, action, q, bytes)
}

// addSmall is the formula of Woodbury, block by block of the rows, with P = Ax Q, UᵀU = I + Ax Pᵀ and
// T = U⁻ᵀP:
//
//	W := W + TᵀU⁻ᵀ(Ya - Ax W),   Q := Q - TᵀT.
//
// A symmetric product, and no inverse: with the inverse of UᵀU instead, as it is often written, the
// error is a hundred times as large. One block is added in place, more to copies, because a later one
// may fail.
func (s *ridgeInverse) addSmall(ctx context.Context, ax, ya *mat.Dense) error {
	q := rowsOf(ax)
	blocks := ridgeInverseBlocks(q, s.k)
	if blocks > 1 {
		s.q, s.w = cloneSym(s.q), gonummat.DenseCopyOf(s.w)
	}
	for i := range blocks {
		if err := interrupt.Check(ctx); err != nil {
			return err
		}
		from, to := blockRange(q, blocks, i)
		g, err := s.gainOf(1, rowRange(ax, from, to))
		if err != nil {
			return err
		}
		if err := interrupt.Check(ctx); err != nil {
			return err
		}
		if err := s.apply(1, g, rowRange(ax, from, to), rowRange(ya, from, to)); err != nil {
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
func (s *ridgeInverse) gainOf(sign float64, ax *mat.Dense) (gain, error) {
	q, x := rowsOf(ax), ax.RawMatrix()
	defer s.counter.Leave()
	s.counter.Enter(StepP)
	p := make([]float64, q*s.k)
	timesPacked(&s.common, q, s.gain, s.q.RawSymPacked().Data, x.Data, x.Stride, p)

	s.counter.Enter(StepKernel)
	inner := mat.NewSymPacked(q, nil)
	s.counter.Dgemmtp(blas.NoTrans, blas.Trans, q, s.k, sign, x.Data, x.Stride, p, s.k, 0, inner.RawSymPacked().Data)
	inner.AddDiagonal(1)

	s.counter.Enter(StepFactor)
	factor, err := s.definiteFactor(inner, "I + Ax Q Ax'")
	if err != nil {
		return gain{}, err
	}
	t := mat.NewDense(q, s.k, p)
	if err := factor.SolveUTo(t, t, true); err != nil {
		return gain{}, ErrOverflow
	}
	return gain{factor, t}, nil
}

// apply computes W += sign TᵀU⁻ᵀ(Ya - Ax W) and Q -= sign TᵀT in place, unless that could overflow.
func (s *ridgeInverse) apply(sign float64, g gain, ax, ya *mat.Dense) error {
	q := rowsOf(ax)
	defer s.counter.Leave()
	s.counter.Enter(StepWeights)
	e := s.residual(ax, ya, s.w)
	if err := g.factor.SolveUTo(e, e, true); err != nil {
		return ErrOverflow
	}
	// No element of TᵀE or TᵀT is larger than the product of the norms of two columns.
	size := largest(columnNorms(g.t))
	mostQ, mostW := s.mostQ+size*size/s.gain, s.mostW+size*largest(columnNorms(e))
	if !(max(mostQ, mostW) < math.MaxFloat64/4) {
		return ErrOverflow
	}
	s.mostQ, s.mostW = mostQ, mostW
	t, r := g.t.RawMatrix().Data, e.RawMatrix().Data
	s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, s.c, q, sign, t, s.k, r, s.c, 1, s.w.RawMatrix().Data, s.c)
	s.counter.Enter(StepQ)
	addOuter(&s.common, q, -sign/s.gain, t, s.q.RawSymPacked().Data)
	return nil
}

// addLarge computes, by two symmetric inverses,
//
//	Q := (Q⁻¹ + AxᵀAx)⁻¹,   W := W + Q Axᵀ(Ya - Ax W).
//
// The inverse of the unsymmetric I + Q AxᵀAx by LU, which it resembles, has an error of eps κ³.
func (s *ridgeInverse) addLarge(ctx context.Context, ax, ya *mat.Dense) error {
	const what = "Q"
	q, x := rowsOf(ax), ax.RawMatrix()
	defer s.counter.Leave()
	if err := s.enter(ctx, StepG); err != nil {
		return err
	}
	factor, err := s.definiteFactor(s.inverse(), what)
	if err != nil {
		return err
	}
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	g, err := factor.InverseInPlace()
	if err != nil {
		return &ConditionError{What: what, Err: err, Instead: []Method{QR}}
	}
	err = eachPanel(ctx, q, func(from, to int) error {
		s.counter.Dsprk(blas.Trans, s.k, to-from, 1, x.Data[from*x.Stride:], x.Stride, 1, g.RawSymPacked().Data)
		return nil
	})
	if err != nil {
		return err
	}

	if err := s.enter(ctx, StepQ); err != nil {
		return err
	}
	if factor, err = s.definiteFactor(g, "A'A + lambda I"); err != nil {
		return err
	}
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	if s.q, err = factor.InverseInPlace(); err != nil {
		return &ConditionError{What: "A'A + lambda I", Err: err, Instead: []Method{QR}}
	}
	s.peak *= s.gain
	s.noted *= s.gain
	s.gain, s.mostQ = 1, largestOf(s.q.RawSymPacked().Data)

	v := make([]float64, s.k*s.c)
	err = s.eachPanel(ctx, StepWeights, q, func(from, to int) error {
		e := s.residual(rowRange(ax, from, to), rowRange(ya, from, to), s.w).RawMatrix().Data
		s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, s.c, to-from, 1, x.Data[from*x.Stride:], x.Stride, e, s.c, 1, v, s.c)
		return nil
	})
	if err != nil {
		return err
	}
	s.w = gonummat.DenseCopyOf(s.w)
	w := s.w.RawMatrix().Data
	s.counter.Dspmm(blas.Left, s.k, s.c, 1, s.q.RawSymPacked().Data, v, s.c, 1, w, s.c)
	if isfinite.First(w) >= 0 {
		return ErrOverflow
	}
	s.mostW = largestOf(w)
	return nil
}

package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// The steps that RidgeInverse and InverseCholesky share.
const (
	StepKernel Step = "I + Ax R^-1 Ax'" // where R = AᵀA + lambda I; of order q, or I + FᵀAxᵀAx F, of order k
	StepNodesS Step = "C'C + lambda (D'D + I)"
)

// startFactor returns the Cholesky factor of AᵀA + lambda I with its reciprocal condition number. The
// error is a *ConditionError where that matrix is not positive definite to working precision.
func (b *common) startFactor(ctx context.Context, a *mat.Dense) (*lapack.Cholesky, float64, error) {
	b.counter.Enter(StepGram)
	defer b.counter.Leave()
	g := mat.NewSymPacked(b.k, nil)
	err := eachPanel(ctx, rowsOf(a), func(from, to int) error {
		x := rowRange(a, from, to).RawMatrix()
		b.counter.Dsprk(blas.Trans, b.k, x.Rows, 1, x.Data, x.Stride, 1, g.RawSymPacked().Data)
		return nil
	})
	if err == nil {
		err = interrupt.Check(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	g.AddDiagonal(b.opt.Lambda)
	const what = "A'A + lambda I"
	for i := range b.k {
		// Squares that underflow leave a matrix that is well-conditioned and wrong.
		if g.At(i, i) < smallestSquare {
			return nil, 0, &ConditionError{What: what, Instead: []Method{QR, InverseCholesky}}
		}
	}
	b.counter.Enter(StepFactor)
	factor := &lapack.Cholesky{Backend: b.counter}
	if err := factor.FactorizeInPlace(g); err != nil {
		if errors.Is(err, lapack.ErrNotFinite) {
			return nil, 0, ErrOverflow
		}
		return nil, 0, &ConditionError{What: what, Err: err, Instead: []Method{QR, InverseCholesky}}
	}
	return factor, factor.RCond(), nil
}

// wellConditioned tells whether a start by the Cholesky factor of AᵀA + lambda I, of which rcond is the reciprocal
// condition number 1/κ², is as accurate as the updates of methods with an error of eps κ: its own error is about
// eps κ², which stays below the error 10 sqrt(l) eps κ that the updates may add where κ <= 10 sqrt(l).
func wellConditioned(rcond float64, l int) bool { return rcond >= 1/(100*float64(l)) }

// startWeights solves (AᵀA + lambda I) W = AᵀY by the factor. It is more accurate than a product with
// the inverse.
func (b *common) startWeights(ctx context.Context, factor *lapack.Cholesky, a, y *mat.Dense) (*mat.Dense, error) {
	defer b.counter.Leave()
	ra, ry := a.RawMatrix(), y.RawMatrix()
	w := mat.NewDense(b.k, b.c, nil)
	err := b.eachPanel(ctx, StepT, ra.Rows, func(from, to int) error {
		b.counter.Dgemm(blas.Trans, blas.NoTrans, b.k, b.c, to-from, 1, ra.Data[from*ra.Stride:], ra.Stride, ry.Data[from*ry.Stride:], ry.Stride, 1, w.RawMatrix().Data, b.c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.counter.Enter(StepSolve)
	if err := factor.SolveTo(w, w); err != nil {
		return nil, ErrOverflow
	}
	return w, nil
}

// startSteps has the steps of startFactor and startWeights.
func startSteps(l, k, c int) []StepFlops {
	half := k * (k + 1) / 2
	return []StepFlops{
		line(StepGram, "lk²", operation{fresh, 0, half, 0}, operation{sprk, 0, k, l}),
		line(StepFactor, "k³/3", operation{pptrf, k, k, 0}),
		line(StepT, "2clk", operation{gemmTN, k, c, l}),
		line(StepSolve, "2ck²", operation{pptrs, k, k, c}),
	}
}

// residual returns Ya - Ax W in new storage, q×c.
func (b *common) residual(ax, ya, w *mat.Dense) *mat.Dense {
	e := gonummat.DenseCopyOf(ya)
	x, r := ax.RawMatrix(), e.RawMatrix()
	b.counter.Dgemm(blas.NoTrans, blas.NoTrans, r.Rows, b.c, b.k, -1, x.Data, x.Stride, w.RawMatrix().Data, b.c, 1, r.Data, r.Stride)
	return e
}

// definiteFactor returns the Cholesky factor of a symmetric matrix that is positive definite unless
// rounding has the better of the state, and for which s is overwritten.
func (b *common) definiteFactor(s *mat.SymPacked, what string) (*lapack.Cholesky, error) {
	factor := &lapack.Cholesky{Backend: b.counter}
	err := factor.FactorizeInPlace(s)
	switch {
	case err == nil:
		return factor, nil
	case errors.Is(err, lapack.ErrNotFinite):
		return nil, ErrOverflow
	default:
		return nil, &ConditionError{What: what, Err: err, Instead: []Method{QR}}
	}
}

// triangleError says why a system with a triangle, or its inverse, has no finite solution: an exactly zero pivot is a
// matter of condition, and all else is overflow.
func triangleError(what string, err error) error {
	var pivot *lapack.PivotError
	if errors.As(err, &pivot) && pivot.Pivot == 0 {
		return &ConditionError{What: what, Err: err, Instead: []Method{QR}}
	}
	return ErrOverflow
}

// rowRange returns rows from to to-1 of m, which shares its storage.
func rowRange(m *mat.Dense, from, to int) *mat.Dense {
	_, cols := m.Dims()
	return m.Slice(from, to, 0, cols).(*mat.Dense)
}

// largestOf returns the largest magnitude in x.
func largestOf(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// A border is what p new columns H are to the old ones, by the solution D of (AᵀA + lambda I) D = AᵀH.
type border struct {
	*common
	a, h  *mat.Dense
	d     []float64 // Dᵀ, p×k
	c     []float64 // C = H - A D, l×p
	apply func(g, d []float64)
}

// newBorder returns an empty border; apply computes Dᵀ = GᵀR⁻¹ for p×k matrices, where R = AᵀA + lambda
// I.
func (b *common) newBorder(a, h *mat.Dense, apply func(g, d []float64)) *border {
	l, p := h.Dims()
	return &border{common: b, a: a, h: h, d: make([]float64, p*b.k), c: make([]float64, l*p), apply: apply}
}

// solve computes D and C, and corrects them once: D += R⁻¹(AᵀC - lambda D). With an R⁻¹ that has an
// error of eps κ² the first D does, too, and what is wrong with it would be in C.
func (b *border) solve(lambda float64) error {
	l, p := b.h.Dims()
	k, a, h := b.k, b.a.RawMatrix(), b.h.RawMatrix()
	g, more := make([]float64, p*k), make([]float64, p*k)
	for i := range l {
		copy(b.c[i*p:], h.Data[i*h.Stride:i*h.Stride+p])
	}
	for round := range 2 {
		b.counter.Enter(StepBorder)
		if round > 0 {
			copy(g, b.d)
		}
		b.counter.Dgemm(blas.Trans, blas.NoTrans, p, k, l, 1, b.c, p, a.Data, a.Stride, -lambda, g, k)
		b.counter.Enter(StepNodesD)
		b.apply(g, more)
		floats.Add(b.d, more)
		b.counter.Enter(StepNodesC)
		b.counter.Dgemm(blas.NoTrans, blas.Trans, l, p, k, -1, a.Data, a.Stride, more, k, 1, b.c, p)
	}
	if isfinite.First(b.d) >= 0 || isfinite.First(b.c) >= 0 {
		return ErrOverflow
	}
	return nil
}

// project returns CᵀY, p×c.
func (b *border) project(y *mat.Dense) (*mat.Dense, error) {
	l, p := b.h.Dims()
	v, ry := mat.NewDense(p, b.common.c, nil), y.RawMatrix()
	b.counter.Dgemm(blas.Trans, blas.NoTrans, p, b.common.c, l, 1, b.c, p, ry.Data, ry.Stride, 0, v.RawMatrix().Data, b.common.c)
	if isfinite.First(v.RawMatrix().Data) >= 0 {
		return nil, ErrOverflow
	}
	return v, nil
}

// weights returns [W - D W2; W2].
func (b *border) weights(w, w2 *mat.Dense) *mat.Dense {
	p, c := w2.Dims()
	all := mat.NewDense(b.k+p, c, append(compact(w), compact(w2)...))
	b.counter.Dgemm(blas.Trans, blas.NoTrans, b.k, c, p, -1, b.d, b.k, w2.RawMatrix().Data, c, 1, all.RawMatrix().Data, c)
	return all
}

// borderSteps has the steps of solve, where kinds are the operations of one application of R⁻¹.
func borderSteps(s Shape, formula string, apply ...operation) []StepFlops {
	g, c := operation{gemmTN, s.P, s.K, s.L}, operation{gemmNT, s.L, s.P, s.K}
	return []StepFlops{
		line(StepBorder, "4klp", g, g),
		line(StepNodesD, formula, append(apply, apply...)...),
		line(StepNodesC, "4klp", c, c),
	}
}

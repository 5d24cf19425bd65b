package pseudoinverse

import (
	"cmp"
	"context"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// highLeverage is the norm of DᵀD = Ax (AᵀA)⁺ Axᵀ, the leverage of the new rows, above which B is not
// computed from I + DᵀD. That sum has rounding errors of about eps times the norm, which become the
// relative error of B, and persist. Up to highLeverage the error is at most 30 eps κ, since ‖D‖ is at
// most κ. For features of digit images the norm was 1 to 7.
const highLeverage = 1e3

// Names of the matrices in errors.
const (
	smallMatrix = "I + D'D"
	stackMatrix = "R of [D; I]"
)

// innerProduct returns the symmetric q×q matrix DᵀD = Ax Dbar.
func (s *addition) innerProduct() *mat.SymPacked {
	if s.inner == nil {
		s.u.Counter.Enter(cost.StepInner)
		s.inner = mat.NewSymPacked(s.q, nil)
		dense.Gemmtp(s.u.Counter, 1, s.ax, s.dbar, 0, s.inner)
	}
	return s.inner
}

func (s *addition) innerNorm() float64 {
	data, y := s.innerProduct().RawSymPacked().Data, make([]float64, s.q)
	return dense.LargestEigenvalue(s.q, func(x []float64) {
		s.u.Counter.Dspmv(blas.Upper, s.q, 1, data, x, 1, 0, y, 1)
		copy(x, y)
	})
}

// small returns Bᵀ = (I + DᵀD)⁻¹ Dbarᵀ by inverse or, with Options.Solve, a solve that overwrites Dbar.
func (s *addition) small() (bt *mat.Dense, err error) {
	counter, k, m := s.u.Counter, s.u.K, s.innerProduct()
	m.AddDiagonal(1)
	counter.Enter(cost.StepInverse)
	if s.solve {
		chol, err := s.u.Factor(m, smallMatrix)
		if err != nil {
			return nil, err
		}
		counter.Enter(cost.StepB)
		err = chol.SolveTo(s.dbar, s.dbar)
		s.leftBy(m)
		return s.dbar, state.FactorError(smallMatrix, err)
	}
	ldlt := dense.NewLDLT(counter)
	if err := ldlt.FactorizeInPlace(m); err != nil {
		return nil, state.FactorError(smallMatrix, err)
	}
	m, err = ldlt.InverseInPlace()
	if err != nil {
		return nil, state.FactorError(smallMatrix, err)
	}
	counter.Enter(cost.StepB)
	bt = mat.NewDense(s.q, k, nil)
	counter.Dspmm(blas.Left, s.q, k, 1, m.RawSymPacked().Data, s.dbar.RawMatrix().Data, k, 0, bt.RawMatrix().Data, k)
	s.left = func(e *mat.Dense) error {
		mat.SymMul(counter.Unwrap(), e, m, dense.Copy(e))
		return nil
	}
	return bt, nil
}

// leftBy sets left to a solution with the Cholesky factor in u, which no step counts.
func (s *addition) leftBy(u *mat.SymPacked) {
	s.left = func(e *mat.Dense) error {
		on, c := factor.On(s.u.Counter.Unwrap()), dense.Cols(e)
		of, side := block.Packed(s.q, u.RawSymPacked().Data, 0, 0), block.Dense(e.RawMatrix().Data, c)
		for _, trans := range []blas.Transpose{blas.Trans, blas.NoTrans} {
			factor.Trtrs(on, blas.Left, blas.Upper, trans, blas.NonUnit, s.q, c, of, side)
		}
		return nil
	}
}

// smallOrthogonal returns Bᵀ for B = A⁺D (I + DᵀD)⁻¹. It does not form DᵀD, so it is accurate for rows
// of any leverage. With the QR factorization
//
//	[D; I] = [Q1; Q2] R,   so that   I + DᵀD = RᵀR   and   D = Q1 R,
//
// B is A⁺Q1 R⁻ᵀ. All of D must be kept, and Q1 takes as much memory again.
func (s *addition) smallOrthogonal(ctx context.Context) (bt *mat.Dense, err error) {
	u, q, l := s.u, s.q, s.u.p.count
	u.Counter.Enter(cost.StepOrthogonal)
	q1, r, _, err := dense.QR(ctx, u.Counter, mat.NewDense(l, q, s.d), dense.ScaledIdentity(q, 1))
	if err != nil {
		return nil, cmp.Or(interrupt.Check(ctx), state.FactorError(stackMatrix, err))
	}
	s.left = func(e *mat.Dense) error {
		on := u.Counter.Unwrap()
		return cmp.Or(lapack.SolveTriangular(on, e, r, true), lapack.SolveTriangular(on, e, r, false))
	}
	bt = mat.NewDense(q, u.K, nil)
	u.p.blockwise(func(first int, p *mat.Dense) {
		rows := dense.RowRange(q1, first, first+dense.Rows(p))
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, rows, p, 1, bt)
	})
	return bt, state.FactorError(stackMatrix, lapack.SolveTriangular(u.Counter, bt, r, false))
}

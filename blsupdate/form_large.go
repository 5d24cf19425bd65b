package blsupdate

import (
	"context"

	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// leastRCond is the reciprocal condition number of I + Dbar Ax below which the Large form is an error:
// eps over it is the relative error of B.
const leastRCond = eps

// large computes Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ, by the inverse or by a solution, or returns a
// *ConditionError if that would be inaccurate.
func (s *addition) large(ctx context.Context) error {
	u, q, k := s.u, s.q, s.u.k
	u.counter.Enter(StepInner)
	defer u.counter.Leave()
	m := mat.NewDense(k, k, nil)
	data := m.RawMatrix().Data
	left, right := s.dbar, s.ax
	if s.solve { // the transpose, whose rows the solution has
		left, right = right, left
	}
	err := eachPanel(ctx, q, func(from, to int) error {
		u.counter.Dgemm(blas.Trans, blas.NoTrans, k, k, to-from, 1, left[from*k:], k, right[from*k:], k, 1, data, k)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range k {
		data[i*k+i]++
	}

	u.counter.Enter(StepInverse)
	lu := lapack.LU{Backend: u.counter}
	if err := lu.FactorizeInPlace(m); err != nil {
		return inverseError("I + Dbar Ax", err)
	}
	if rcond := lu.RCond(); !(rcond > leastRCond) {
		return &ConditionError{What: "I + Dbar Ax", RCond: rcond}
	}
	if s.solve {
		u.counter.Enter(StepB)
		s.bt = s.dbar
		b := mat.NewDense(q, k, s.bt)
		if err := lu.SolveRowsTo(b, b); err != nil {
			return inverseError("I + Dbar Ax", err)
		}
		return nil
	}
	inverse, err := lu.InverseInPlace()
	if err != nil {
		return inverseError("I + Dbar Ax", err)
	}
	u.counter.Enter(StepB)
	s.bt = make([]float64, q*k)
	raw := inverse.RawMatrix()
	u.counter.Dgemm(blas.NoTrans, blas.Trans, q, k, k, 1, s.dbar, k, raw.Data, raw.Stride, 0, s.bt, k)
	return nil
}

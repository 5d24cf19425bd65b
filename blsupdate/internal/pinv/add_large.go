package pinv

import (
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// leastRCond is the reciprocal condition number of I + Dbar Ax below which the Large form is an error:
// eps over it is the relative error of B.
const leastRCond = dense.Eps

// large computes Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ, by the inverse or by a solution, or returns a
// *ConditionError if that would be inaccurate.
func (s *Addition) large(ctx context.Context) error {
	u, q, k := s.U, s.Q, s.U.K
	u.Counter.Enter(cost.StepInner)
	defer u.Counter.Leave()
	m := mat.NewDense(k, k, nil)
	data := m.RawMatrix().Data
	left, right := s.dbar, s.ax
	if s.solve { // the transpose, whose rows the solution has
		left, right = right, left
	}
	err := state.EachPanel(ctx, q, func(from, to int) error {
		u.Counter.Dgemm(blas.Trans, blas.NoTrans, k, k, to-from, 1, left[from*k:], k, right[from*k:], k, 1, data, k)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range k {
		data[i*k+i]++
	}

	u.Counter.Enter(cost.StepInverse)
	lu := lapack.LU{Backend: u.Counter}
	if err := lu.FactorizeInPlace(m); err != nil {
		return inverseError("I + Dbar Ax", err)
	}
	if rcond := lu.RCond(); !(rcond > leastRCond) {
		return &api.ConditionError{What: "I + Dbar Ax", RCond: rcond}
	}
	if s.solve {
		u.Counter.Enter(cost.StepB)
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
	u.Counter.Enter(cost.StepB)
	s.bt = make([]float64, q*k)
	raw := inverse.RawMatrix()
	u.Counter.Dgemm(blas.NoTrans, blas.Trans, q, k, k, 1, s.dbar, k, raw.Data, raw.Stride, 0, s.bt, k)
	return nil
}

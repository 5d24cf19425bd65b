package blsupdate

import (
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Reciprocal condition numbers of I + Dbar Ax at which the Large form is not used: eps over it is
// the relative error of B.
const (
	leastRCond     = eps   // with the form chosen by the caller, or by the paper's rule
	leastAutoRCond = 1e-12 // with the form chosen by Auto
)

// large computes Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ, or returns a *ConditionError if that would be inaccurate.
func (s *addition) large() error {
	u, q, k := s.u, s.q, s.u.k
	u.counter.Enter(StepInner)
	defer u.counter.Leave()
	m := mat.NewDense(k, k, nil)
	data := m.RawMatrix().Data
	u.counter.Dgemm(blas.Trans, blas.NoTrans, k, k, q, 1, s.dbar, k, s.ax, k, 0, data, k)
	for i := range k {
		data[i*k+i]++
	}

	u.counter.Enter(StepInverse)
	lu := lapack.LU{Backend: u.counter}
	if err := lu.FactorizeInPlace(m); err != nil {
		return inverseError("I + Dbar Ax", err)
	}
	least := leastRCond
	if u.opt.Form == Auto {
		least = leastAutoRCond
	}
	if rcond := lu.RCond(); !(rcond > least) {
		return &ConditionError{What: "I + Dbar Ax", RCond: rcond}
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

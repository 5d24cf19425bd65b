package pinv

import (
	"errors"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// largeNorm is the norm of DᵀD, the size of the new rows as the old ones see it squared, from which on
// I + DᵀD is not formed. The rounding errors in it are about eps times the norm, and so is the relative
// error of B, which nothing mends later. Below, that is at most 30 eps κ, as ‖D‖ is at most κ. For
// the features of images of digits, batch after batch, the norm was 1 to 7.
const largeNorm = 1e3

// innerProduct returns the symmetric q×q matrix DᵀD, which is also Ax Dbar.
func (s *Addition) innerProduct() *mat.SymPacked {
	if s.Inner == nil {
		s.U.Counter.Enter(cost.StepInner)
		s.Inner = mat.NewSymPacked(s.Q, nil)
		s.U.Counter.Dgemmtp(blas.NoTrans, blas.Trans, s.Q, s.U.K, 1, s.ax, s.U.K, s.dbar, s.U.K, 0, s.Inner.RawSymPacked().Data)
	}
	return s.Inner
}

// innerNorm estimates the 2-norm of DᵀD from below; see largestEigenvalue.
func (s *Addition) InnerNorm() float64 {
	data := s.innerProduct().RawSymPacked().Data
	y := make([]float64, s.Q)
	return state.LargestEigenvalue(s.Q, func(x []float64) {
		s.U.Counter.Dspmv(blas.Upper, s.Q, 1, data, x, 1, 0, y, 1)
		copy(x, y)
	})
}

// small computes Bᵀ = (I + DᵀD)⁻¹ Dbarᵀ, by the inverse or by a solution.
func (s *Addition) small() error {
	counter, k := s.U.Counter, s.U.K
	m := s.innerProduct()
	m.AddDiagonal(1)
	counter.Enter(cost.StepInverse)
	defer counter.Leave()
	if s.solve {
		chol := lapack.Cholesky{Backend: counter}
		if err := chol.FactorizeInPlace(m); err != nil {
			return inverseError("I + D'D", err)
		}
		counter.Enter(cost.StepB)
		s.bt = s.dbar
		b := mat.NewDense(s.Q, k, s.bt)
		if err := chol.SolveTo(b, b); err != nil {
			return inverseError("I + D'D", err)
		}
		return nil
	}
	ldlt := lapack.LDLT{Backend: counter}
	if err := ldlt.FactorizeInPlace(m); err != nil {
		return inverseError("I + D'D", err)
	}
	m, err := ldlt.InverseInPlace()
	if err != nil {
		return inverseError("I + D'D", err)
	}
	counter.Enter(cost.StepB)
	s.bt = make([]float64, s.Q*k)
	counter.Dspmm(blas.Left, s.Q, k, 1, m.RawSymPacked().Data, s.dbar, k, 0, s.bt, k)
	return nil
}

// smallOrthogonal computes B = A⁺D (I + DᵀD)⁻¹ without that matrix, for rows of any size: with the QR
// factorization
//
//	[D; I] = [Q1; Q2] R,   so that   I + DᵀD = RᵀR   and   D = Q1 R,
//
// B is A⁺Q1 R⁻ᵀ. All of D has to be there; Q1 takes as much memory once more.
func (s *Addition) smallOrthogonal() error {
	u, q, k := s.U, s.Q, s.U.K
	l := u.P.Count
	u.Counter.Enter(cost.StepOrthogonal)
	defer u.Counter.Leave()
	stacked := mat.NewDense(l+q, q, nil)
	data := stacked.RawMatrix().Data
	copy(data, s.d)
	for i := range q {
		data[(l+i)*q+i] = 1
	}
	qr := lapack.QR{Backend: u.Counter}
	if err := qr.FactorizeInPlace(stacked); err != nil {
		return inverseError("R of [D; I]", err)
	}
	var r mat.Dense
	qr.RTo(&r)
	q1 := qr.QInPlace().RawMatrix()
	s.bt = make([]float64, q*k)
	u.P.panels(0, l, l, func(first, n int, p []float64) {
		u.Counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, 1, q1.Data[first*q1.Stride:], q1.Stride, p, k, 1, s.bt, k)
	})
	if err := lapack.SolveTriangular(u.Counter, mat.NewDense(q, k, s.bt), &r, false); err != nil {
		return inverseError("R of [D; I]", err)
	}
	return nil
}

// inverseError says why the matrix of the given name, whose eigenvalues are at least 1, has no inverse.
func inverseError(matrix string, err error) error {
	if errors.Is(err, lapack.ErrNotFinite) {
		return api.ErrOverflow
	}
	return &api.ConditionError{What: matrix, Err: err}
}

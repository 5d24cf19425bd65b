package blsupdate

import (
	"errors"
	"math"
	"slices"

	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Norms of DᵀD, the size of the new rows as the old ones see it, from which on the inverse of I +
// DᵀD needs help. Its relative error is about eps times the norm, and what is lost is multiplied by
// the norm of Dbar.
const (
	// refineNorm: B is refined once, which takes the error to eps where the norm is below 1/eps.
	refineNorm = 1e4
	// splitNorm: the batch is added in halves. A single row needs no inverse.
	splitNorm = 1e12
)

// innerProduct returns the symmetric q×q matrix DᵀD, which is also Ax Dbar.
func (s *addition) innerProduct() *mat.SymPacked {
	if s.inner == nil {
		s.u.counter.Enter(StepInner)
		s.inner = mat.NewSymPacked(s.q, nil)
		s.u.counter.Dgemmtp(blas.NoTrans, blas.Trans, s.q, s.u.k, 1, s.ax, s.u.k, s.dbar, s.u.k, 0, s.inner.RawSymPacked().Data)
	}
	return s.inner
}

// innerNorm estimates the 2-norm of DᵀD from below, by some steps of the power method.
func (s *addition) innerNorm() float64 {
	m := s.innerProduct()
	data := m.RawSymPacked().Data
	x, y := make([]float64, s.q), make([]float64, s.q)
	for i := range x {
		x[i] = m.At(i, i)
	}
	size := 0.0
	for range 3 {
		length := norm(x)
		if !(length > 0) || math.IsInf(length, 1) {
			return length
		}
		for i := range x {
			x[i] /= length
		}
		s.u.counter.Dspmv(blas.Upper, s.q, 1, data, x, 1, 0, y, 1)
		size = norm(y)
		x, y = y, x
	}
	return size
}

// small computes Bᵀ = (I + DᵀD)⁻¹ Dbarᵀ, and refines it once if refine is set.
func (s *addition) small(refine bool) error {
	m, k := s.innerProduct(), s.u.k
	m.AddDiagonal(1)
	var original []float64
	if refine {
		original = slices.Clone(m.RawSymPacked().Data)
	}
	s.u.counter.Enter(StepInverse)
	defer s.u.counter.Leave()
	ldlt := lapack.LDLT{Backend: s.u.counter}
	if err := ldlt.FactorizeInPlace(m); err != nil {
		return inverseError("I + D'D", err)
	}
	m, err := ldlt.InverseInPlace()
	if err != nil {
		return inverseError("I + D'D", err)
	}
	inverse := m.RawSymPacked().Data
	s.u.counter.Enter(StepB)
	s.bt = make([]float64, s.q*k)
	s.u.counter.Dspmm(blas.Left, s.q, k, 1, inverse, s.dbar, k, 0, s.bt, k)
	if refine {
		s.u.counter.Enter(StepRefine)
		residual := slices.Clone(s.dbar)
		s.u.counter.Dspmm(blas.Left, s.q, k, -1, original, s.bt, k, 1, residual, k)
		s.u.counter.Dspmm(blas.Left, s.q, k, 1, inverse, residual, k, 1, s.bt, k)
	}
	return nil
}

// inverseError says why the matrix of the given name, whose eigenvalues are at least 1, has no inverse.
func inverseError(matrix string, err error) error {
	if errors.Is(err, lapack.ErrNotFinite) {
		return ErrOverflow
	}
	return &ConditionError{What: matrix, Err: err}
}

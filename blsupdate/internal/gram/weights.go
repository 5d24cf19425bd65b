package gram

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// changed drops W and the factor.
func (s *State) changed() { s.w, s.factor = nil, nil }

// factorize returns the Cholesky factor of G + lambda I, and its steps if it is new. It reserves memory
// for the factor and for more bytes beside it.
func (s *State) factorize(more int64) (*lapack.Cholesky, []cost.StepFlops, error) {
	g := s.factored
	if g == nil || g.SymmetricDim() != s.K {
		g = new(mat.SymPacked)
		more = memory.Sum(more, memory.Triangle(s.K))
	}
	if err := s.Reserve(api.Gram, api.ActionWeights, 0, more); err != nil {
		return nil, nil, err
	}
	if s.factor != nil {
		return s.factor, nil, nil
	}
	s.factored = g
	s.Counter.Enter(cost.StepFactor)
	g.CopySym(s.g)
	g.AddDiagonal(s.Lambda)
	factor, err := s.Factor(g, state.GramMatrix, api.QR)
	if err == nil {
		err = s.checkPivots(g)
	}
	if err != nil {
		return nil, nil, err
	}
	s.factor = factor
	return factor, []cost.StepFlops{cost.GramFactor(s.K)}, nil
}

// checkPivots returns an error where a pivot of the factor u is within its rounding errors, or made of
// squares that underflow. The square of a pivot over its diagonal element is the share of its column
// that the columns before it do not have, whatever their scales. Its rounding error was at most a few
// eps sqrt(k), of either sign: half of the singular matrices have a Cholesky factor.
func (s *State) checkPivots(u *mat.SymPacked) error {
	noise := 10 * dense.Eps * math.Sqrt(float64(s.K))
	for j := range s.K {
		diagonal, pivot := s.g.At(j, j)+s.Lambda, u.At(j, j)
		if diagonal < dense.SmallestSquare || !(pivot*pivot > noise*diagonal) {
			return &api.ConditionError{What: state.GramMatrix, RCond: pivot * pivot / diagonal, Instead: []api.Method{api.QR}}
		}
	}
	return nil
}

// Weights solves (G + lambda I) W = T.
func (s *State) Weights() (_ *mat.Dense, out state.Outcome, err error) {
	if s.w != nil {
		return s.w, out, nil
	}
	factor, model, err := s.factorize(memory.Floats(s.K, s.C))
	if err != nil {
		return nil, out, err
	}
	s.Counter.Enter(cost.StepSolve)
	w := mat.NewDense(s.K, s.C, nil)
	if factor.SolveTo(w, s.t) != nil {
		return nil, out, api.ErrOverflow
	}
	s.w = w
	return w, state.Outcome{Model: append(model, cost.GramSolve(s.K, s.C))}, nil
}

// Refine corrects W twice. The first correction leaves an error of eps κ + (eps κ²)², the second that
// of the residual.
func (s *State) Refine(a, y *mat.Dense) (out state.Outcome, err error) {
	w, out, err := s.Weights()
	if err != nil {
		return out, err
	}
	factor, model, err := s.factorize(0) // Forget drops the factor and keeps W
	if err != nil {
		return out, err
	}
	better := dense.Copy(w)
	for range 2 {
		s.Counter.Enter(cost.StepResidual)
		rest, correction := s.Residual(a, y, better), dense.Copy(better)
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, a, rest, -s.Lambda, correction)
		s.Counter.Enter(cost.StepCorrection)
		if factor.SolveTo(correction, correction) != nil {
			return out, api.ErrOverflow
		}
		better.Add(better, correction)
	}
	if !dense.Finite(better) {
		return out, api.ErrOverflow
	}
	s.w = better
	out.Model = append(append(out.Model, model...), cost.GramRefine(dense.Rows(a), s.K, s.C)...)
	return out, nil
}

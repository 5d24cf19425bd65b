package gram

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// refine corrects W.
func (s *State) Refine(a, y *mat.Dense) (state.Outcome, error) {
	w, d, err := s.Weights()
	if err != nil {
		return state.Outcome{}, err
	}
	factor, model, err := s.factorize(0) // which Forget may have dropped while W stays
	if err != nil {
		return state.Outcome{}, err
	}
	d.Model = append(d.Model, model...)
	l, ra := dense.Rows(a), a.RawMatrix()
	better := gonummat.DenseCopyOf(w)
	for range cost.RefineSteps {
		s.Counter.Enter(cost.StepResidual)
		rest, t, b := dense.Compact(y), make([]float64, s.K*s.C), better.RawMatrix().Data
		s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, l, s.C, s.K, -1, ra.Data, ra.Stride, b, s.C, 1, rest, s.C)
		copy(t, b)
		s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, s.C, l, 1, ra.Data, ra.Stride, rest, s.C, -s.Lambda, t, s.C)
		s.Counter.Enter(cost.StepCorrection)
		correction := mat.NewDense(s.K, s.C, t)
		err := factor.SolveTo(correction, correction)
		if err != nil {
			return state.Outcome{}, api.ErrOverflow
		}
		better.Add(better, correction)
	}
	s.Counter.Leave()
	if isfinite.First(better.RawMatrix().Data) >= 0 {
		return state.Outcome{}, api.ErrOverflow
	}
	s.w = better
	return state.Outcome{Model: append(d.Model, cost.GramRefine(l, s.K, s.C)...)}, nil
}

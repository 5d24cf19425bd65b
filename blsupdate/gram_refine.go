package blsupdate

import (
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// A Refiner is an Updater whose weights can be made more accurate with the data at hand, as that of Gram.
type Refiner interface {
	Updater

	// Refine corrects W twice by the solution for its residual,
	//
	//	W := W + (AᵀA + lambda I)⁻¹ (Aᵀ(Y - A W) - lambda W),
	//
	// with a, l×k, and y, l×c, all rows that the model has, in any order, each as the model has it. That
	// takes the error of W from eps κ² to eps κ for κ up to about 1e7, and 8lkc + 4ck² flops. W stays so until the
	// model changes. Neither matrix is changed or kept; the errors are those of Weights and a *ShapeError.
	// (Iterative refinement by the normal equations: Björck, Numerical Methods for Least Squares Problems,
	// section 2.9.)
	Refine(a, y *mat.Dense) error
}

// refineSteps is the number of corrections. The first leaves an error of eps κ + (eps κ²)², the second that of
// the residual.
const refineSteps = 2

// refine corrects W.
func (s *gram) refine(a, y *mat.Dense) (done, error) {
	w, d, err := s.weights()
	if err != nil {
		return done{}, err
	}
	factor, model, err := s.factorize(0) // which Forget may have dropped while W stays
	if err != nil {
		return done{}, err
	}
	d.model = append(d.model, model...)
	l, ra := rowsOf(a), a.RawMatrix()
	better := gonummat.DenseCopyOf(w)
	for range refineSteps {
		s.counter.Enter(StepResidual)
		rest, t, b := compact(y), make([]float64, s.k*s.c), better.RawMatrix().Data
		s.counter.Dgemm(blas.NoTrans, blas.NoTrans, l, s.c, s.k, -1, ra.Data, ra.Stride, b, s.c, 1, rest, s.c)
		copy(t, b)
		s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, s.c, l, 1, ra.Data, ra.Stride, rest, s.c, -s.ridge, t, s.c)
		s.counter.Enter(StepCorrection)
		correction := mat.NewDense(s.k, s.c, t)
		err := factor.SolveTo(correction, correction)
		if err != nil {
			return done{}, ErrOverflow
		}
		better.Add(better, correction)
	}
	s.counter.Leave()
	if isfinite.First(better.RawMatrix().Data) >= 0 {
		return done{}, ErrOverflow
	}
	s.w = better
	return done{model: append(d.model, gramRefinement(l, s.k, s.c)...)}, nil
}

// A refining is a state that can refine its weights.
type refining interface {
	refine(a, y *mat.Dense) (done, error)
}

// A refiner is an updater whose state is refining.
type refiner struct {
	*updater
	s refining
}

func (u refiner) Refine(a, y *mat.Dense) error {
	u.begin()
	if err := u.checkAll(a, y); err != nil {
		return err
	}
	if err := u.checkDetermined(); err != nil {
		return err
	}
	return u.run(0, 0, func() (done, error) { return u.s.refine(a, y) })
}

package blsupdate

import (
	"errors"
	"math"
	"slices"

	"blskernel/internal/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// remove computes G -= AxᵀAx and T -= AxᵀYa on copies, and keeps them, and the factor of G, if enough of the
// information is left.
//
// The eigenvalues e of Ax (G + lambda I)⁻¹ Axᵀ = V Vᵀ after the removal are h/(1-h) for those before it. The
// errors E_ij of the difference are eps d_i d_j for the norms d of the columns of [A; sqrt(lambda) I] before
// the removal, and no G⁻¹ before it comes in. They change e = a x, where x = (G + lambda I)⁻¹aᵀ, by xᵀE x,
// which is about sqrt(k) eps ‖D x‖² where D has d on its diagonal, so at most sqrt(k) eps e m for the largest
// eigenvalue m of D (G + lambda I)⁻¹ D, and 1-h = 1/(1+e) by (1-h) sqrt(k) eps m. To estimate m takes
// lanczosSteps solutions for one vector.
func (s *gram) remove(ax, ya *mat.Dense) (done, error) {
	q := rowsOf(ax)
	triangle := memory.Triangle(s.k) // of the new G, and of its factor beside V
	if err := s.room(Gram, ActionRemove, q, memory.Sum(triangle, triangle, memory.Floats(s.k, s.c), memory.Floats(q, s.k))); err != nil {
		return done{}, err
	}
	next := *s
	next.g, next.t = cloneSym(s.g), gonummat.DenseCopyOf(s.t)
	next.factor, next.factored, next.w, next.spare = nil, nil, nil, nil
	next.size = s.size.without(ax, ya)
	next.update(next.g, next.t, -1, ax, ya)
	factor, model, err := next.factorize(0)
	var short *MemoryError
	if errors.As(err, &short) { // which others have taken meanwhile
		return done{}, err
	}
	if err != nil {
		if _, _, err := s.factorize(0); err != nil {
			return done{}, err // which was so before
		}
		return done{}, &LeverageError{Action: ActionRemove}
	}
	s.counter.Enter(StepLeverage)
	v := new(mat.Dense)
	if err := factor.SolveURowsTo(v, ax, false); err != nil {
		return done{}, &LeverageError{Action: ActionRemove}
	}
	s.counter.Leave()
	rest := 1 / (1 + s.squaredNorm(v))
	d, solve := s.lengths(), s.solver(factor)
	weakest := largestEigenvalue(s.k, func(x []float64) {
		floats.Mul(x, d)
		solve(x)
		floats.Mul(x, d)
	})
	if limit := restLimit(math.Sqrt(float64(s.k)) * rest * weakest); !(rest >= limit) {
		return done{}, &LeverageError{Rest: rest, Least: limit, Action: ActionRemove}
	}
	next.noteLoss(1 / rest)
	*s = next
	return done{model: slices.Concat(gramUpdate(q, s.k, s.c), model, []StepFlops{gramLeverage(q, s.k)})}, nil
}

// lengths returns the norms of the columns of [A; sqrt(lambda) I].
func (s *gram) lengths() []float64 {
	root := math.Sqrt(s.ridge)
	lengths := make([]float64, s.k)
	for j, v := range s.size.a {
		lengths[j] = math.Hypot(v, root)
	}
	return lengths
}

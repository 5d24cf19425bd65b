package gram

import (
	"errors"
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
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
func (s *State) Remove(ax, ya *mat.Dense) (state.Outcome, error) {
	q := dense.Rows(ax)
	triangle := memory.Triangle(s.K) // of the new G, and of its factor beside V
	if err := s.Reserve(api.Gram, api.ActionRemove, q, memory.Sum(triangle, triangle, memory.Floats(s.K, s.C), memory.Floats(q, s.K))); err != nil {
		return state.Outcome{}, err
	}
	next := *s
	next.g, next.t = dense.CloneSym(s.g), gonummat.DenseCopyOf(s.t)
	next.factor, next.factored, next.w, next.spare = nil, nil, nil, nil
	next.size = s.size.Without(ax, ya)
	next.update(next.g, next.t, -1, ax, ya)
	factor, model, err := next.factorize(0)
	var short *memory.Error
	if errors.As(err, &short) { // which others have taken meanwhile
		return state.Outcome{}, err
	}
	if err != nil {
		if _, _, err := s.factorize(0); err != nil {
			return state.Outcome{}, err // which was so before
		}
		return state.Outcome{}, &api.LeverageError{Action: api.ActionRemove}
	}
	s.Counter.Enter(cost.StepLeverage)
	v := new(mat.Dense)
	if err := factor.SolveURowsTo(v, ax, false); err != nil {
		return state.Outcome{}, &api.LeverageError{Action: api.ActionRemove}
	}
	s.Counter.Leave()
	rest := 1 / (1 + s.SquaredNorm(v))
	d, solve := s.lengths(), s.Solver(factor)
	weakest := state.LargestEigenvalue(s.K, func(x []float64) {
		floats.Mul(x, d)
		solve(x)
		floats.Mul(x, d)
	})
	if limit := state.RestLimit(math.Sqrt(float64(s.K)) * rest * weakest); !(rest >= limit) {
		return state.Outcome{}, &api.LeverageError{Rest: rest, Least: limit, Action: api.ActionRemove}
	}
	next.NoteLoss(1 / rest)
	*s = next
	return state.Outcome{Model: slices.Concat(cost.GramUpdate(q, s.K, s.C), model, []cost.StepFlops{cost.GramLeverage(q, s.K)})}, nil
}

// lengths returns the norms of the columns of [A; sqrt(lambda) I].
func (s *State) lengths() []float64 {
	root := math.Sqrt(s.Lambda)
	lengths := make([]float64, s.K)
	for j, v := range s.size.A {
		lengths[j] = math.Hypot(v, root)
	}
	return lengths
}

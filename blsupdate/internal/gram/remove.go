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
)

// Remove computes G -= AxᵀAx and T -= AxᵀYa on copies, and keeps them and the factor of G if enough
// information is left.
//
// The eigenvalues e of Ax (G + lambda I)⁻¹ Axᵀ = V Vᵀ after the removal are h/(1-h) for those before
// it. The errors of the difference are E_ij = eps d_i d_j for the norms d of the columns of [A;
// sqrt(lambda) I] before it. With x = (G + lambda I)⁻¹aᵀ they change e by xᵀE x, about sqrt(k) eps ‖D
// x‖² for D = diag(d), at most sqrt(k) eps e m for the largest eigenvalue m of D (G + lambda I)⁻¹ D,
// and so 1-h = 1/(1+e) by (1-h) sqrt(k) eps m.
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	triangle := memory.Triangle(s.K) // of the new G, and of its factor beside V
	if err := s.Reserve(api.Gram, api.ActionRemove, q, memory.Sum(triangle, triangle, memory.Floats(s.K, s.C), memory.Floats(q, s.K))); err != nil {
		return out, err
	}
	next := State{Base: s.Base, g: dense.CopySym(s.g), t: dense.Copy(s.t), size: s.size.Without(ax, ya)}
	next.update(next.g, next.t, -1, ax, ya)
	factor, model, err := next.factorize(0)
	var short *memory.Error
	if errors.As(err, &short) { // other programs took the memory meanwhile
		return out, err
	}
	if err != nil {
		if _, _, err := s.factorize(0); err != nil {
			return out, err // it was so before
		}
		return out, &api.LeverageError{Action: api.ActionRemove}
	}
	s.Counter.Enter(cost.StepLeverage)
	v := new(mat.Dense)
	if err := factor.SolveURowsTo(v, ax, false); err != nil {
		return out, &api.LeverageError{Action: api.ActionRemove}
	}
	rest := 1 / (1 + s.SquaredNorm(v))
	solve, root, d := factor.Solver(), math.Sqrt(s.Lambda), make([]float64, s.K)
	for j, v := range s.size.A {
		d[j] = math.Hypot(v, root)
	}
	weakest := dense.LargestEigenvalue(s.K, func(x []float64) {
		floats.Mul(x, d)
		solve(x)
		floats.Mul(x, d)
	})
	if err := state.CheckRest(rest, state.RestLimit(math.Sqrt(float64(s.K))*rest*weakest)); err != nil {
		return out, err
	}
	next.NoteLoss(1 / rest)
	*s = next
	out.Model = slices.Concat(cost.GramAdd(q, s.K, s.C), model, []cost.StepFlops{cost.GramLeverage(q, s.K)})
	return out, nil
}

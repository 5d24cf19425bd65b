package blsupdate

import (
	"slices"

	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// remove computes G -= AxᵀAx and T -= AxᵀYa on copies, and keeps them, and the factor of G, if enough of the
// information is left.
func (s *gram) remove(ax, ya *mat.Dense) (done, error) {
	next := *s
	next.g, next.t = cloneSym(s.g), cloneDense(s.t)
	next.factor, next.factored, next.w, next.spare = nil, nil, nil, nil
	next.size = s.size.without(ax, ya)
	next.update(-1, ax, ya)
	factor, model, err := next.factorize()
	if err != nil {
		return done{}, &LeverageError{}
	}
	s.counter.Enter(StepLeverage)
	v := new(mat.Dense)
	if err := factor.SolveURowsTo(v, ax, false); err != nil {
		return done{}, &LeverageError{}
	}
	s.counter.Leave()
	// The eigenvalues e of Ax (G + lambda I)⁻¹ Axᵀ after the removal are h/(1-h) for those before it.
	if rest := 1 / (1 + s.largestEigenvalue(v)); !(rest >= leastRest) {
		return done{}, &LeverageError{Rest: rest}
	}
	*s = next
	q := rowsOf(ax)
	return done{model: slices.Concat(gramUpdate(q, s.k, s.c), model, []StepFlops{gramLeverage(q, s.k)})}, nil
}

// largestEigenvalue estimates the largest eigenvalue of V Vᵀ from below, by the power method on VᵀV.
func (b *common) largestEigenvalue(v *mat.Dense) float64 {
	raw := v.RawMatrix()
	x, y := columnNorms(v), make([]float64, raw.Rows)
	var value float64
	for range powerSteps {
		length := norm(x)
		if !(length > 0) {
			return length
		}
		scale(1/length, x)
		b.counter.Dgemv(blas.NoTrans, raw.Rows, raw.Cols, 1, raw.Data, raw.Stride, x, 1, 0, y, 1)
		b.counter.Dgemv(blas.Trans, raw.Rows, raw.Cols, 1, raw.Data, raw.Stride, y, 1, 0, x, 1)
		value = norm(x)
	}
	return value
}

// powerSteps is the number of steps of the power method: enough for an eigenvalue to a tenth or two of its
// value, whatever the others are, unless the start has next to nothing of its direction.
const powerSteps = 12

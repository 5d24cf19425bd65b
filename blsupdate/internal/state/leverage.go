package state

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// RestLimit returns the smallest 1-h at which rows are removed from a state whose h has an error of eps
// times noise. Where rows are all that is known in some direction, 1-h is zero, but its computed value
// is rounding of either sign, and must be below the limit.
func RestLimit(noise float64) float64 { return max(api.LeastRest, restNoise*dense.Eps*noise) }

// restNoise is the limit in units of eps times noise. Of some 16000 removals of all that is known in a
// direction, by each method, every method accepted some with 0.1 and none with 1 (k = 2 to 60, q = 1 to
// 2k, three kinds of A, κ to 1e11).
const restNoise = 5

// RemovalLimit is RestLimit for the methods whose errors stay in an inverse: noise is κ^power, where κ
// = 1/rcond is that of the worst state so far. It returns a *ConditionError where eps κ^power is 1 or
// more, so that no h is known.
func RemovalLimit(rcond float64, power int) (float64, error) {
	noise := math.Pow(rcond, -float64(power))
	if dense.Eps*noise < 1 {
		return RestLimit(noise), nil
	}
	if power == 1 {
		return 0, &api.ConditionError{What: "[A; sqrt(lambda) I] before the removal", RCond: rcond}
	}
	return 0, &api.ConditionError{What: "A'A + lambda I before the removal", RCond: rcond * rcond, Instead: []api.Method{api.QR}}
}

// CheckRemains returns a *LeverageError where fewer rows than nodes would remain without a ridge: h is
// 1 then, whatever rounding makes of it. It does not apply to Original and Improved, whose state any
// rows determine.
func CheckRemains(lambda float64, left, k int, action api.Action) error {
	if lambda == 0 && left < k {
		return &api.LeverageError{Action: action}
	}
	return nil
}

// CheckRest returns a *LeverageError where the computed 1-h is below the limit.
func CheckRest(rest, limit float64) error {
	if !(rest >= limit) {
		return &api.LeverageError{Rest: max(0, rest), Least: limit, Action: api.ActionRemove}
	}
	return nil
}

// CheckAll returns the 1-h of a removal in parts, where rest is the product of those of the parts, a
// lower bound. If that is below the limit, it takes the estimate 1/(1 + norm()) after the removal in
// its place.
func CheckAll(rest, limit float64, norm func() float64) (float64, error) {
	if !(rest >= limit) {
		rest = 1 / (1 + norm())
	}
	return rest, CheckRest(rest, limit)
}

// KernelNorm estimates the 2-norm of alpha Ax R⁻¹ Axᵀ, where apply returns the product of R⁻¹ with a
// vector that it may overwrite. After a removal of the rows Ax that is h/(1-h).
func (b *Base) KernelNorm(ax *mat.Dense, alpha float64, apply func(u []float64) []float64) float64 {
	x, u := ax.RawMatrix(), make([]float64, b.K)
	return LargestEigenvalue(x.Rows, func(e []float64) {
		b.Counter.Dgemv(blas.Trans, x.Rows, b.K, 1, x.Data, x.Stride, e, 1, 0, u, 1)
		b.Counter.Dgemv(blas.NoTrans, x.Rows, b.K, alpha, x.Data, x.Stride, apply(u), 1, 0, e, 1)
	})
}

// leverageRows is the number of rows whose leverages are computed together: enough for products at full
// speed.
const leverageRows = 512

// Leverages returns the inner product of row i of l and r for each row i of X, where products returns l
// and r for some rows of X.
func (b *Base) Leverages(x *mat.Dense, products func(x *mat.Dense) (l, r *mat.Dense)) ([]float64, error) {
	rows := dense.Rows(x)
	values := make([]float64, 0, rows)
	b.Counter.Enter(cost.StepLeverage)
	defer b.Counter.Leave()
	for from := 0; from < rows; from += leverageRows {
		l, r := products(dense.RowRange(x, from, min(from+leverageRows, rows)))
		for i := range dense.Rows(l) {
			values = append(values, b.Counter.Ddot(b.K, l.RawRowView(i), 1, r.RawRowView(i), 1))
		}
	}
	if isfinite.First(values) >= 0 {
		return nil, api.ErrOverflow
	}
	return values, nil
}

package blsupdate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// Statistics describe how well the weights fit the rows of a model. Slices have one element per target.
type Statistics struct {
	Rows int // n, the number of rows with positive weight

	// Freedom is the effective number of parameters, the trace of H = A (AᵀA + lambda I)⁻¹Aᵀ. It is
	// k - lambda tr (AᵀA + lambda I)⁻¹, or the rank of A without a ridge.
	Freedom float64

	// RSS is Σ w_i (y_ij - a_i W_j)² over all rows i, for each target j. RSS and the fields below
	// are NaN if squares overflow, or after AddTargets or MapTargets has combined several targets
	// into one. RSS, Variance and GCV are also NaN if rounding has left fewer than about two
	// digits. That happens in a close fit by Gram, with a ridge, or by an ill-conditioned model of
	// Original or Improved after changes. It also happens after the removal of rows with 10⁷ times
	// larger residuals, until Rebuild, AddNodes (not in Gram) or until RSS has grown. Larger
	// errors may go unnoticed in an exact fit, in a close fit by Improved in the form Large with
	// rows some 10⁴ times as long as the others, and in RidgeInverse if Condition().Digits is
	// below 6.
	RSS []float64

	// R2 is 1 - RSS/Σ w_i (y_ij - m_j)² for the weighted mean m_j of the target. It is NaN if the
	// target does not vary, apart from rounding, and negative if the mean fits better than W.
	R2 []float64

	// Variance is the estimate RSS/(n - Freedom) of sigma², the variance of the noise in a row of
	// weight 1, and NaN for n <= Freedom. It is unbiased for lambda = 0.
	Variance []float64

	// GCV is n RSS/(n - Freedom)², the generalized cross-validation estimate of the mean squared
	// error of a prediction, and NaN for n <= Freedom.
	//
	//	source: Golub, Heath and Wahba, Technometrics 21(2), 1979.
	GCV []float64
}

// LeaveOneOut describes the prediction of each row with the weights fitted to all other rows.
type LeaveOneOut struct {
	Leverage []float64 // h_i = w_i x_i (AᵀA + lambda I)⁻¹ x_iᵀ

	// Residuals, m×c, are y_ij - x_i V_j, where V are the weights learned from all rows but row i.
	// They equal (y_ij - x_i W_j)/(1 - h_i) for the weights W of the model.
	Residuals *mat.Dense

	// PRESS is Σ w_i Residuals_ij² over the given rows, for each target.
	PRESS []float64
}

// An inverse is a Covariance, with the effective number of parameters once it is known.
type inverse struct {
	state.Covariance
	freedom float64 // 0 if it is not known
}

func (u *updater) covariance() (*inverse, error) {
	if err := u.whole(); err != nil {
		return nil, err
	}
	if u.inverse == nil {
		c, err := u.state.Covariance()
		if err != nil {
			return nil, err
		}
		u.inverse = &inverse{Covariance: c}
	}
	return u.inverse, nil
}

func (u *updater) Leverage(x *mat.Dense) ([]float64, error) { return u.LeverageContext(background, x) }

func (u *updater) LeverageContext(ctx context.Context, x *mat.Dense) ([]float64, error) {
	if err := cmp.Or(checkMatrix("X", x, -1, u.Nodes()), interrupt.Check(ctx)); err != nil {
		return nil, err
	}
	c, err := u.covariance()
	if err != nil {
		return nil, err
	}
	return c.Leverages(u.counter, x)
}

func (u *updater) Statistics() (fit Statistics, err error) {
	c, w, err := u.solved()
	if err != nil {
		return fit, err
	}
	base := u.state.Common()
	if c.freedom == 0 {
		c.freedom = float64(c.Rank)
		if base.Lambda > 0 {
			trace, err := u.trace(c)
			if err != nil {
				return fit, err
			}
			c.freedom = max(0, float64(base.K)-float64(base.Lambda*trace))
		}
	}
	n := float64(base.Sums.Rows)
	fit = Statistics{Rows: base.Sums.Rows, Freedom: c.freedom}
	sums, least := u.state.RSS(w)
	scaled, share := u.scaledByRidge(w)
	squares := state.Products(scaled, scaled)
	for j, rss := range sums {
		if rss == state.Unknown || !(squares[j] <= math.MaxFloat64) {
			rss = math.NaN()
		}
		ridge := float64(share * squares[j])
		rss = max(0, rss-ridge)
		blur := least[j] + float64(state.LeastErrors*state.Unit(0, base.K)*ridge)
		spread, rest := base.Sums.Spread[j], n-c.freedom
		if !(spread > 0 && (rss >= blur || spread > float64(state.LeastErrors*blur))) {
			spread = math.NaN()
		}
		r2 := 1 - rss/spread
		if rss < blur {
			rss = math.NaN()
		}
		if !(rest > 0) {
			rest = math.NaN()
		}
		fit.RSS = append(fit.RSS, rss)
		fit.R2 = append(fit.R2, r2)
		fit.Variance = append(fit.Variance, rss/rest)
		fit.GCV = append(fit.GCV, n/rest*(rss/rest))
	}
	return fit, nil
}

// solved returns the inverse and W, which must not be changed.
func (u *updater) solved() (c *inverse, w *mat.Dense, err error) {
	u.startClock()
	if w, err = u.solve(); err != nil {
		return nil, nil, err
	}
	c, err = u.covariance()
	return c, w, err
}

func (u *updater) trace(c *inverse) (sum float64, err error) {
	const panel = 256
	for nodes := range slices.Chunk(factor.Indices(u.Nodes()), panel) {
		values, err := c.Leverages(u.counter, u.units(nodes))
		if err != nil {
			return 0, err
		}
		for _, v := range values {
			sum += v
		}
	}
	return sum, nil
}

func (u *updater) units(nodes []int) *mat.Dense {
	e := mat.NewDense(len(nodes), u.Nodes(), nil)
	for i, node := range nodes {
		e.Set(i, node, 1)
	}
	return e
}

// chosen returns nodes, or the indices of all nodes if nodes is nil. It returns an *OptionError for an
// empty list or a node that the model lacks.
func (u *updater) chosen(nodes []int) ([]int, error) {
	if nodes == nil {
		return factor.Indices(u.Nodes()), nil
	}
	for _, node := range nodes {
		if node < 0 || node >= u.Nodes() {
			return nil, &OptionError{Option: "the index of a node", Value: node, Want: fmt.Sprintf("0 to %d", u.Nodes()-1)}
		}
	}
	if len(nodes) == 0 {
		return nil, &OptionError{Option: "the list of nodes", Value: "empty", Want: "at least one node, or nil for all"}
	}
	return nodes, nil
}

func (u *updater) LeaveOneOut(x, y *mat.Dense) (LeaveOneOut, error) {
	return u.LeaveOneOutContext(background, x, y, nil)
}

func (u *updater) LeaveOneOutContext(ctx context.Context, x, y *mat.Dense, weights []float64) (out LeaveOneOut, err error) {
	m, err := checkPair("X", x, -1, u.Nodes(), "Y", y, u.Targets())
	if err != nil {
		return out, err
	}
	if weights != nil {
		err = checkRowWeights(weights, "X", m)
	}
	if err := cmp.Or(err, interrupt.Check(ctx)); err != nil {
		return out, err
	}
	c, w, err := u.solved()
	if err != nil {
		return out, err
	}
	accuracy := u.state.Condition()
	blur := accuracy.Grown / detmath.Pow(accuracy.RCond, accuracy.Power) // the relative error of h, in eps
	if out.Leverage, err = c.Leverages(u.counter, x); err != nil {
		return out, err
	}
	out.Residuals, out.PRESS = u.state.Common().Residual(x, y, w), make([]float64, u.Targets())
	for i := range m {
		weight := floats.Weight(weights, i)
		out.Leverage[i] *= weight
		h, noise := out.Leverage[i], 0.0
		if weight > 0 && dense.LargestOf(x.RawRowView(i)) > 0 { // otherwise h is exact
			noise = blur * math.Abs(h)
		}
		rest, row := 1-h, out.Residuals.RawRowView(i)
		if err := state.CheckRest(ActionWeights, rest, state.RestLimit(noise)); err != nil {
			return LeaveOneOut{}, fmt.Errorf("row %d: %w", i, err)
		}
		for j := range row {
			row[j] /= rest
			out.PRESS[j] += float64(weight * (row[j] * row[j]))
		}
	}
	if !dense.Finite(out.Residuals) || !floats.Finite(out.PRESS) {
		return LeaveOneOut{}, ErrOverflow
	}
	return out, nil
}

func (u *updater) Covariance(nodes []int) (*mat.SymPacked, error) {
	nodes, err := u.chosen(nodes)
	if err != nil {
		return nil, err
	}
	c, err := u.covariance()
	if err != nil {
		return nil, err
	}
	q, err := c.Times(u.units(nodes))
	if err != nil || !dense.Finite(q) {
		return nil, ErrOverflow
	}
	scaled, share := u.scaledByRidge(q)
	v := mat.NewSymPacked(len(nodes), nil)
	for a := range nodes {
		for b := a; b < len(nodes); b++ {
			value := q.At(a, nodes[b]) - float64(share*dense.Dot(scaled.RawRowView(a), scaled.RawRowView(b)))
			if nodes[a] == nodes[b] {
				value = max(0, value) // a variance
			}
			v.SetSym(a, b, value)
		}
	}
	return v, nil
}

// scaledByRidge returns a copy of m times a power of 2 near sqrt(lambda), and a share. Products of two
// elements of the copy, times share, are lambda times products of m, which may overflow or underflow.
func (u *updater) scaledByRidge(m *mat.Dense) (scaled *mat.Dense, share float64) {
	up, down := dense.Powers([]float64{math.Sqrt(u.Lambda())})
	scaled = dense.Copy(m)
	scaled.Scale(up[0], scaled)
	return scaled, u.Lambda() * down[0] * down[0]
}

func (u *updater) StandardErrors(nodes []int) (*mat.Dense, error) {
	nodes, err := u.chosen(nodes)
	if err != nil {
		return nil, err
	}
	return u.spreads(u.units(nodes), func(v, variance float64) float64 { return math.Sqrt(v) * math.Sqrt(variance) })
}

func (u *updater) PredictionVariance(x *mat.Dense) (*mat.Dense, error) {
	return u.spreads(x, func(v, variance float64) float64 { return v * variance })
}

// spreads returns f(x V xᵀ, sigma²) for each row x of X and each target.
func (u *updater) spreads(x *mat.Dense, f func(v, variance float64) float64) (*mat.Dense, error) {
	if err := checkMatrix("X", x, -1, u.Nodes()); err != nil {
		return nil, err
	}
	fit, err := u.Statistics()
	if err != nil {
		return nil, err
	}
	c := u.inverse // Statistics has computed it
	values, err := c.Leverages(u.counter, x)
	if err != nil {
		return nil, err
	}
	if u.Lambda() > 0 { // x V xᵀ = x Q xᵀ - lambda ‖x Q‖²
		q, err := c.Times(x)
		if err != nil || !dense.Finite(q) {
			return nil, ErrOverflow
		}
		scaled, share := u.scaledByRidge(q)
		for i := range values {
			row := scaled.RawRowView(i)
			values[i] = max(0, values[i]-float64(share*dense.Dot(row, row)))
		}
	}
	v := mat.NewDense(len(values), u.Targets(), nil)
	for i, value := range values {
		for j, variance := range fit.Variance {
			if v.Set(i, j, f(value, variance)); math.IsInf(v.At(i, j), 1) {
				return nil, ErrOverflow
			}
		}
	}
	return v, nil
}

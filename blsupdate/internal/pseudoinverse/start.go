package pseudoinverse

import (
	"cmp"
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Start computes A⁺, or with a ridge (AᵀA + lambda I)⁻¹Aᵀ, and W from the rows A and the targets Y.
func (u *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	u.noteNorms(a, y)
	first, err := u.start(ctx, a, y, &out)
	if err == nil {
		err = u.finish(ctx, first, a, y)
	}
	if err != nil {
		return out, err
	}
	u.setKnown(y, a)
	out.Model = cost.PseudoinverseStart(u.Options, cost.Shape{L: dense.Rows(a), K: u.K, C: u.C, Start: out.Start, Rank: u.rank})
	return out, nil
}

func (u *State) noteNorms(a, y *mat.Dense) {
	u.norm, u.worst.power, u.drift = dense.Frobenius(a), 1, 1
	u.size = state.NewNorms(u.K, u.C, false).With(a, y, u.Lambda)
}

// finish completes a start with (A⁺)ᵀ in first: it computes W if start has not, and all norms.
func (u *State) finish(ctx context.Context, first, a, y *mat.Dense) error {
	l, k := a.Dims()
	u.p = rows{cols: k}
	u.p.append(first.RawMatrix().Data)
	u.a = rows{cols: k}
	if u.computesC() {
		u.a.append(dense.Compact(a))
	}
	if u.w == nil {
		if err := u.project(ctx, first, y); err != nil {
			return err
		}
	}
	if !dense.Finite(first, u.w) {
		return types.ErrOverflow
	}
	u.noteReach()
	u.size.ErrWeights(state.Unit(l, k), u.Lambda, u.w)
	u.size.Rest = u.Refitted(u.w, y, a)
	if u.rank < u.K {
		dense.Add(u.size.ErrY, 1, u.misfit(first, a, y))
	}
	u.noteWeights(dense.ColumnNorms(u.w))
	u.prior.reset(u.Lambda, l, u.C)
	if u.Lambda == 0 {
		u.remember(u.p.norm())
	}
	return nil
}

// misfit returns the norms of A A⁺(Y - A W), the parts of the residuals that W should have fitted,
// where P = (A⁺)ᵀ. W = A⁺Y has errors of eps κ in all directions, also those in which A is large. So
// its fit has errors of eps κ‖Y‖, which reach W times ‖A⁺‖ once the rows come again.
func (u *State) misfit(p, a, y *mat.Dense) []float64 {
	on, rest := u.Counter.Unwrap(), u.ResidualAfter(a, y, u.w)
	change := mat.NewDense(u.K, u.C, nil)
	dense.Gemm(on, blas.Trans, blas.NoTrans, 1, p, rest, 0, change)
	dense.Gemm(on, blas.NoTrans, blas.NoTrans, 1, a, change, 0, rest)
	return dense.ColumnNorms(rest)
}

// start returns the first (A⁺)ᵀ, contiguous, computed in the cheapest way that the condition of A
// allows. It records the rank of A, and with a ridge the condition.
func (u *State) start(ctx context.Context, a, y *mat.Dense, out *state.Outcome) (*mat.Dense, error) {
	l, k := a.Dims()
	out.Start, u.rank = types.StartSVD, k
	if l < k && u.Lambda == 0 {
		if err := u.Enter(ctx, cost.StepFactor); err != nil {
			return nil, err
		}
		return u.truncatedInverse(ctx, a, a)
	}
	p, err := u.startCholesky(ctx, a)
	var singular *types.ConditionError // of AᵀA; A itself may be well-conditioned
	if !errors.As(err, &singular) && !errors.Is(err, types.ErrOverflow) {
		out.Start = types.StartCholesky
		return p, err
	}
	out.Abandoned = u.Counter.Flops()
	u.Counter.Reset()
	return u.startQR(ctx, a, y, out)
}

// rememberRidge records the condition of [A; sqrt(lambda) I], given its reciprocal, if lambda > 0.
func (u *State) rememberRidge(rcond float64) {
	if u.Lambda > 0 {
		u.remember(1 / (rcond * u.length()))
	}
}

// project sets W to PᵀY, where P is l×k.
func (u *State) project(ctx context.Context, p, y *mat.Dense) error {
	u.w = mat.NewDense(u.K, u.C, nil)
	return u.EachPanel(ctx, cost.StepInitial, dense.Rows(p), func(from, to int) error {
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(p, from, to), dense.RowRange(y, from, to), 1, u.w)
		return nil
	})
}

// startCholesky computes P = A (AᵀA + lambda I)⁻¹ if that is accurate enough.
func (u *State) startCholesky(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	chol, rcond, err := u.StartFactor(ctx, a, state.AccurateStart(a))
	if err != nil {
		return nil, err
	}
	u.rememberRidge(math.Sqrt(rcond))
	u.prior.measure(u.Lambda, u.K, chol.Solver())
	p := dense.Copy(a)
	err = u.EachPanel(ctx, cost.StepStart, dense.Rows(a), func(from, to int) error {
		dst := dense.RowRange(p, from, to)
		return chol.SolveRowsTo(dst, dst)
	})
	if err == nil { // A⁺ has an error of eps κ²
		u.size.ErrTargets(state.Unit(dense.Rows(a), u.K) / math.Sqrt(rcond))
	}
	return p, err
}

var errSmallRidge = errors.New("the columns of A are linearly dependent and lambda is negligible: raise lambda, or set it to 0 for the pseudoinverse")

// startQR computes P = Q R⁻ᵀ from a QR factorization of A. With a ridge it factorizes [A; sqrt(lambda)
// I], and uses the first l rows of Q. W is R⁻¹(QᵀY), since rounding in P would cause an error of eps κ²
// in the product PᵀY. If R is singular to working precision and there is no ridge, startQR continues
// with the singular values of R and leaves W to finish.
func (u *State) startQR(ctx context.Context, a, y *mat.Dense, out *state.Outcome) (*mat.Dense, error) {
	l, k := a.Dims()
	if err := u.Enter(ctx, cost.StepFactor); err != nil {
		return nil, err
	}
	rows := []*mat.Dense{a}
	if u.Lambda > 0 {
		rows = append(rows, dense.ScaledIdentity(k, math.Sqrt(u.Lambda)))
	}
	q, r, _, err := dense.QR(ctx, u.Counter, rows...)
	if err != nil {
		return nil, cmp.Or(interrupt.Check(ctx), error(types.ErrOverflow)) // the rows are finite, so R overflowed
	}
	q = dense.RowRange(q, 0, l)
	rcond := lapack.RCondTriangle(u.Counter, dense.Equilibrated(r, dense.ColumnNorms(r)))
	if rcond > dense.RankTolerance(l, k) {
		out.Start = types.StartQR
		u.rememberRidge(rcond)
		raw := r.RawMatrix()
		u.prior.measure(u.Lambda, k, func(x []float64) {
			u.Counter.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, k, raw.Data, raw.Stride, x, 1)
			u.Counter.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, k, raw.Data, raw.Stride, x, 1)
		})
		if err := u.project(ctx, q, y); err != nil {
			return nil, err
		}
		if err := lapack.SolveTriangular(u.Counter, u.w, r, false); err != nil {
			return nil, state.Overflow(err)
		}
		return q, u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
			return state.Overflow(lapack.SolveTriangularRows(u.Counter, dense.RowRange(q, from, to), r, true))
		})
	}
	if u.Lambda > 0 {
		return nil, &types.ConditionError{What: "[A; sqrt(lambda) I]", RCond: rcond, Err: errSmallRidge}
	}
	inverse, err := u.truncatedInverse(ctx, a, r)
	if err != nil {
		return nil, err
	}
	p := mat.NewDense(l, k, nil)
	return p, u.EachPanel(ctx, cost.StepStart, l, func(from, to int) error {
		mat.Mul(u.Counter, dense.RowRange(p, from, to), dense.RowRange(q, from, to), inverse)
		return nil
	})
}

// truncatedInverse returns (r⁺)ᵀ, where r is a or the R of its QR factorization, and records the rank:
// singular values up to RankTolerance of a times the largest one count as zero. The rank is in doubt if
// a value that counts as zero exceeds rounding errors, or if scaling the columns or rows of a changes
// the rank. The product is counted in StepStart.
func (u *State) truncatedInverse(ctx context.Context, a, r *mat.Dense) (*mat.Dense, error) {
	l, k := a.Dims()
	values, us, vs, err := dense.SVD(u.Counter, r)
	if err != nil {
		return nil, err
	}
	if err := u.Enter(ctx, cost.StepStart); err != nil {
		return nil, err
	}
	rankOf := func(values []float64, share float64) int { return countAbove(values, share*values[0], k) }
	u.rank = rankOf(values, dense.RankTolerance(l, k))
	u.doubt = u.rank < rankOf(values, roundingOf(l, k))
	var scaled []*mat.Dense
	if lengths := dense.ColumnNorms(r); !even(lengths) {
		scaled = append(scaled, dense.Equilibrated(r, lengths))
	}
	lengths := make([]float64, l)
	for i := range lengths {
		lengths[i] = dense.Norm(a.RawRowView(i))
	}
	if !even(lengths) {
		m := dense.Copy(a)
		_, reciprocals := dense.Powers(lengths)
		if dense.ScaleRows(m, reciprocals); l > k {
			triangle := dense.Triangle(k)
			if err := lapack.AppendRows(u.Counter.Unwrap(), triangle, nil, m, nil); err != nil {
				return nil, state.Overflow(err)
			}
			m = triangle
		}
		scaled = append(scaled, m)
	}
	for _, m := range scaled {
		values, _, _, err := dense.SVD(u.Counter.Unwrap(), m)
		if err != nil {
			return nil, err
		}
		u.doubt = u.doubt || u.rank != rankOf(values, dense.RankTolerance(l, k))
	}
	return u.inverseOf(values[:u.rank], us, vs), nil
}

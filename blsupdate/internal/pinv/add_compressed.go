package pinv

import (
	"context"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// addCompressed adds the k rows of R in place of the q > k rows of Ax = Q R. For the weights, R with
// the targets QᵀYa says the same as Ax with Ya, and where R appends Bk to A⁺, Ax appends Bk Qᵀ,
// whatever the ranks of A and of C are:
//
//	[A; Q R]⁺ = ([I 0; 0 Q] [A; R])⁺ = [A; R]⁺ [I 0; 0 Qᵀ],
//
// since the matrix on the left has orthonormal columns.
func (u *State) addCompressed(ctx context.Context, ax, ya *mat.Dense, shape cost.Shape) (state.Outcome, error) {
	if err := interrupt.Check(ctx); err != nil {
		return state.Outcome{}, err
	}
	q, r, z, err := u.compress(ax, ya)
	if err != nil {
		return state.Outcome{}, err
	}
	parts, err := u.addRows(ctx, r, z, u.K, strategy{api.Small, true})
	if err != nil {
		return state.Outcome{}, err
	}
	u.expand(q)
	if u.A.Count > shape.L {
		u.A.Truncate(shape.L)
		u.A.Append(dense.Compact(ax))
	}
	d, models := u.sum(parts)
	d.Form = api.Compressed
	d.Model = slices.Concat([]cost.StepFlops{cost.PinvCompress(shape)}, cost.MergeModels(cost.PinvAddSteps, models), []cost.StepFlops{cost.PinvExpand(shape)})
	return d, nil
}

// compress returns Q (q×k), R (k×k) and QᵀYa (k×c).
func (u *State) compress(ax, ya *mat.Dense) (q *mat.Dense, r, z []float64, err error) {
	u.Counter.Enter(cost.StepCompress)
	defer u.Counter.Leave()
	qr := lapack.QR{Backend: u.Counter}
	if err := qr.FactorizeInPlace(gonummat.DenseCopyOf(ax)); err != nil {
		return nil, nil, nil, api.ErrOverflow // the rows are finite
	}
	var triangle mat.Dense
	qr.RTo(&triangle)
	q = qr.QInPlace()
	rq, ry := q.RawMatrix(), ya.RawMatrix()
	z = make([]float64, u.K*u.C)
	u.Counter.Dgemm(blas.Trans, blas.NoTrans, u.K, u.C, rq.Rows, 1, rq.Data, rq.Stride, ry.Data, ry.Stride, 0, z, u.C)
	r = dense.Compact(&triangle)
	if isfinite.First(z) >= 0 || isfinite.First(r) >= 0 {
		return nil, nil, nil, api.ErrOverflow
	}
	return q, r, z, nil
}

// expand replaces the last k rows of P, Bkᵀ, by Bᵀ = Q Bkᵀ. No element of it is larger than the norm of
// Bk.
func (u *State) expand(q *mat.Dense) {
	u.Counter.Enter(cost.StepExpand)
	defer u.Counter.Leave()
	k, raw := u.K, q.RawMatrix()
	bk := u.P.Last(k)
	bt := make([]float64, raw.Rows*k)
	u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, raw.Rows, k, k, 1, raw.Data, raw.Stride, bk, k, 0, bt, k)
	u.P.Truncate(u.P.Count - k)
	u.P.Append(bt)
}

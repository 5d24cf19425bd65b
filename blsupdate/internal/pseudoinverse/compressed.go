package pseudoinverse

import (
	"cmp"
	"context"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// addCompressed adds the k rows of R in place of the q > k rows of Ax = Q R. For the weights, R with
// the targets QᵀYa is equivalent to Ax with Ya. If adding R appends Bk to A⁺, adding Ax appends Bk Qᵀ,
// for any rank of A and of C:
//
//	[A; Q R]⁺ = ([I 0; 0 Q] [A; R])⁺ = [A; R]⁺ [I 0; 0 Qᵀ],
//
// since [I 0; 0 Q] has orthonormal columns.
func (u *State) addCompressed(ctx context.Context, ax, ya *mat.Dense, shape cost.Shape, opt types.Options) (out state.Outcome, err error) {
	u.Counter.Enter(cost.StepCompress)
	q, r, _, err := dense.QR(ctx, u.Counter, ax)
	if err != nil {
		return out, cmp.Or(interrupt.Check(ctx), error(types.ErrOverflow)) // the rows are finite, so R overflowed
	}
	z := mat.NewDense(u.K, u.C, nil)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, q, ya, 0, z)
	if !dense.Finite(z, r) {
		return out, types.ErrOverflow
	}
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	opt.Form, opt.Solve = types.Small, true
	rest := u.ResidualAfter(q, ya, z) // the part of Ya outside the range of Q, which z lacks
	if out, err = u.addRows(ctx, r, z, opt, shape.L+dense.Rows(ax), false); err != nil {
		return out, err
	}
	state.AddLengths(u.size.Rest, u.FittedBy(1, rest))
	// The last k rows of P, Bkᵀ, become Bᵀ = Q Bkᵀ. No element of Bᵀ exceeds the norm of Bk.
	u.Counter.Enter(cost.StepExpand)
	bk, bt := u.p.pick(factor.Indices(u.p.count)[u.p.count-u.K:]), mat.NewDense(dense.Rows(q), u.K, nil)
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, 1, q, bk, 0, bt)
	u.p.truncate(u.p.count - u.K)
	u.p.append(bt.RawMatrix().Data)
	if u.a.count > shape.L {
		u.a.truncate(shape.L)
		u.a.append(dense.Compact(ax))
	}
	out.Form = types.Compressed
	out.Model = cost.PseudoinverseCompressed(shape, out.Model)
	return out, nil
}

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
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// addParts adds the rows of s in two parts, those of the indices first and then the others, and
// restores their order. what is the work that led to the decision.
func (u *State) addParts(ctx context.Context, s *addition, first []int, what part, how strategy) ([]part, error) {
	if err := u.Reserve(u.method, api.ActionAdd, s.q, memory.Floats(u.p.count, u.K)); err != nil {
		return nil, err
	}
	saved, l, order := u.save(), u.p.count, completed(first, s.q)
	parts := []part{what}
	for _, indices := range [][]int{order[:len(first)], order[len(first):]} {
		done, err := u.addRows(ctx, pickRows(s.ax, indices), pickRows(s.ya, indices), how)
		if err != nil {
			*u = saved
			return nil, err
		}
		parts = append(parts, done...)
	}
	u.p.reorder(l, order)
	if u.a.count == u.p.count {
		u.a.reorder(l, order)
	}
	return parts, nil
}

// firstHalf returns the first half of the indices below q.
func firstHalf(q int) []int {
	half := make([]int, q/2)
	for i := range half {
		half[i] = i
	}
	return half
}

// completed returns the indices below n, those in first before the others.
func completed(first []int, n int) []int {
	order := slices.Clone(first)
	in := make([]bool, n)
	for _, i := range first {
		in[i] = true
	}
	for i := range n {
		if !in[i] {
			order = append(order, i)
		}
	}
	return order
}

// pickRows returns a copy of the given rows of m.
func pickRows(m *mat.Dense, which []int) *mat.Dense {
	out := mat.NewDense(len(which), dense.Cols(m), nil)
	for i, row := range which {
		copy(out.RawRowView(i), m.RawRowView(row))
	}
	return out
}

// addCompressed adds the k rows of R in place of the q > k rows of Ax = Q R. To the weights, R with the
// targets QᵀYa says the same as Ax with Ya. Where R appends Bk to A⁺, Ax appends Bk Qᵀ, for any rank of
// A and of C:
//
//	[A; Q R]⁺ = ([I 0; 0 Q] [A; R])⁺ = [A; R]⁺ [I 0; 0 Qᵀ],
//
// since the matrix on the left has orthonormal columns.
func (u *State) addCompressed(ctx context.Context, ax, ya *mat.Dense, shape cost.Shape) (out state.Outcome, err error) {
	q, r, z, err := u.compress(ax, ya)
	if err != nil {
		return out, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	parts, err := u.addRows(ctx, r, z, strategy{api.Small, true})
	if err != nil {
		return out, err
	}
	u.expand(q)
	if u.a.count > shape.L {
		u.a.truncate(shape.L)
		u.a.append(dense.Compact(ax))
	}
	out = u.outcome(parts)
	out.Form = api.Compressed
	out.Model = cost.PinvCompressed(shape, out.Model)
	return out, nil
}

// compress returns Q (q×k), R (k×k) and QᵀYa (k×c).
func (u *State) compress(ax, ya *mat.Dense) (q, r, z *mat.Dense, err error) {
	u.Counter.Enter(cost.StepCompress)
	defer u.Counter.Leave()
	qr := lapack.QR{Backend: u.Counter}
	if err := qr.FactorizeInPlace(dense.Copy(ax)); err != nil {
		return nil, nil, nil, api.ErrOverflow // the rows are finite
	}
	r, z = new(mat.Dense), mat.NewDense(u.K, u.C, nil)
	qr.RTo(r)
	q = qr.QInPlace()
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, q, ya, 0, z)
	if isfinite.First(z.RawMatrix().Data) >= 0 || isfinite.First(r.RawMatrix().Data) >= 0 {
		return nil, nil, nil, api.ErrOverflow
	}
	return q, r, z, nil
}

// expand replaces the last k rows of P, Bkᵀ, by Bᵀ = Q Bkᵀ. No element of it is larger than the norm of
// Bk.
func (u *State) expand(q *mat.Dense) {
	u.Counter.Enter(cost.StepExpand)
	defer u.Counter.Leave()
	last := make([]int, u.K)
	for i := range last {
		last[i] = u.p.count - u.K + i
	}
	bk, bt := u.p.pick(last), mat.NewDense(dense.Rows(q), u.K, nil)
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, 1, q, bk, 0, bt)
	u.p.truncate(u.p.count - u.K)
	u.p.append(bt.RawMatrix().Data)
}

package blsupdate

import (
	"context"
	"slices"

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
func (u *pseudoinverse) addCompressed(ctx context.Context, ax, ya *mat.Dense, shape Shape) (done, error) {
	if err := interrupt.Check(ctx); err != nil {
		return done{}, err
	}
	q, r, z, err := u.compress(ax, ya)
	if err != nil {
		return done{}, err
	}
	parts, err := u.addRows(ctx, r, z, u.k, way{Small, true})
	if err != nil {
		return done{}, err
	}
	u.expand(q)
	if u.a.count > shape.L {
		u.a.truncate(shape.L)
		u.a.append(compact(ax))
	}
	d, models := u.sum(parts)
	d.form = Compressed
	d.model = slices.Concat([]StepFlops{compressionModel(shape)}, mergeModels(additionSteps, models), []StepFlops{expansionModel(shape)})
	return d, nil
}

// compress returns Q (q×k), R (k×k) and QᵀYa (k×c).
func (u *pseudoinverse) compress(ax, ya *mat.Dense) (q *mat.Dense, r, z []float64, err error) {
	u.counter.Enter(StepCompress)
	defer u.counter.Leave()
	qr := lapack.QR{Backend: u.counter}
	if err := qr.FactorizeInPlace(gonummat.DenseCopyOf(ax)); err != nil {
		return nil, nil, nil, ErrOverflow // the rows are finite
	}
	var triangle mat.Dense
	qr.RTo(&triangle)
	q = qr.QInPlace()
	rq, ry := q.RawMatrix(), ya.RawMatrix()
	z = make([]float64, u.k*u.c)
	u.counter.Dgemm(blas.Trans, blas.NoTrans, u.k, u.c, rq.Rows, 1, rq.Data, rq.Stride, ry.Data, ry.Stride, 0, z, u.c)
	r = compact(&triangle)
	if isfinite.First(z) >= 0 || isfinite.First(r) >= 0 {
		return nil, nil, nil, ErrOverflow
	}
	return q, r, z, nil
}

// expand replaces the last k rows of P, Bkᵀ, by Bᵀ = Q Bkᵀ. No element of it is larger than the norm of
// Bk.
func (u *pseudoinverse) expand(q *mat.Dense) {
	u.counter.Enter(StepExpand)
	defer u.counter.Leave()
	k, raw := u.k, q.RawMatrix()
	bk := u.p.last(k)
	bt := make([]float64, raw.Rows*k)
	u.counter.Dgemm(blas.NoTrans, blas.NoTrans, raw.Rows, k, k, 1, raw.Data, raw.Stride, bk, k, 0, bt, k)
	u.p.truncate(u.p.count - k)
	u.p.append(bt)
}

package pinv

import (
	"cmp"
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// largeNorm is the norm of DᵀD = Ax (AᵀA)⁺ Axᵀ, the leverage of the new rows, from which I + DᵀD is not
// formed. Its rounding errors are about eps times the norm, and so is the relative error of B, which
// nothing mends later. Below, that is at most 30 eps κ, as ‖D‖ is at most κ. For the
// features of images of digits the norm was 1 to 7.
const largeNorm = 1e3

// leastRCond is the reciprocal condition number of I + Dbar Ax below which the form Large is an error.
// eps over it is the relative error of B.
const leastRCond = dense.Eps

// Names of the matrices in errors.
const (
	smallMatrix = "I + D'D"
	largeMatrix = "I + Dbar Ax"
	stackMatrix = "R of [D; I]"
)

// innerProduct returns the symmetric q×q matrix DᵀD = Ax Dbar.
func (s *addition) innerProduct() *mat.SymPacked {
	if s.inner == nil {
		s.u.Counter.Enter(cost.StepInner)
		s.inner = mat.NewSymPacked(s.q, nil)
		dense.Gemmtp(s.u.Counter, 1, s.ax, s.dbar, 0, s.inner)
	}
	return s.inner
}

// innerNorm estimates the 2-norm of DᵀD from below.
func (s *addition) innerNorm() float64 {
	data, y := s.innerProduct().RawSymPacked().Data, make([]float64, s.q)
	return dense.LargestEigenvalue(s.q, func(x []float64) {
		s.u.Counter.Dspmv(blas.Upper, s.q, 1, data, x, 1, 0, y, 1)
		copy(x, y)
	})
}

// small computes Bᵀ = (I + DᵀD)⁻¹ Dbarᵀ, by the inverse or by a solution.
func (s *addition) small() error {
	counter, k, m := s.u.Counter, s.u.K, s.innerProduct()
	m.AddDiagonal(1)
	counter.Enter(cost.StepInverse)
	if s.solve {
		chol, err := s.u.Factor(m, smallMatrix)
		if err != nil {
			return err
		}
		counter.Enter(cost.StepB)
		s.bt = s.dbar
		return state.FactorError(smallMatrix, chol.SolveTo(s.bt, s.bt))
	}
	ldlt := lapack.LDLT{Backend: counter}
	if err := ldlt.FactorizeInPlace(m); err != nil {
		return state.FactorError(smallMatrix, err)
	}
	m, err := ldlt.InverseInPlace()
	if err != nil {
		return state.FactorError(smallMatrix, err)
	}
	counter.Enter(cost.StepB)
	s.bt = mat.NewDense(s.q, k, nil)
	counter.Dspmm(blas.Left, s.q, k, 1, m.RawSymPacked().Data, s.dbar.RawMatrix().Data, k, 0, s.bt.RawMatrix().Data, k)
	return nil
}

// smallOrthogonal computes B = A⁺D (I + DᵀD)⁻¹ without that matrix, for rows of any size. With the QR
// factorization
//
//	[D; I] = [Q1; Q2] R,   so that   I + DᵀD = RᵀR   and   D = Q1 R,
//
// B is A⁺Q1 R⁻ᵀ. All of D has to be kept, and Q1 takes as much memory again.
func (s *addition) smallOrthogonal(ctx context.Context) error {
	u, q, l := s.u, s.q, s.u.p.count
	u.Counter.Enter(cost.StepOrthogonal)
	q1, r, _, err := u.orthogonalized(ctx, mat.NewDense(l, q, s.d), dense.ScaledIdentity(q, 1))
	if err != nil {
		return cmp.Or(interrupt.Check(ctx), state.FactorError(stackMatrix, err))
	}
	s.bt = mat.NewDense(q, u.K, nil)
	u.p.blockwise(func(first int, p *mat.Dense) {
		rows := dense.RowRange(q1, first, first+dense.Rows(p))
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, rows, p, 1, s.bt)
	})
	return state.FactorError(stackMatrix, lapack.SolveTriangular(u.Counter, s.bt, r, false))
}

// orthogonalized returns Q and R of a QR factorization of the matrices, one above the other, and the
// reciprocal condition number of R. It checks ctx between blocks of columns.
func (u *State) orthogonalized(ctx context.Context, above ...*mat.Dense) (q, r *mat.Dense, rcond float64, err error) {
	rows := 0
	for _, m := range above {
		rows += dense.Rows(m)
	}
	stacked := mat.NewDense(rows, dense.Cols(above[0]), nil)
	rows = 0
	for _, m := range above {
		dense.Place(stacked, rows, 0, m)
		rows += dense.Rows(m)
	}
	qr := lapack.QR{Backend: u.Counter}
	if err := qr.FactorizeInPlaceContext(ctx, stacked); err != nil {
		return nil, nil, 0, err
	}
	r = new(mat.Dense)
	qr.RTo(r)
	rcond = qr.RCond()
	q, err = qr.QInPlaceContext(ctx)
	return q, r, rcond, err
}

// large computes Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ, by the inverse or by a solution. It returns a
// *ConditionError where that would be inaccurate.
func (s *addition) large(ctx context.Context) error {
	u, q, k := s.u, s.q, s.u.K
	u.Counter.Enter(cost.StepInner)
	m := mat.NewDense(k, k, nil)
	left, right := s.dbar, s.ax
	if s.solve { // the transpose, whose rows the solution has
		left, right = right, left
	}
	err := state.EachPanel(ctx, q, func(from, to int) error {
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, dense.RowRange(left, from, to), dense.RowRange(right, from, to), 1, m)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range k {
		m.RawRowView(i)[i]++
	}

	u.Counter.Enter(cost.StepInverse)
	lu := lapack.LU{Backend: u.Counter}
	if err := lu.FactorizeInPlace(m); err != nil {
		return state.FactorError(largeMatrix, err)
	}
	if rcond := lu.RCond(); !(rcond > leastRCond) {
		return &api.ConditionError{What: largeMatrix, RCond: rcond}
	}
	if s.solve {
		u.Counter.Enter(cost.StepB)
		s.bt = s.dbar
		return state.FactorError(largeMatrix, lu.SolveRowsTo(s.bt, s.bt))
	}
	inverse, err := lu.InverseInPlace()
	if err != nil {
		return state.FactorError(largeMatrix, err)
	}
	u.Counter.Enter(cost.StepB)
	s.bt = mat.NewDense(q, k, nil)
	dense.Gemm(u.Counter, blas.NoTrans, blas.Trans, 1, s.dbar, inverse, 0, s.bt)
	return nil
}

// undecidable is the relative tolerance for singular values of C above which its rank is not decided:
// the state is then so ill-conditioned that rounding noise looks like new rows.
const undecidable = 1e-2

// rowSpaceResidual returns the rank of C = Axᵀ - AᵀD, the part of the new rows outside the row space
// of A, by its singular values. It is zero where C is not computed. For a C of full column rank it
// sets B = (C⁺)ᵀ.
//
// Singular values up to max(l+q, k) eps κ ‖Ax‖ count as zero, with κ = ‖A‖‖A⁺‖ in Frobenius norms, the
// largest of each so far. Rounding in C is about eps (‖Ax‖ + ‖A‖‖D‖) for rows in general position, and
// eps κ(A) ‖Ax‖ for combinations of the rows of A. After updates and removals A⁺ has errors of its own,
// for which there is the factor drift. The ranks of A and of C together are at most k.
func (s *addition) rowSpaceResidual() (rank int, err error) {
	if s.ct == nil {
		return 0, nil
	}
	u, q, k := s.u, s.q, s.u.K
	u.Counter.Enter(cost.StepRank)
	kappa := max(1, u.conditionNumber(), u.worst.a*u.worst.plus)
	tolerance := float64(max(u.p.count+q, k)) * dense.Eps * kappa * u.drift
	if !(tolerance < undecidable) {
		return 0, &api.ConditionError{What: "the rows so far, whose rank has to be known", RCond: 1 / kappa}
	}
	if !dense.Finite(s.ct) {
		return 0, api.ErrOverflow
	}
	values, left, right, err := dense.SVD(u.Counter, s.ct)
	if err != nil {
		return 0, err
	}
	rank = countAbove(values, tolerance*dense.Norm(s.ax.RawMatrix().Data), k-u.rank)
	if rank == q {
		u.Counter.Enter(cost.StepB)
		s.form, s.bt = api.Auto, u.inverseOf(values[:rank], left, right)
	}
	return rank, nil
}

// countAbove returns how many of the descending values are above the tolerance, at most most.
func countAbove(values []float64, tolerance float64, most int) int {
	rank := 0
	for rank < min(len(values), most) && values[rank] > tolerance {
		rank++
	}
	return rank
}

// leadingRows returns the indices of rank rows of Cᵀ that are a well-conditioned basis of its row
// space: the pivots of a QR factorization of C with column pivoting.
func (s *addition) leadingRows(rank int) []int {
	s.u.Counter.Enter(cost.StepRank)
	return dense.LeadingColumns(s.u.Counter, dense.Transposed(s.ct), rank)
}

// addCompressed adds the k rows of R in place of the q > k rows of Ax = Q R. To the weights, R with the
// targets QᵀYa says the same as Ax with Ya. Where R appends Bk to A⁺, Ax appends Bk Qᵀ, for any rank of
// A and of C:
//
//	[A; Q R]⁺ = ([I 0; 0 Q] [A; R])⁺ = [A; R]⁺ [I 0; 0 Qᵀ],
//
// since the matrix on the left has orthonormal columns.
func (u *State) addCompressed(ctx context.Context, ax, ya *mat.Dense, shape cost.Shape, opt api.Options) (out state.Outcome, err error) {
	q, r, z, err := u.compress(ctx, ax, ya)
	if err := cmp.Or(interrupt.Check(ctx), err); err != nil {
		return out, err
	}
	opt.Form, opt.Solve = api.Small, true
	if out, err = u.addRows(ctx, r, z, opt); err != nil {
		return out, err
	}
	u.expand(q)
	if u.a.count > shape.L {
		u.a.truncate(shape.L)
		u.a.append(dense.Compact(ax))
	}
	out.Form = api.Compressed
	out.Model = cost.PinvCompressed(shape, out.Model)
	return out, nil
}

// compress returns Q (q×k), R (k×k) and QᵀYa (k×c).
func (u *State) compress(ctx context.Context, ax, ya *mat.Dense) (q, r, z *mat.Dense, err error) {
	u.Counter.Enter(cost.StepCompress)
	q, r, _, err = u.orthogonalized(ctx, ax)
	if err != nil {
		return nil, nil, nil, api.ErrOverflow // the rows are finite
	}
	z = mat.NewDense(u.K, u.C, nil)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, q, ya, 0, z)
	if !dense.Finite(z, r) {
		return nil, nil, nil, api.ErrOverflow
	}
	return q, r, z, nil
}

// expand replaces the last k rows of P, Bkᵀ, by Bᵀ = Q Bkᵀ. No element of it is larger than the norm of
// Bk.
func (u *State) expand(q *mat.Dense) {
	u.Counter.Enter(cost.StepExpand)
	bk, bt := u.p.pick(order(u.p.count)[u.p.count-u.K:]), mat.NewDense(dense.Rows(q), u.K, nil)
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, 1, q, bk, 0, bt)
	u.p.truncate(u.p.count - u.K)
	u.p.append(bt.RawMatrix().Data)
}

// inverseOf returns U diag(1/values) Vᵀ, where the first columns of U and V count. It overwrites U.
func (u *State) inverseOf(values []float64, us, vs *mat.Dense) *mat.Dense {
	m, n, rank := dense.Rows(us), dense.Rows(vs), len(values)
	out := mat.NewDense(m, n, nil)
	dense.DivideColumns(us, values)
	ru, rv := us.RawMatrix(), vs.RawMatrix()
	u.Counter.Dgemm(blas.NoTrans, blas.Trans, m, n, rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, out.RawMatrix().Data, n)
	return out
}

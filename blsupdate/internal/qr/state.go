// Package qr implements QR, which keeps the triangular R with RᵀR = AᵀA + lambda I, and z with R W = z.
package qr

import (
	"cmp"
	"context"
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// State holds the R of a QR factorization of [A; sqrt(lambda) I], and z, the first k rows of Qᵀ[Y; 0].
// Neither Q nor A is kept, and AᵀA is never formed, so errors grow with κ and not with κ². The cost of
// an update does not depend on l. The signs of the diagonal of R are arbitrary.
//
// R changes in place, so an update must not fail midway. Only overflow could make it fail, which the
// column norms of [R z; Ax Ya] rule out: orthogonal transformations from the left preserve these norms.
type State struct {
	state.Base
	R    *mat.Dense  // k×k, zero below the diagonal
	Z    *mat.Dense  // k×c
	Size state.Norms // the norms of the columns of R, and bounds on the norms of z

	w *mat.Dense // R⁻¹z; nil until it is computed
}

// LargestColumn is the norm below which columns of [R z] and of rows to be added cannot overflow. In
// the routines of package lapack no number is larger than 4n sqrt(1+q) times the norms, for a panel of
// n <= 64 columns and q <= 2²⁰ rows. Let I - V T Vᵀ be a block reflection with |V| <= 1 and ‖T‖ <= 2,
// and x a column of norm N. The sums in Vᵀx are at most sqrt(1+q) N, in Tᵀ(Vᵀx) at most 2 sqrt(n) times
// as large, and in V(TᵀVᵀx) at most another sqrt(n) times as large. That is below 2¹⁸ N. Rounding
// errors of the norms are far below the factor 2⁶ that remains up to 2¹⁰²⁴.
const LargestColumn = 0x1p1000

// bounded returns size, with ErrOverflow if a norm is not below LargestColumn.
func bounded(size state.Norms) (state.Norms, error) {
	if !(dense.LargestOf(size.A) < LargestColumn && dense.LargestOf(size.Y) < LargestColumn) {
		return size, types.ErrOverflow
	}
	return size, nil
}

// diagonal returns the norms of a state that has the ridge lambda and no rows.
func (s *State) diagonal(lambda float64) state.Norms {
	size := state.NewNorms(s.K, s.C, false)
	size.Triangle, size.Ridge = true, lambda
	for j := range size.A {
		size.A[j] = math.Sqrt(lambda)
	}
	return size
}

// Start adds the rows to R = sqrt(lambda) I and z = 0.
func (s *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	root := math.Sqrt(s.Lambda)
	s.R, s.Z = dense.ScaledIdentity(s.K, root), mat.NewDense(s.K, s.C, nil)
	if s.Size, err = bounded(s.diagonal(s.Lambda).With(a, y, s.Lambda)); err != nil {
		return out, err
	}
	out.Model = cost.QRAdd(dense.Rows(a), s.K, s.C)
	return out, s.learn(ctx, s.R, s.Z, a, y)
}

// Weights solves R W = z.
func (s *State) Weights() (_ *mat.Dense, out state.Outcome, err error) {
	if err := s.CheckDetermined(); err != nil {
		return nil, out, err
	}
	if s.w != nil {
		return s.w, out, nil
	}
	if err := s.regular(); err != nil {
		return nil, out, err
	}
	if err := s.Reserve(types.ActionWeights, 0, memory.Floats(s.K, s.C)); err != nil {
		return nil, out, err
	}
	s.Counter.Enter(cost.StepSolve)
	w := dense.Copy(s.Z)
	if lapack.SolveTriangular(s.Counter, w, s.R, false) != nil {
		return nil, out, types.ErrOverflow
	}
	s.w = w
	out.Model = cost.QRSolve(s.K, s.C)
	return w, out, nil
}

// RSS returns KnownRSS. No inverse adds errors to the residuals.
func (s *State) RSS(w *mat.Dense) (rss, least []float64) { return s.KnownRSS(s.Size, 0) }

// Covariance returns (RᵀR)⁻¹.
func (s *State) Covariance() (c state.Covariance, err error) {
	if err := cmp.Or(s.CheckDetermined(), s.regular()); err != nil {
		return c, err
	}
	return state.Halves(s.K, func(x *mat.Dense, second bool) error {
		return lapack.SolveTriangularRows(s.Counter, x, s.R, second)
	}), nil
}

// regular returns an error if R is singular to working precision. |R_jj| is the distance of column j of
// [A; sqrt(lambda) I] from the span of the earlier columns, with an error of a few eps times the norm
// of column j. Neither |R_jj| relative to that norm nor the accuracy of each row of W depends on the
// scales of the columns.
func (s *State) regular() error {
	const what = "[A; sqrt(lambda) I]"
	worst := math.Inf(1)
	for j, length := range s.Size.A {
		if !(length >= dense.SmallestNormal) { // subnormal numbers have lost digits
			return &types.ConditionError{What: what}
		}
		worst = min(worst, math.Abs(s.R.At(j, j))/length)
	}
	if !(worst > float64(s.K)*dense.Eps) {
		return &types.ConditionError{What: what, RCond: worst}
	}
	return nil
}

// MapTargets maps z and W to the new targets.
func (s *State) MapTargets(t *mat.Dense, keep bool) (out state.Outcome, err error) {
	size, err := bounded(s.Size.Mapped(t, keep))
	if err != nil {
		return out, err
	}
	z, w, out, err := s.MapSolved(s.Z, s.w, t, keep)
	if err != nil {
		return out, err
	}
	s.Z, s.w, s.Size, s.C = z, w, size, dense.Cols(z)
	return out, nil
}

// Forget multiplies R and z by the square root of factor. W does not change.
func (s *State) Forget(factor float64) error {
	root := math.Sqrt(factor)
	s.R.Scale(root, s.R)
	s.Z.Scale(root, s.Z)
	s.Lambda *= factor
	s.Size = s.Size.Scaled(root)
	s.Size.Ridge = s.Lambda
	return nil
}

// Condition reports how accurate W is, given the current R. The error bound includes the rounding
// errors of the solve for W, which count as one more change of rows.
func (s *State) Condition() state.Condition {
	if s.w == nil || s.CheckDetermined() != nil {
		return state.Condition{Power: 1, Error: math.Inf(1)}
	}
	r := s.R.RawMatrix()
	reach := state.ReachOf(s.Size.A, func(x []float64) {
		s.Counter.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, s.K, r.Data, r.Stride, x, 1)
		s.Counter.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, s.K, r.Data, r.Stride, x, 1)
	})
	solved := s.Size.With(dense.Triangle(s.K), mat.NewDense(s.K, s.C, nil), s.Lambda)
	reach.Rows = s.rowsOfInverse(reach.Scaled, solved.ErrA)
	c := state.Condition{RCond: reach.RCond(), Power: 1, Error: solved.TriangleError(reach, s.w)}
	c.Grown = solved.Grown(s.Samples, reach, 0)
	c.Rebuilt = s.Size.Rebuilt(s.Samples, reach, 0, s.w)
	return c
}

// knownRows is the number of rows of R⁻¹ whose norms Condition computes.
const knownRows = 8

// rowsOfInverse returns bounds on the norms of the rows of R⁻¹. The exact norms are computed for the
// knownRows rows with the largest errs relative to the columns of R, such as new rows after AddNodes.
// For the other rows j the bound is scaled, which is ‖(R D)⁻¹‖, divided by the norm of column j of R.
func (s *State) rowsOfInverse(scaled float64, errs []float64) []float64 {
	rows, order, r := make([]float64, s.K), make([]int, s.K), s.R.RawMatrix()
	for j, length := range s.Size.A {
		rows[j], order[j] = scaled/length, j
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(errs[j]/s.Size.A[j], errs[i]/s.Size.A[i]) })
	for _, j := range order[:min(s.K, knownRows)] {
		x := make([]float64, s.K)
		x[j] = 1
		s.Counter.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, s.K, r.Data, r.Stride, x, 1)
		if norm := dense.Norm(x); norm < rows[j] {
			rows[j] = norm
		}
	}
	return rows
}

func (s *State) measure() { s.Size.A = dense.ColumnNorms(s.R) }

// mustNotFail panics if an operation in place fails, which LargestColumn rules out.
func mustNotFail(err error) {
	if err != nil {
		panic("blsupdate: an elimination overflowed although its operands were within bounds")
	}
}

// Code writes or reads R, z and W. W is needed since solving again may not reproduce it after Forget.
func (s *State) Code(x *codec.Coder) {
	x.Triangle("R", &s.R, s.K, true)
	x.Dense("z", &s.Z, s.K, s.C)
	if x.Reading() {
		s.Size.Triangle, s.Size.Ridge = true, s.Lambda
	}
	s.Size.Code(x, s.K, s.C)
	if x.Present(s.w != nil) {
		x.Dense("W", &s.w, s.K, s.C)
	}
	// The bounds must hold for the columns themselves, whatever norms the encoding claims. Rounding
	// changes a bound by far less than the factor 2.
	if !x.Failed() {
		largest := max(dense.LargestOf(dense.ColumnNorms(s.R)), dense.LargestOf(dense.ColumnNorms(s.Z)))
		x.Check(largest < 2*LargestColumn, "the norm of a column of R or z is 2^1001 or more")
	}
}

// Add reduces [R z; Ax Ya] to [R' z'; 0 rest], in copies of R and z if ctx may stop it midway.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	q, r, z := dense.Rows(ax), s.R, s.Z
	size, err := bounded(s.Size.With(ax, ya, s.Lambda))
	if err != nil {
		return out, err
	}
	if state.ManyPanels(ctx, q) {
		if err := s.Reserve(types.ActionAdd, q, memory.Floats(s.K, s.K+s.C)); err != nil {
			return out, err
		}
		r, z = dense.Copy(r), dense.Copy(z)
	}
	next := *s
	next.Size = size
	if err := next.learn(ctx, r, z, ax, ya); err != nil {
		return out, err
	}
	next.R, next.Z, next.w = r, z, nil
	*s = next
	out.Model = cost.QRAdd(q, s.K, s.C)
	return out, nil
}

// learn adds rows to R and z, panel by panel, and their residuals to the norms and RSS of s. All norms
// must be below LargestColumn. RSS grows by the sum of squares of Ya after the elimination.
func (s *State) learn(ctx context.Context, r, z, ax, ya *mat.Dense) error {
	q := dense.Rows(ax)
	rotations := cost.AddsByRotations(q, s.K)
	return state.EachPanel(ctx, q, func(from, to int) error {
		s.Counter.Enter(cost.StepTriangle)
		x, y := dense.RowRange(ax, from, to), dense.Copy(dense.RowRange(ya, from, to))
		if rotations {
			s.Counter.Begin(cost.Operation{Kind: cost.Chud, M: to - from, N: s.K, K: s.C}.Routine())
			RotateIn(r, z, dense.Copy(x), y)
		} else {
			mustNotFail(lapack.AppendRows(s.Counter, r, z, x, y))
		}
		state.AddLengths(s.Size.Rest, s.FittedBy(1, y))
		return nil
	})
}

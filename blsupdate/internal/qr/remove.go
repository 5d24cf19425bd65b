package qr

import (
	"cmp"
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Remove removes the rows ax with the targets ya. With P = R⁻ᵀAxᵀ (k×q), the result is
//
//	R'ᵀR' = RᵀR - AxᵀAx = Rᵀ(I - PPᵀ)R,   R'ᵀz' = Rᵀz - AxᵀYa = Rᵀ(z - P Ya),
//
// and the smallest eigenvalue of I - PPᵀ, and of I - PᵀP, is 1-h for the leverage h = ‖P‖² of the rows.
// downdate works with matrices of order q, and shrink with matrices of order k. Neither forms RᵀR, so
// the errors of I - PPᵀ, about eps/(1-h), multiply R.
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	if err := cmp.Or(s.CheckLeft(q), s.regular()); err != nil {
		return out, err
	}
	byRows := cost.RemovesByRows(q, s.K)
	bytes := memory.Floats(2*q, s.K) // of P, and of the columns that rotations carry along
	if !byRows {
		// of Pᵀ, the new z, I - PPᵀ, and the products of explained
		bytes = memory.Sum(memory.Floats(q+2*s.C, s.K), memory.Triangle(s.K), memory.Floats(q, s.C))
	}
	if err := s.Reserve(types.ActionRemove, q, bytes); err != nil {
		return out, err
	}
	s.Counter.Enter(cost.StepLeverage)
	pt := dense.Copy(ax)
	if lapack.SolveTriangularRows(s.Counter, pt, s.R, false) != nil { // overflow: such rows were never added
		return out, &types.LeverageError{Action: types.ActionRemove}
	}
	var rest float64
	var gone []float64 // bounds on the norms of the residuals of the rows with the new weights
	if byRows {
		rest, gone, err = s.downdate(pt, ya)
	} else {
		rest, gone, err = s.shrink(types.ActionRemove, pt, ya)
	}
	if err != nil {
		return out, err
	}
	s.Size, s.w = s.Size.Without(ax, ya, s.Lambda, rest, state.CloseRest, gone), nil
	out.Model = cost.QRRemove(q, s.K, s.C)
	return out, nil
}

// downdate removes the rows Ax with Pᵀ = Ax R⁻¹ by plane rotations. With the Cholesky factor N of I -
// PᵀP and Zeta = N⁻ᵀ(Ya - Pᵀz), the columns of [N; P] are orthonormal. The orthogonal matrix that turns
// them into [I; 0] turns
//
//	[N 0 Zeta]       [I Ax Ya]
//	[P R z   ]  into [0 R' z'],
//
// which, read backwards, is the addition of the rows. downdate is as stable as an addition, apart from
// N and Zeta, since AxᵀAx is never subtracted. No column of [0 Zeta; R z] becomes longer, so everything
// that can fail comes before the first overwrite, and R and z change in place. least is 1-h. gone
// bounds the norms of the residuals of the rows with the new weights.
//
//	source: LINPACK's dchdd, for q = 1; Golub and Van Loan, Matrix Computations, fourth edition,
//	section 6.5.4.
func (s *State) downdate(pt, ya *mat.Dense) (least float64, gone []float64, err error) {
	q := dense.Rows(pt)
	rest := dense.IdentityPacked(q)
	dense.Gemmtp(s.Counter, -1, pt, pt, 1, rest)
	factor, least, err := s.remainder(types.ActionRemove, rest, pt)
	if err != nil {
		return 0, nil, err
	}
	n := dense.ScaledIdentity(q, 1)
	mustNotFail(factor.MulUTriangle(n))

	s.Counter.Enter(cost.StepTriangle)
	zeta := dense.Copy(ya)
	dense.Gemm(s.Counter, blas.NoTrans, blas.NoTrans, -1, pt, s.Z, 1, zeta)
	if factor.SolveUTo(zeta, zeta, true) != nil {
		return 0, nil, types.ErrOverflow
	}
	gone = dense.ColumnNorms(zeta)
	if _, err := bounded(s.Size.With(mat.NewDense(1, s.K, nil), mat.NewDense(1, s.C, slices.Clone(gone)), s.Lambda)); err != nil {
		return 0, nil, err
	}
	s.NoteNorms(-1, gone)
	dense.Scale(1/math.Sqrt(least), gone)
	b := s.Counter.Begin(cost.Operation{Kind: cost.Chdd, M: q, N: s.K, K: s.C}.Routine())
	downdate(b, n, dense.Transposed(pt), zeta, s.R, s.Z)
	return least, gone, nil
}

// shrink replaces R by R' with R'ᵀR' = RᵀS R for S = I - PPᵀ, and z by z' with R'ᵀz' = Rᵀ(z - P Ya).
// With the Cholesky factor K of S,
//
//	R' = K R,   z' = K⁻ᵀ(z - P Ya),
//
// in k³/3 flops for K, k³/3 for the product of two triangles and ck² for z'. pt is Pᵀ; ya is nil if the
// targets of P are zero. least and gone are as in downdate.
//
// S has eigenvalues in [1-h, 1], so K has an error of about eps/(1-h) for any condition of R. After an
// error R and z are unchanged: z' is computed first, and R' = K R cannot overflow, as ‖K‖ is at most 1.
func (s *State) shrink(action types.Action, pt, ya *mat.Dense) (least float64, gone []float64, err error) {
	rest := dense.IdentityPacked(s.K)
	dense.Sprk(s.Counter, -1, pt, 1, rest)
	factor, least, err := s.remainder(action, rest, nil)
	if err != nil {
		return 0, nil, err
	}
	s.Counter.Enter(cost.StepTriangle)
	z, before, lost := dense.Copy(s.Z), dense.ColumnNorms(s.Z), make([]float64, s.C)
	if ya != nil {
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, -1, pt, ya, 1, z)
		lost = dense.ColumnNorms(ya)
	}
	if factor.SolveUTo(z, z, true) != nil {
		return 0, nil, types.ErrOverflow
	}
	after := dense.ColumnNorms(z)
	if _, err := bounded(state.Norms{Y: after}); err != nil {
		return 0, nil, err
	}
	explained := s.explained(rest, pt, ya)
	mustNotFail(factor.MulUTriangle(s.R))
	s.NoteNorms(-1, explained)
	s.Z = z
	// The squared residuals fall by s = ‖ya‖² - ‖z‖² + ‖z'‖², up to rounding. The residuals of the
	// removed rows are at most sqrt(s/(1-h)).
	for j, v := range after {
		sum := detmath.Hypot(lost[j], v)
		blur := math.Sqrt(state.Unit(s.K, s.K)/least) * sum
		gone = append(gone, detmath.Hypot(state.Leg(sum, before[j]), blur)/math.Sqrt(least))
	}
	return least, gone, nil
}

// explained returns the square roots of the sums Σ e_i e'_i by which shrink reduces RSS. For E = Ya -
// Pᵀz the sums are ‖E‖² + ‖K⁻ᵀP E‖²; root is K. No step counts the products, which are of lower order.
func (s *State) explained(root *mat.SymPacked, pt, ya *mat.Dense) []float64 {
	if ya == nil {
		ya = mat.NewDense(dense.Rows(pt), s.C, nil)
	}
	on, e, u := s.Counter.Unwrap(), s.ResidualAfter(pt, ya, s.Z), mat.NewDense(s.K, s.C, nil)
	dense.Gemm(on, blas.Trans, blas.NoTrans, 1, pt, e, 0, u)
	k, side := block.Packed(s.K, root.RawSymPacked().Data, 0, 0), block.Dense(u.RawMatrix().Data, s.C)
	factor.Trtrs(factor.On(on), blas.Left, blas.Upper, blas.Trans, blas.NonUnit, s.K, s.C, k, side)
	sums := dense.ColumnNorms(e)
	state.AddLengths(sums, dense.ColumnNorms(u))
	return sums
}

// remainder returns the Cholesky factor of S = I - PPᵀ or I - PᵀP, which it overwrites, and the
// smallest eigenvalue of S, 1-h. It returns a *LeverageError if 1-h is too small. pt is Pᵀ for S = I -
// PᵀP, and nil for S = I - PPᵀ.
//
// The R from which h is computed has errors E of eps times the norms d of its columns. E changes p =
// R⁻ᵀa by -R⁻ᵀEᵀp, and h = pᵀp by -2pᵀE x for x = R⁻¹p, about sqrt(k) eps ‖D x‖ for D = diag(d). Thus
// only the condition of R in the direction of the rows decides whether h is known.
func (s *State) remainder(action types.Action, rest *mat.SymPacked, pt *mat.Dense) (*lapack.Cholesky, float64, error) {
	factor, err := s.Factor(rest, "I - PP'")
	if err != nil {
		return nil, 0, &types.LeverageError{Action: action}
	}
	least := state.SmallestEigenvalue(factor)
	x, r := state.SmallestDirection(factor), s.R.RawMatrix()
	if pt != nil {
		z, p := x, pt.RawMatrix()
		x = make([]float64, s.K)
		s.Counter.Dgemv(blas.Trans, p.Rows, s.K, 1, p.Data, p.Stride, z, 1, 0, x, 1)
	}
	s.Counter.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, s.K, r.Data, r.Stride, x, 1)
	dense.Multiply(x, s.Size.A)
	return factor, least, state.CheckRest(action, least, state.RestLimit(math.Sqrt(float64(s.K))*dense.Norm(x)))
}

// Merge reduces [R1 z1; R2 z2] to [R z; 0 rest], and removes the ridge of the other state, which came
// with R2. In a direction in which neither state has rows, h is lambda2/(lambda1 + lambda2): 1/2 for
// equal ridges, and 1, a *LeverageError, if the receiver has no ridge. States started with lambda = 0,
// from any number of rows, lose no digits.
func (s *State) Merge(other state.State) (out state.Outcome, err error) {
	o := other.(*State)
	size, err := bounded(s.Size.Plus(o.Size))
	if err != nil {
		return out, err
	}
	bytes := memory.Floats(s.K, s.K+2*s.C) // of the new R and z, and of a copy of the other z
	if o.Lambda > 0 {
		bytes = max(bytes, memory.Sum(memory.Floats(s.K, s.K+s.C), s.loweringBytes()))
	}
	if err := s.Reserve(types.ActionMerge, 0, bytes); err != nil {
		return out, err
	}
	next := *s
	next.R, next.Z, next.Size, next.w = dense.Copy(s.R), dense.Copy(s.Z), size, nil
	next.Samples += o.Samples
	s.Counter.Enter(cost.StepTriangle)
	rest := dense.Copy(o.Z)
	mustNotFail(lapack.MergeTriangles(s.Counter, next.R, next.Z, o.R, rest))
	state.AddLengths(next.Size.Rest, next.FittedBy(1, rest))
	next.NoteSquares(1, o.Sums.RSS)
	if o.Lambda > 0 {
		if err := next.lower(types.ActionMerge, o.Lambda); err != nil {
			return out, err
		}
	}
	*s = next
	out.Model = cost.QRMerge(s.K, s.C, o.Lambda > 0)
	return out, nil
}

// SetLambda adds d I to RᵀR for the change d of the ridge. For a positive d it appends the rows sqrt(d)
// I, and for a negative d it calls lower.
func (s *State) SetLambda(lambda float64) (out state.Outcome, err error) {
	next := *s
	next.Lambda = lambda
	switch {
	case lambda > s.Lambda:
		root := math.Sqrt(lambda - s.Lambda)
		if next.Size, err = bounded(s.Size.Plus(s.diagonal(lambda - s.Lambda))); err != nil {
			return out, err
		}
		if err := s.Reserve(types.ActionRidge, 0, memory.Floats(s.K, s.K+s.C)); err != nil {
			return out, err
		}
		s.Counter.Enter(cost.StepTriangle)
		rest := mat.NewDense(s.K, s.C, nil)
		mustNotFail(lapack.MergeTriangles(s.Counter, s.R, s.Z, dense.ScaledIdentity(s.K, root), rest))
		state.AddLengths(next.Size.Rest, next.FittedBy(1, rest))
		next.Size.Ridge, next.w = lambda, nil
		out.Model = cost.QRMerge(s.K, s.C, false)
	case lambda < s.Lambda:
		if err := s.Reserve(types.ActionRidge, 0, s.loweringBytes()); err != nil {
			return out, err
		}
		if err := next.lower(types.ActionRidge, s.Lambda-lambda); err != nil {
			return out, err
		}
		out.Model = cost.QRLower(s.K, s.C)
	}
	*s = next
	return out, nil
}

// loweringBytes returns the memory that lower needs: for Pᵀ, I - PPᵀ, and residuals with their targets.
func (s *State) loweringBytes() int64 {
	return memory.Sum(memory.Floats(s.K, s.K+3*s.C), memory.Triangle(s.K))
}

// lower subtracts the matrix by·I from RᵀR, and changes z accordingly. It removes the rows sqrt(by) I,
// whose targets are zero and for which P = sqrt(by) R⁻ᵀ. s must already have the ridge that remains and
// the new number of samples. After an error R and z are unchanged.
func (s *State) lower(action types.Action, by float64) error {
	if s.CheckDetermined() != nil { // h is 1, whatever its computed value
		return &types.LeverageError{Action: action}
	}
	s.Counter.Enter(cost.StepLeverage)
	pt := dense.Copy(s.R)
	if lapack.InvertTriangle(s.Counter, pt) != nil {
		return &types.LeverageError{Action: action}
	}
	dense.Scale(math.Sqrt(by), pt.RawMatrix().Data)
	rest, gone, err := s.shrink(action, pt, nil)
	if err != nil {
		return err
	}
	none := mat.NewDense(s.K, s.C, nil)
	// No new rows make up for the removal, so earlier errors always grow.
	s.Size, s.w = s.Size.Lowered(s.Lambda).Without(dense.Triangle(s.K), none, s.Lambda, rest, 1, gone), nil
	s.measure()
	return nil
}

package cholesky

import (
	"context"
	"math"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// byRows adds rows (sign = 1) or removes them (-1) one by one. For a row a with targets y, the columns
// f_j of F, s_j = a f_j, alpha_j = 1 + sign (s_1² + ... + s_j²) and b_j = s_1 f_1 + ... + s_j f_j:
//
//	f_j := (alpha_{j-1} f_j - sign s_j b_{j-1}) / sqrt(alpha_{j-1} alpha_j)
//	W   := W + sign b_k/alpha_k (y - a W)
//
// alpha_k is 1 + sign a F Fᵀaᵀ, in a removal 1-h. In an addition no alpha is below 1; for the removal
// of one row the alphas are computed beforehand. Therefore F changes in place if overflow is also ruled
// out and ctx cannot be canceled midway. Otherwise byRows changes a copy.
//
// byRows returns the product of alpha_k over the rows, which in a removal is at most the 1-h of all
// rows together. In a removal it returns a *LeverageError if an alpha is below limit.
//
//	source: N. A. Carlson, "Fast triangular formulation of the square root filter", AIAA Journal
//	11(9), 1973.
func (s *State) byRows(ctx context.Context, sign float64, ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	s.Counter.Enter(cost.StepF)
	least := 1.0
	if sign < 0 {
		if least, err = s.restOf(ax, limit); err != nil {
			return 0, err
		}
	}
	maxW, safe := s.boundRows(ax, ya, least)
	q, panel := dense.Rows(ax), SweptRows(s.K)
	if !safe || ctx.Done() != nil && q > panel {
		action := types.ActionAdd
		if sign < 0 {
			action = types.ActionRemove
		}
		if err := s.Reserve(action, q, memory.Floats(s.K, s.K+s.C)); err != nil {
			return 0, err
		}
		s.L, s.W = s.copyL(), dense.Copy(s.W)
	}
	rest = 1
	err = interrupt.EachPanel(ctx, q, panel, func(from, to int) error {
		s.Counter.Enter(cost.StepF)
		rows := s.Sweep(sign, dense.RowRange(ax, from, to))
		for _, r := range rows {
			rest *= r.alpha
			if math.IsInf(r.alpha, 1) {
				return types.ErrOverflow
			}
			if sign < 0 {
				if err := state.CheckRest(types.ActionRemove, r.alpha, limit); err != nil {
					return err
				}
			}
		}
		s.Counter.Enter(cost.StepWeights)
		s.weightsByRows(sign, rows, dense.RowRange(ya, from, to))
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case safe && sign > 0:
		s.BoundW = maxW
		s.BoundX *= detmath.Pow(1+grownByRow(s.K), q)
	case safe:
		s.BoundX, s.BoundW = s.frobenius(), maxW
	default:
		err = s.measure()
	}
	return rest, err
}

// grownByRow bounds the relative growth of the Frobenius norm of F that rounding can cause when a row
// is added; in exact arithmetic the norm shrinks. Measuring the norm would take up to 18% of the time
// of a row (k = 1000, one core of Zen 4).
//
// Carlson's formula is exact for the computed s_j, up to the rounding of a few operations per element
// of f_j and b_j. With sigma_j² = s_1² + ... + s_j² < alpha_j, the errors of b_{j-1} are at most (k+2)
// eps sigma_{j-1} ‖F‖ in norm, since ‖b_i‖ <= sigma_i ‖F‖. Their factor in f_j is s_j/sqrt(alpha_{j-1}
// alpha_j), at most 1/sigma_{j-1}. So the error of each f_j is at most (k+c) eps ‖F‖ for a small
// constant c. The error of F is sqrt(k) times this, and as much again for rounding of the alphas.
func grownByRow(k int) float64 {
	return float64(4 * (float64(k) + 8) * math.Sqrt(float64(k)) * dense.Eps)
}

// SweptRows returns the number of rows in one pass over F: enough to make passes cheap, and few enough
// to check ctx about every 0.1 s.
func SweptRows(k int) int { return max(4, min(64, (1<<26)/(k*k))) }

// weightsByRows computes W := W + sign b/alpha (y - a W) for each row.
func (s *State) weightsByRows(sign float64, rows []sweptRow, ya *mat.Dense) {
	w, e, squares := s.W.RawMatrix().Data, make([]float64, s.C), make([]float64, s.C)
	for i, r := range rows {
		copy(e, ya.RawRowView(i))
		s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, 1, s.C, s.K, -1, r.a, s.K, w, s.C, 1, e, s.C)
		s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, s.K, s.C, 1, sign*s.Gain/r.alpha, r.b, 1, e, s.C, 1, w, s.C)
		root := math.Sqrt(r.alpha)
		dense.Scale(1/root, e)
		for j, v := range e {
			squares[j] += float64(v * v)
		}
		if sign < 0 { // the residual after the removal
			dense.Scale(1/root, e)
		}
		state.AddLengths(s.Size.Rest, e)
	}
	s.NoteSquares(sign, squares)
}

// restOf returns 1-h for the removal of one row, by the operations of a sweep, or a *LeverageError. For
// more rows it returns 0, since computing 1-h would take as long as the removal.
func (s *State) restOf(ax *mat.Dense, limit float64) (float64, error) {
	if dense.Rows(ax) > 1 {
		return 0, nil
	}
	rest, a := 1.0, ax.RawRowView(0)
	for j := range s.K {
		sj := s.Gain * s.Counter.Ddot(j+1, s.L.RawRowView(j)[:j+1], 1, a, 1)
		rest -= float64(sj * sj)
		if err := state.CheckRest(types.ActionRemove, rest, limit); err != nil {
			return 0, err
		}
	}
	return rest, nil
}

// boundRows returns a bound on the elements of W after the addition of rows, or the removal of one.
// safe means that all intermediate values are known to be finite if no alpha is below least. An
// addition shrinks F Fᵀ; a removal enlarges it by a factor of at most 1/least. The same holds for the
// norms of F, its columns and its rows. Further, |s_j| <= ‖F‖‖a‖, alpha <= 1 + (‖F‖‖a‖)², |b| <=
// ‖F‖²‖a‖, |b|/alpha <= ‖F‖/2, or |b|/least in a removal, and |y - a W| <= |y| + ‖a‖‖W‖. The product of
// this residual with b is divided by alpha last.
func (s *State) boundRows(ax, ya *mat.Dense, least float64) (maxW float64, safe bool) {
	const limit = 0x1p500 // its square is far from overflow
	f, w := s.Gain*s.BoundX, s.BoundW
	if w > limit { // a bound that many updates have enlarged
		w = dense.LargestOf(s.W.RawMatrix().Data)
	}
	safe = least >= types.LeastRest && f < limit && s.BoundX < limit
	root := math.Sqrt(float64(s.K))
	for i := range dense.Rows(ax) {
		a, y := dense.Norm(ax.RawRowView(i)), dense.Norm(ya.RawRowView(i))
		safe = safe && f*a < limit
		gain := f
		if least < 1 {
			gain = f * (f * a) / least
		}
		e := y + float64(a*root*w)
		safe = safe && s.BoundX*(f*a)*e < math.MaxFloat64/4
		w += float64(gain * e)
	}
	return w, safe && w < math.MaxFloat64/4
}

type sweptRow struct {
	a, b  []float64 // the row a, and b_j/Gain
	alpha float64   // alpha_j
}

// Sweep adds the rows ax to L (sign = 1) or removes them (-1), and returns each with its b and alpha.
// It applies all rows to one column of F before the next, so that F passes through the cache once. Each
// element undergoes the same operations in the same order as if the rows were applied one by one.
func (s *State) Sweep(sign float64, ax *mat.Dense) []sweptRow {
	q, k := dense.Rows(ax), s.K
	on := s.Counter.Begin(cost.Operation{Kind: cost.Carlson, M: q, N: k}.Routine())
	rows, b := make([]sweptRow, q), make([]float64, q*k)
	for i := range rows {
		rows[i] = sweptRow{a: ax.RawRowView(i), b: b[i*k : (i+1)*k], alpha: 1}
	}
	for j := range k {
		column := s.L.RawRowView(j)[:j+1]
		for i := range rows {
			if r := &rows[i]; r.alpha > 0 {
				r.step(on, sign, s.Gain, column)
			}
		}
	}
	return rows
}

// step computes f_j, b_j and alpha_j for one row, with vector operations of on. column is f_j/gain.
func (r *sweptRow) step(on blskernel.Backend, sign, gain float64, column []float64) {
	n := len(column)
	v := on.Ddot(n, column, 1, r.a, 1)
	sj := gain * v
	if sj == 0 {
		return
	}
	before, after := r.alpha, r.alpha+float64(sign*sj*sj)
	r.alpha = after
	if !(after > 0) {
		return
	}
	root := math.Sqrt(before) * math.Sqrt(after)
	if n < shortColumn || sj*sj > min(before, after) {
		combine(column, r.b[:n], before/root, sign*sj/root, sj)
		return
	}
	// The same f_j from b_j in place of b_{j-1}, by vector operations. It is accurate while s_j² is
	// not large: alpha_{j-1} f_j - sign s_j b_{j-1} = alpha_j f_j - sign s_j b_j.
	on.Daxpy(n, sj, column, 1, r.b, 1)
	on.Dscal(n, after/root, column, 1)
	on.Daxpy(n, -sign*sj/root, r.b, 1, column, 1)
}

// shortColumn is the length below which one loop is faster than three vector operations.
const shortColumn = 64

// combine computes f = c f - d b and b = b + e f, with the old f and b on the right-hand sides.
func combine(f, b []float64, c, d, e float64) {
	b = b[:len(f)]
	for i, u := range f {
		f[i], b[i] = float64(c*u)-float64(d*b[i]), b[i]+float64(e*u)
	}
}

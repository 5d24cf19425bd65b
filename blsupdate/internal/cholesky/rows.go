package cholesky

import (
	"context"
	"math"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/backend"
	"blskernel/internal/isfinite"
	"blskernel/internal/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// byRows adds rows (sign is 1) or removes them (-1) one by one, by the formula of Carlson. With the columns
// f_j of F, and s_j = a f_j, the sums alpha_j = 1 + sign (s_1² + ... + s_j²), b_j = s_1 f_1 + ... + s_j f_j:
//
//	f_j := (alpha_{j-1} f_j - sign s_j b_{j-1}) / sqrt(alpha_{j-1} alpha_j)
//	W   := W + sign b_k/alpha_k (y - a W)
//
// alpha_k is 1 + a F Fᵀaᵀ, and for a removal 1 - h.
//
// In an addition no alpha is below 1, and in the removal of one row it is known before what they are;
// so F is changed in place where it is known, too, that nothing will overflow, unless ctx can be done in between.
// Otherwise a copy is.
//
// It returns the product of the last alphas, which in a removal is at most 1 - h of all rows together. No alpha
// may be below limit in a removal; in an addition it is of no account.
//
// N. A. Carlson, "Fast triangular formulation of the square root filter", AIAA Journal 11(9), 1973.
func (s *State) byRows(ctx context.Context, sign float64, ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	defer s.Counter.Leave()
	s.Counter.Enter(cost.StepF)
	least := 1.0
	if sign < 0 {
		if least, err = s.restOf(ax, limit); err != nil {
			return 0, err
		}
	}
	mostW, safe := s.boundRows(ax, ya, least)
	q, most := dense.Rows(ax), SweptRows(s.K)
	if !safe || ctx.Done() != nil && q > most {
		action := api.ActionAdd
		if sign < 0 {
			action = api.ActionRemove
		}
		if err := s.Reserve(api.InverseCholesky, action, q, memory.Sum(memory.Floats(s.K, s.K), memory.Floats(s.K, s.C))); err != nil {
			return 0, err
		}
		s.L, s.W = s.cloneL(), gonummat.DenseCopyOf(s.W)
	}
	rest = 1
	for from := 0; from < q; from += most {
		to := min(from+most, q)
		if err := s.Enter(ctx, cost.StepF); err != nil {
			return 0, err
		}
		rows := s.Sweep(sign, dense.RowRange(ax, from, to))
		for _, r := range rows {
			rest *= r.Alpha
			switch {
			case safe: // nothing can fail any more
			case sign < 0 && !(r.Alpha >= limit):
				return 0, &api.LeverageError{Rest: max(0, r.Alpha), Least: limit, Action: api.ActionRemove}
			case math.IsInf(r.Alpha, 1):
				return 0, api.ErrOverflow
			}
		}
		s.Counter.Enter(cost.StepWeights)
		s.weightsByRows(sign, rows, dense.RowRange(ya, from, to))
	}
	if safe && sign > 0 {
		s.MostW = mostW
		s.NormL *= math.Exp(float64(q) * grownByRow(s.K))
		return rest, nil
	}
	s.NormL = s.frobenius()
	if safe {
		s.MostW = mostW
		return rest, nil
	}
	w := s.W.RawMatrix().Data
	if !(s.NormL < math.MaxFloat64/4) || isfinite.First(w) >= 0 {
		return 0, api.ErrOverflow
	}
	s.MostW = dense.LargestOf(w)
	return rest, nil
}

// grownByRow bounds what rounding adds to the Frobenius norm of F, relative to it, when a row is added: without rounding
// the norm becomes smaller. To measure it would be a pass over F, which takes up to 18% of the time of a row (k = 1000,
// one core of Zen 4).
//
// The formula of Carlson is exact for the s_j that are computed, whatever the rounding errors of those, up to that of a
// few operations for each element of f_j and b_j. With sigma_j² = s_1² + ... + s_j² < alpha_j, those of b_{j-1} are at most
// (k+2) eps sigma_{j-1} ‖F‖ in norm, since ‖b_i‖ <= sigma_i ‖F‖; and its factor in f_j is s_j/sqrt(alpha_{j-1} alpha_j), at
// most 1/sigma_{j-1}. So each f_j is wrong by at most (k+c) eps ‖F‖ and all of F by sqrt(k) times that, with a small c, and
// as much again for the rounding of the alphas.
func grownByRow(k int) float64 { return 4 * (float64(k) + 8) * math.Sqrt(float64(k)) * dense.Eps }

// sweptRows returns the number of rows that go over F together: enough for passes over it not to count, and few
// enough for some 0.1 s, after which ctx is looked at.
func SweptRows(k int) int { return max(4, min(64, (1<<26)/(k*k))) }

// weightsByRows computes W := W + sign b/alpha (y - a W) for each row.
func (s *State) weightsByRows(sign float64, rows []SweptRow, ya *mat.Dense) {
	w, e := s.W.RawMatrix().Data, make([]float64, s.C)
	for i, r := range rows {
		copy(e, ya.RawRowView(i))
		s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, 1, s.C, s.K, -1, r.A, s.K, w, s.C, 1, e, s.C)
		s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, s.K, s.C, 1, sign*s.Gain/r.Alpha, r.B, 1, e, s.C, 1, w, s.C)
	}
}

// restOf returns 1 - h for the removal of one row, by the same operations as a sweep, or a
// *LeverageError where it is too small. For more rows it returns 0: it would take as long as the
// removal.
func (s *State) restOf(ax *mat.Dense, limit float64) (float64, error) {
	if dense.Rows(ax) > 1 {
		return 0, nil
	}
	rest, a, l := 1.0, ax.RawRowView(0), s.L.RawMatrix().Data
	for j := range s.K {
		sj := s.Gain * s.Counter.Ddot(j+1, l[j*s.K:j*s.K+j+1], 1, a, 1)
		if rest -= sj * sj; !(rest >= limit) {
			return 0, &api.LeverageError{Rest: max(0, rest), Least: limit, Action: api.ActionRemove}
		}
	}
	return rest, nil
}

// boundRows returns a bound on the elements of W after the addition of rows, or the removal of one, and
// whether all numbers on the way are known to be finite, where no alpha is below least. In an addition
// F Fᵀ only shrinks; in a removal it grows by at most 1/least. So do the norms of F, of its columns and
// of its rows; |s_j| <= ‖F‖‖a‖, alpha <= 1 + (‖F‖‖a‖)², |b| <= ‖F‖²‖a‖, |b|/alpha <= ‖F‖/2, or
// |b|/least in a removal, and |y - a W| <= |y| + ‖a‖‖W‖.
func (s *State) boundRows(ax, ya *mat.Dense, least float64) (mostW float64, safe bool) {
	const limit = 0x1p500 // whose square is far from overflow
	f, w := s.Gain*s.NormL, s.MostW
	if w > limit { // the bound of many updates
		w = dense.LargestOf(s.W.RawMatrix().Data)
	}
	safe = least >= api.LeastRest && f < limit && s.NormL < limit
	root := math.Sqrt(float64(s.K))
	for i := range dense.Rows(ax) {
		a, y := dense.Norm(ax.RawRowView(i)), dense.Norm(ya.RawRowView(i))
		safe = safe && f*a < limit
		gain := f
		if least < 1 {
			gain = f * (f * a) / least
		}
		w += gain * (y + a*root*w)
	}
	return w, safe && w < math.MaxFloat64/4
}

// A sweptRow is a row in the course of a sweep.
type SweptRow struct {
	A, B  []float64 // b is b_j/gain
	Alpha float64
}

// sweep computes the new l. All rows go along a column of F before the next one, so that it passes
// through the cache once; to each element the same is done in the same order as if they went one by
// one.
func (s *State) Sweep(sign float64, ax *mat.Dense) []SweptRow {
	q, k := dense.Rows(ax), s.K
	bk := backend.Begin(s.Counter, cost.Operation{Kind: cost.Carlson, M: q, N: k}.Routine())
	rows, b, l := make([]SweptRow, q), make([]float64, q*k), s.L.RawMatrix().Data
	for i := range rows {
		rows[i] = SweptRow{A: ax.RawRowView(i), B: b[i*k : (i+1)*k], Alpha: 1}
	}
	for j := range k {
		column := l[j*k : j*k+j+1]
		for i := range rows {
			if r := &rows[i]; r.Alpha > 0 {
				r.Step(bk, sign, s.Gain, column)
			}
		}
	}
	return rows
}

// step computes f_j, b_j and alpha_j for one row; column is f_j/gain.
func (r *SweptRow) Step(bk blskernel.Backend, sign, gain float64, column []float64) {
	n := len(column)
	v := bk.Ddot(n, column, 1, r.A, 1)
	sj := gain * v
	if sj == 0 {
		return
	}
	before, after := r.Alpha, r.Alpha+sign*sj*sj
	r.Alpha = after
	if !(after > 0) {
		return
	}
	root := math.Sqrt(before) * math.Sqrt(after)
	if n < shortColumn || sj*sj > min(before, after) {
		Combine(column, r.B[:n], before/root, sign*sj/root, sj)
		return
	}
	// The same by b_j instead of b_{j-1}, by vector operations, which is good while s_j² is not large:
	// alpha_{j-1} f_j - sign s_j b_{j-1} = alpha_j f_j - sign s_j b_j.
	bk.Daxpy(n, sj, column, 1, r.B, 1)
	bk.Dscal(n, after/root, column, 1)
	bk.Daxpy(n, -sign*sj/root, r.B, 1, column, 1)
}

// shortColumn is the length below which one loop is faster than the calls of three.
const shortColumn = 64

// combine computes f = c f - d b and b = b + e f, with the old f and b on the right.
func Combine(f, b []float64, c, d, e float64) {
	for len(f) >= 4 && len(b) >= 4 {
		u, v := (*[4]float64)(f), (*[4]float64)(b)
		u0, u1, u2, u3 := u[0], u[1], u[2], u[3]
		v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
		u[0], u[1], u[2], u[3] = c*u0-d*v0, c*u1-d*v1, c*u2-d*v2, c*u3-d*v3
		v[0], v[1], v[2], v[3] = v0+e*u0, v1+e*u1, v2+e*u2, v3+e*u3
		f, b = f[4:], b[4:]
	}
	for i, u := range f {
		f[i], b[i] = c*u-d*b[i], b[i]+e*u
	}
}

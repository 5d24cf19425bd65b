package blsupdate

import (
	"context"
	"math"

	"blskernel"
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
func (s *inverseCholesky) byRows(ctx context.Context, sign float64, ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	defer s.counter.Leave()
	s.counter.Enter(StepF)
	least := 1.0
	if sign < 0 {
		if least, err = s.restOf(ax, limit); err != nil {
			return 0, err
		}
	}
	mostW, safe := s.boundRows(ax, ya, least)
	q, most := rowsOf(ax), sweptRows(s.k)
	if !safe || ctx.Done() != nil && q > most {
		action := ActionAdd
		if sign < 0 {
			action = ActionRemove
		}
		if err := s.room(InverseCholesky, action, q, memory.Sum(memory.Floats(s.k, s.k), memory.Floats(s.k, s.c))); err != nil {
			return 0, err
		}
		s.l, s.w = s.cloneL(), gonummat.DenseCopyOf(s.w)
	}
	rest = 1
	for from := 0; from < q; from += most {
		to := min(from+most, q)
		if err := s.enter(ctx, StepF); err != nil {
			return 0, err
		}
		rows := s.sweep(sign, rowRange(ax, from, to))
		for _, r := range rows {
			rest *= r.alpha
			switch {
			case safe: // nothing can fail any more
			case sign < 0 && !(r.alpha >= limit):
				return 0, &LeverageError{Rest: max(0, r.alpha), Least: limit, Action: ActionRemove}
			case math.IsInf(r.alpha, 1):
				return 0, ErrOverflow
			}
		}
		s.counter.Enter(StepWeights)
		s.weightsByRows(sign, rows, rowRange(ya, from, to))
	}
	if safe && sign > 0 {
		s.mostW = mostW
		s.normL *= math.Exp(float64(q) * grownByRow(s.k))
		return rest, nil
	}
	s.normL = s.frobenius()
	if safe {
		s.mostW = mostW
		return rest, nil
	}
	w := s.w.RawMatrix().Data
	if !(s.normL < math.MaxFloat64/4) || isfinite.First(w) >= 0 {
		return 0, ErrOverflow
	}
	s.mostW = largestOf(w)
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
func grownByRow(k int) float64 { return 4 * (float64(k) + 8) * math.Sqrt(float64(k)) * eps }

// sweptRows returns the number of rows that go over F together: enough for passes over it not to count, and few
// enough for some 0.1 s, after which ctx is looked at.
func sweptRows(k int) int { return max(4, min(64, (1<<26)/(k*k))) }

// weightsByRows computes W := W + sign b/alpha (y - a W) for each row.
func (s *inverseCholesky) weightsByRows(sign float64, rows []sweptRow, ya *mat.Dense) {
	w, e := s.w.RawMatrix().Data, make([]float64, s.c)
	for i, r := range rows {
		copy(e, ya.RawRowView(i))
		s.counter.Dgemm(blas.NoTrans, blas.NoTrans, 1, s.c, s.k, -1, r.a, s.k, w, s.c, 1, e, s.c)
		s.counter.Dgemm(blas.NoTrans, blas.NoTrans, s.k, s.c, 1, sign*s.gain/r.alpha, r.b, 1, e, s.c, 1, w, s.c)
	}
}

// restOf returns 1 - h for the removal of one row, by the same operations as a sweep, or a
// *LeverageError where it is too small. For more rows it returns 0: it would take as long as the
// removal.
func (s *inverseCholesky) restOf(ax *mat.Dense, limit float64) (float64, error) {
	if rowsOf(ax) > 1 {
		return 0, nil
	}
	rest, a, l := 1.0, ax.RawRowView(0), s.l.RawMatrix().Data
	for j := range s.k {
		sj := s.gain * s.counter.Ddot(j+1, l[j*s.k:j*s.k+j+1], 1, a, 1)
		if rest -= sj * sj; !(rest >= limit) {
			return 0, &LeverageError{Rest: max(0, rest), Least: limit, Action: ActionRemove}
		}
	}
	return rest, nil
}

// boundRows returns a bound on the elements of W after the addition of rows, or the removal of one, and
// whether all numbers on the way are known to be finite, where no alpha is below least. In an addition
// F Fᵀ only shrinks; in a removal it grows by at most 1/least. So do the norms of F, of its columns and
// of its rows; |s_j| <= ‖F‖‖a‖, alpha <= 1 + (‖F‖‖a‖)², |b| <= ‖F‖²‖a‖, |b|/alpha <= ‖F‖/2, or
// |b|/least in a removal, and |y - a W| <= |y| + ‖a‖‖W‖.
func (s *inverseCholesky) boundRows(ax, ya *mat.Dense, least float64) (mostW float64, safe bool) {
	const limit = 0x1p500 // whose square is far from overflow
	f, w := s.gain*s.normL, s.mostW
	if w > limit { // the bound of many updates
		w = largestOf(s.w.RawMatrix().Data)
	}
	safe = least >= leastRest && f < limit && s.normL < limit
	root := math.Sqrt(float64(s.k))
	for i := range rowsOf(ax) {
		a, y := norm(ax.RawRowView(i)), norm(ya.RawRowView(i))
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
type sweptRow struct {
	a, b  []float64 // b is b_j/gain
	alpha float64
}

// sweep computes the new l. All rows go along a column of F before the next one, so that it passes
// through the cache once; to each element the same is done in the same order as if they went one by
// one.
func (s *inverseCholesky) sweep(sign float64, ax *mat.Dense) []sweptRow {
	q, k := rowsOf(ax), s.k
	bk := backend.Begin(s.counter, backend.Routine{Name: string(carlson), M: q, N: k})
	rows, b, l := make([]sweptRow, q), make([]float64, q*k), s.l.RawMatrix().Data
	for i := range rows {
		rows[i] = sweptRow{a: ax.RawRowView(i), b: b[i*k : (i+1)*k], alpha: 1}
	}
	for j := range k {
		column := l[j*k : j*k+j+1]
		for i := range rows {
			if r := &rows[i]; r.alpha > 0 {
				r.step(bk, sign, s.gain, column)
			}
		}
	}
	return rows
}

// step computes f_j, b_j and alpha_j for one row; column is f_j/gain.
func (r *sweptRow) step(bk blskernel.Backend, sign, gain float64, column []float64) {
	n := len(column)
	v := bk.Ddot(n, column, 1, r.a, 1)
	sj := gain * v
	if sj == 0 {
		return
	}
	before, after := r.alpha, r.alpha+sign*sj*sj
	r.alpha = after
	if !(after > 0) {
		return
	}
	root := math.Sqrt(before) * math.Sqrt(after)
	if n < shortColumn || sj*sj > min(before, after) {
		combine(column, r.b[:n], before/root, sign*sj/root, sj)
		return
	}
	// The same by b_j instead of b_{j-1}, by vector operations, which is good while s_j² is not large:
	// alpha_{j-1} f_j - sign s_j b_{j-1} = alpha_j f_j - sign s_j b_j.
	bk.Daxpy(n, sj, column, 1, r.b, 1)
	bk.Dscal(n, after/root, column, 1)
	bk.Daxpy(n, -sign*sj/root, r.b, 1, column, 1)
}

// shortColumn is the length below which one loop is faster than the calls of three.
const shortColumn = 64

// combine computes f = c f - d b and b = b + e f, with the old f and b on the right.
func combine(f, b []float64, c, d, e float64) {
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

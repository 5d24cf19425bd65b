package state

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A Reach has estimates of the norms of two inverses, or bounds on them. R is a matrix with RᵀR = AᵀA +
// lambda I, and D scales its columns to norm 1.
type Reach struct {
	Plain  float64   // ‖R⁻¹‖
	Scaled float64   // ‖(R D)⁻¹‖
	Rows   []float64 // bounds on the norms of the rows of R⁻¹; nil if they are not known
}

// Spread bounds ‖R⁻ᵀEᵀv‖/‖v‖, where the columns of E have norms of at most errs and D =
// diag(1/lengths), by the smaller of
//
//	Σ_j errs_j ‖row j of R⁻¹‖,   ‖(R D)⁻¹‖ ‖D errs‖.
func (r Reach) Spread(lengths, errs []float64) float64 {
	share, sum := slices.Clone(errs), 0.0
	for j, v := range errs {
		if v == 0 {
			continue
		}
		share[j] /= lengths[j]
		if r.Rows == nil {
			sum = math.Inf(1)
		} else {
			sum += float64(v * r.Rows[j])
		}
	}
	return min(sum, r.Scaled*dense.Norm(share))
}

// ReachOf estimates the norms from below by dense.LargestEigenvalue, where lengths are the norms of the
// columns of R, and solve overwrites x with (RᵀR)⁻¹x.
func ReachOf(lengths []float64, solve func(x []float64)) Reach {
	units, _ := dense.Powers([]float64{dense.LargestOf(lengths)})
	return Reach{
		Plain: math.Sqrt(dense.LargestEigenvalue(len(lengths), func(x []float64) {
			dense.Scale(units[0], x)
			solve(x)
			dense.Scale(units[0], x)
		})) / units[0],
		Scaled: math.Sqrt(dense.LargestEigenvalue(len(lengths), func(x []float64) {
			dense.Multiply(x, lengths)
			solve(x)
			dense.Multiply(x, lengths)
		})),
	}
}

// ReachOfRows returns upper bounds on the norms of a Reach. lengths is as in ReachOf, and rows holds
// the norms of the rows of R⁻¹.
func ReachOfRows(lengths, rows []float64) Reach {
	scaled := slices.Clone(rows)
	dense.Multiply(scaled, lengths)
	for _, v := range scaled {
		if !(v >= minReach) {
			return Reach{math.Inf(1), math.Inf(1), nil}
		}
	}
	return Reach{dense.Norm(rows), dense.Norm(scaled), rows}
}

// minReach bounds from below the norm of a row of R⁻¹ times the norm of the column of R, which is at
// least 1 in exact arithmetic. A smaller product means that rounding has left nothing of the inverse.
const minReach = 0.5

// RCond returns 1/Scaled, at most 1: an estimate of the smallest singular value of R D, or 0 if Scaled
// is infinite or NaN.
func (r Reach) RCond() float64 {
	if !(r.Scaled < math.Inf(1)) {
		return 0
	}
	return min(1, 1/r.Scaled)
}

// Recedes is the reciprocal condition number of the worst state at or below which Receded applies.
const Recedes = 1e-5

// Receded returns the largest norms so far of rows of an inverse, times before/after for the norms of
// the columns of A, or least if that is larger. least has the norms before the latest addition, to
// which its errors are relative. As rows are added, this offsets Forget, which would otherwise raise
// the norms without bound. Earlier errors are relative to A, which the new rows make larger, also in Q
// and A⁺: an error δ of Q is the error Q⁻¹δQ⁻¹ of Q⁻¹ = AᵀA + lambda I, which stays although Q shrinks.
func Receded(rows, before, after, least []float64) []float64 {
	receded := make([]float64, len(rows))
	for j, v := range rows {
		if after[j] > 0 {
			v *= before[j] / after[j]
		}
		receded[j] = max(least[j], v)
	}
	return receded
}

// Error returns a bound on the relative errors of the columns of W and of D⁻¹W, the largest over all
// targets. With the norms d of the columns of [A; sqrt(lambda) I], D = diag(1/d) and R as in Reach,
//
//	‖δw‖ <= ‖R⁻¹‖ (ErrY + Σ_j ErrA_j |w_j| + Spread(ErrR) Rest + Gain),
//
// the same with ‖(R D)⁻¹‖ for ‖D⁻¹δw‖, and for Squared norms
//
//	‖δw‖ <= ‖R⁻¹‖ Spread(ErrA) (ErrY + Σ_j ErrA_j |w_j|).
func (s Norms) Error(reach Reach, lambda float64, w *mat.Dense) float64 {
	lengths := s.Lengths(lambda)
	size, _, misfit := s.misfit(reach, lengths)
	if s.Squared && size*size > maxShare || !s.Squared && size > maxShare {
		return math.Inf(1)
	}
	return s.worst(reach, lengths, w, misfit)
}

// misfit returns Spread(ErrA), the factor of residuals in ‖R δw‖, and the sum in Error or, for a
// Triangle, the first bound of TriangleError without the ridge, a bound on ‖R δw‖ for each target.
func (s Norms) misfit(reach Reach, lengths []float64) (size, spread float64, of func(t int, column []float64) float64) {
	size, spread = reach.Spread(lengths, s.ErrA), reach.Spread(lengths, s.ErrR)
	if s.Triangle {
		spread *= math.Sqrt(s.Drift)
	}
	return size, spread, func(t int, column []float64) float64 {
		sum := plusAbs(s.ErrY[t], s.ErrA, column)
		switch {
		case s.Triangle:
			return sum + float64(spread*s.Rest[t])
		case s.Squared:
			sum *= size
		default:
			sum += float64(spread * s.Rest[t])
		}
		return sum + s.Gain[t]
	}
}

// Rebuilt returns the Error of a new start from l rows, with the targets as its residuals.
func (s Norms) Rebuilt(l int, reach Reach, lambda float64, w *mat.Dense) float64 {
	t := NewNorms(len(s.A), len(s.Y), s.Squared)
	unit := Unit(l, len(s.A))
	for i, v := range s.Y {
		if s.Squared && v > s.ErrY[i] || !s.Squared && math.Sqrt(unit)*v > s.ErrY[i] {
			t.Y[i], t.Rest[i] = v, v
		} // otherwise removals have left only rounding errors of the target
	}
	t.A = s.A
	t.Err(unit)
	return t.Error(reach, lambda, w)
}

// worst returns the largest relative error of a target. sum(t, w) is the norm of the vector that R⁻¹
// multiplies, for target t and its column w of W.
func (s Norms) worst(reach Reach, lengths []float64, w *mat.Dense, sum func(t int, column []float64) float64) (worst float64) {
	column := make([]float64, len(lengths))
	for t := range dense.Cols(w) {
		err := sum(t, gonummat.Col(column, t, w))
		if err == 0 && s.Y[t] == 0 {
			continue // a target of zeros
		}
		plain := dense.Norm(column)
		dense.Multiply(column, lengths)
		worst = max(worst, reach.Plain*(err/plain), reach.Scaled*(err/dense.Norm(column)))
	}
	return worst
}

// Grown returns how many times the bound on the relative errors of x Q xᵀ, Q = (AᵀA + lambda I)⁻¹,
// exceeds the bound for a new start from l rows.
func (s Norms) Grown(l int, reach Reach, lambda float64) float64 {
	anew := NewNorms(len(s.A), 0, s.Squared)
	anew.A = s.A
	anew.Err(Unit(l, len(s.A)))
	return max(1, s.inverseError(reach, lambda)/anew.inverseError(reach, lambda))
}

// inverseError bounds the relative errors of x Q xᵀ. Errors of A cause 2 Spread(ErrA), or Spread(ErrA)²
// for Squared norms, and an inverse has errors of Drift. For a Triangle without a ridge, 2
// Spread(ErrR)² is another bound: see TriangleError.
func (s Norms) inverseError(reach Reach, lambda float64) float64 {
	lengths := s.Lengths(lambda)
	size := reach.Spread(lengths, s.ErrA)
	switch {
	case s.Squared:
		return float64(size*size) + s.Drift
	case !s.Triangle:
		return 2*size + s.Drift
	case s.Ridge == 0:
		spread := reach.Spread(lengths, s.ErrR)
		size = min(size, float64(spread*spread))
	}
	return 2 * size
}

// ErrFit bounds the error of y - A w for target t, by the errors of y and of the columns of A.
func (s Norms) ErrFit(t int, w *mat.Dense) float64 {
	return plusAbs(s.ErrY[t], s.ErrA, gonummat.Col(nil, t, w))
}

// plusAbs returns sum + Σ x_j |y_j|.
func plusAbs(sum float64, x, y []float64) float64 {
	for j, v := range y {
		sum += float64(x[j] * math.Abs(v))
	}
	return sum
}

// TriangleError is Error for a Triangle. Errors of R and z are errors of rows of A and Y, relative to
// each row. So the ridge damps their effect on residuals, except on its own residual sqrt(lambda) w:
//
//	‖δw‖ <= ‖R⁻¹‖ (ErrY + Σ_j ErrA_j |w_j| + min(Spread(S) Rest, kept) + Spread(U) lambda ‖w‖),
//	kept = Spread(ErrR) (Gain + Σ_j ErrR_j |w_j|),   S = sqrt(Drift) ErrR,   U = Drift.
//
// The first bound assumes that new rows make up for removed ones. It grows by the factor by which all
// columns have shrunk, over usualShrinking, if that is above 1.
//
// Without a ridge there is another bound. Changes of rows add AxᵀAx to RᵀR, and AxᵀYa to Rᵀz, or
// subtract them. The errors of these matrices stay as they are, at most 2 ErrR_i ErrR_j and 2 ErrR_i
// Gain, while new rows make the matrices larger:
//
//	‖δw‖ <= ‖R⁻¹‖ 2 kept.
func (s Norms) TriangleError(reach Reach, w *mat.Dense) float64 {
	s = s.clone()
	root, all := math.Sqrt(s.Ridge), make([]float64, len(s.A))
	for j := range all {
		all[j] = s.Drift * root
	}
	size, spread, ridge := reach.Spread(s.A, s.ErrA), reach.Spread(s.A, s.ErrR), reach.Spread(s.A, all)
	shrunk := max(1, s.shrunk()/usualShrinking)
	return s.worst(reach, s.A, w, func(t int, column []float64) float64 {
		kept, direct, total := float64(spread*plusAbs(s.Gain[t], s.ErrR, column)), math.Inf(1), math.Inf(1)
		if size <= maxShare {
			direct = plusAbs(s.ErrY[t], s.ErrA, column) + min(spread*math.Sqrt(s.Drift)*s.Rest[t], kept)
			direct += float64(ridge * (root * dense.Norm(column)))
			direct *= shrunk
		}
		if s.Ridge == 0 && 2*spread*spread <= maxShare {
			total = float64(2 * kept)
		}
		return min(direct, total)
	})
}

// shrunk returns the smallest factor by which a column of a Triangle has shrunk: the root mean square
// of its norm in all changes over its norm now. The mean is ErrR/sqrt(Drift), or larger for new nodes.
func (s Norms) shrunk() float64 {
	least := math.Inf(1)
	for j, v := range s.ErrR {
		least = min(least, v/math.Sqrt(s.Drift)/s.A[j])
	}
	return least
}

// usualShrinking is the factor by which columns may shrink, as in a window, before the bound grows.
const usualShrinking = 2

// maxShare is the relative error of R, or of RᵀR, above which terms of higher order may matter.
const maxShare = 0.01

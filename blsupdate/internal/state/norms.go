package state

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"
)

// Norms are the Euclidean norms of the columns of A and Y, and bounds on the rounding errors that the
// state has accumulated, in the same units. The norms bound all elements and partial sums of AᵀA, AᵀY,
// R and z, so they show before an update whether anything can overflow.
//
// The state is exact for A + E and Y + F. ErrA and ErrY bound the norms of the columns of E and F.
// Every change of rows adds Unit times the current norms, so old errors lose weight as new rows
// outweigh them. Methods that form AᵀA have errors in its elements, at most ErrA_i ErrA_j in AᵀA and
// ErrA_i ErrY_j in AᵀY. Their Norms are Squared: squared errors grow by Unit times squared norms.
//
// ErrR are the errors that multiply residuals. A removal divides its errors by sqrt(1-h) in ErrA and
// ErrY, where they multiply W and Y, but not in ErrR. Of the errors of R'ᵀR' = (R + E)ᵀ(R + E) - (a +
// δ)ᵀ(a + δ), only RᵀE w is large compared with R'. In Squared norms ErrR is ErrA as removals magnify
// it in an inverse: see Turned.
//
// Rest bounds the norms of the residuals, with the current weights, of all rows that left rounding
// errors in the state: the rows of A, and the removed rows, except what Refit has moved to Gain. Gain
// bounds the errors that W has because an inaccurate inverse multiplied the residuals of new rows, or
// from rows removed before Refit, as errors of vectors that R⁻¹ multiplies. Drift bounds the relative
// error of that inverse, without the errors of its start.
//
// Norms are a Triangle in QR, which has no inverse; A then includes the Ridge. Let each change have
// errors of u times the norms a of the columns of A without the ridge, and y of the targets. Then Drift
// is Σ u, ErrR are the square roots of Σ u a², and Gain the square roots of Σ u y². By the
// Cauchy-Schwarz inequality these bound Σ u a, Σ u a_i a_j and Σ u a y. Removed rows stay in the sums.
type Norms struct {
	A, Y       []float64
	ErrA, ErrY []float64
	ErrR       []float64
	Rest       []float64
	Gain       []float64
	Drift      float64
	Squared    bool
	Triangle   bool
	Ridge      float64 // lambda, for a Triangle
}

// NewNorms returns the norms of a state without rows.
func NewNorms(k, c int, squared bool) Norms {
	of := func(n int) []float64 { return make([]float64, n) }
	return Norms{A: of(k), Y: of(c), ErrA: of(k), ErrY: of(c), ErrR: of(k), Rest: of(c), Gain: of(c), Squared: squared}
}

// Unit returns the relative rounding error of a change by q rows of k columns, in columns of A and Y.
// Sums of n products have errors of about sqrt(n) eps, and at most 2n eps. unitFactor covers the rest.
//
//	source: N. J. Higham and T. Mary, "A new approach to probabilistic rounding error analysis",
//	SIAM J. Sci. Comput. 41(5), 2019.
func Unit(q, k int) float64 { return unitFactor * dense.Eps * math.Sqrt(float64(q+k+4)) }

const unitFactor = 1.7

func (s Norms) clone() Norms {
	all := slices.Concat(s.A, s.Y, s.ErrA, s.ErrY, s.ErrR, s.Rest, s.Gain)
	for _, x := range []*[]float64{&s.A, &s.Y, &s.ErrA, &s.ErrY, &s.ErrR, &s.Rest, &s.Gain} {
		n := len(*x)
		*x, all = all[:n:n], all[n:]
	}
	if s.Triangle && s.Drift == 0 { // from an encoding with Σ u a in ErrR, or new
		s.Drift = Unit(0, len(s.A))
		dense.Scale(1/math.Sqrt(s.Drift), s.ErrR)
		for t := range s.Gain {
			s.ErrY[t] += s.Gain[t]
			s.Gain[t] = s.ErrY[t] / math.Sqrt(s.Drift)
		}
	}
	return s
}

// With returns the norms with the rows ax and ya added for the ridge lambda, and with the new errors.
func (s Norms) With(ax, ya *mat.Dense, lambda float64) Norms {
	t := s.clone()
	AddLengths(t.A, dense.ColumnNorms(ax))
	AddLengths(t.Y, dense.ColumnNorms(ya))
	t.errs(Unit(dense.Rows(ax), len(s.A)), t.errDamp(lambda))
	return t
}

// errDamp is Damp for errors of Y, or 1 for Squared norms, since the columns of A damp errors of AᵀY.
func (s Norms) errDamp(lambda float64) float64 {
	if s.Squared {
		return 1
	}
	return s.Damp(lambda)
}

// Damp bounds ‖R⁻ᵀAᵀ‖, the factor with which errors of Y reach W, by the smaller of 1 and
// ‖A‖/sqrt(lambda).
func (s Norms) Damp(lambda float64) float64 {
	if root, size := math.Sqrt(lambda), dense.Norm(s.rows()); size < root {
		return size / root
	}
	return 1
}

// rows returns the norms of the columns of A without the ridge. For a Triangle they are bounds, since
// the norms with the ridge are rounded.
func (s Norms) rows() []float64 {
	if s.Ridge == 0 {
		return s.A
	}
	rows, root, blur := slices.Clone(s.A), math.Sqrt(s.Ridge), math.Sqrt(Unit(0, len(s.A)))
	for j, v := range rows {
		rows[j] = detmath.Hypot(Leg(v, root), blur*v)
	}
	return rows
}

// AddLengths replaces each x_i by the length of the vector (x_i, y_i).
func AddLengths(x, y []float64) {
	for i, v := range y {
		x[i] = Capped(detmath.Hypot(x[i], v))
	}
}

// Err adds the errors of a change with the relative error unit to ErrA, ErrY and ErrR, and to Gain and
// Drift of a Triangle.
func (s *Norms) Err(unit float64) { s.errs(unit, 1) }

func (s *Norms) errs(unit, damp float64) {
	s.grow(s.ErrA, unit, s.A)
	s.grow(s.ErrY, unit*damp, s.Y)
	s.errRest(unit)
}

// errRest adds the errors that multiply residuals.
func (s *Norms) errRest(unit float64) {
	if !s.Triangle {
		s.grow(s.ErrR, unit, s.A)
		return
	}
	s.Drift = Capped(s.Drift + unit)
	growSquares(s.ErrR, unit, s.rows())
	growSquares(s.Gain, unit, s.Y)
}

// grow adds unit·norms[j] to errs[j] or, for Squared norms, unit·norms[j]² to the square of errs[j].
func (s Norms) grow(errs []float64, unit float64, norms []float64) {
	if s.Squared {
		growSquares(errs, unit, norms)
		return
	}
	for j, v := range norms {
		errs[j] = Capped(errs[j] + float64(unit*v))
	}
}

func growSquares(errs []float64, unit float64, norms []float64) {
	for j, v := range norms {
		errs[j] = Capped(detmath.Hypot(errs[j], math.Sqrt(unit)*v))
	}
}

// Capped returns v, or the largest float64 if v is not finite, for a state that has no digits left.
func Capped(v float64) float64 {
	if !(v <= math.MaxFloat64) {
		return math.MaxFloat64
	}
	return v
}

func (s Norms) addGain(t int, v float64) { s.Gain[t] = Capped(s.Gain[t] + v) }

// ErrWeights adds to ErrY the errors of weights that a state keeps: unit times Fits.
func (s Norms) ErrWeights(unit, lambda float64, w *mat.Dense) {
	s.grow(s.ErrY, unit, s.Fits(lambda, w))
}

// Fits bounds the norms of the columns of [A; sqrt(lambda) I] W by the sums over i of |W_ij| times the
// norm of column i of the matrix.
func (s Norms) Fits(lambda float64, w *mat.Dense) []float64 {
	fit, lengths := make([]float64, len(s.Y)), s.Lengths(lambda)
	for i := range dense.Rows(w) {
		for j, v := range w.RawRowView(i) {
			fit[j] += float64(math.Abs(v) * lengths[i])
		}
	}
	return fit
}

// ErrGain adds to Gain the errors of a change by q rows: Drift times the residuals that the rows add.
// before has the norms of the residuals before the change. First Drift changes. It gains driftUnits
// times Unit times ‖(R D)⁻¹‖ of now, with the D after the change and the R before an addition or after
// a removal. A removal then divides Drift by rest = 1-h. Drift is at most ErrA times ‖(R D)⁻¹‖ of peak,
// the largest so far, or what it gained if that is more. For Squared norms, both norms count squared.
//
// fit is nil unless the new inverse gives all of the change ΔW. Then it bounds the vectors that the
// errors of the inverse multiply: the norms of R ΔW, or Fits of ΔW if the errors are not symmetric.
func (s *Norms) ErrGain(q int, rest, lambda float64, now, peak Reach, before, fit []float64) {
	largest, grown, lengths := 0.0, driftUnits*Unit(q, len(s.A))*now.Scaled, s.Lengths(lambda)
	for j, v := range s.Turned(peak).ErrA {
		largest = max(largest, peak.Scaled*(v/lengths[j]))
	}
	if s.Squared {
		largest *= largest
		grown *= now.Scaled
	}
	s.Drift = Capped(min(max(largest, grown), (s.Drift+grown)/rest))
	damped := s.Drift * s.Damp(lambda)
	for t, v := range s.Rest {
		s.addGain(t, float64(damped*Leg(v, before[t])))
	}
	for t, v := range fit {
		s.addGain(t, float64(s.Drift*v))
	}
}

// Turned returns Squared norms for an inverse Q, with ErrA and ErrY magnified as removals have
// magnified the errors of Q. An error δ of Q with |δ_ij| <= u q_i q_j, for the norms q of the rows of
// F, is an error Q⁻¹δQ⁻¹ of Q⁻¹ = AᵀA + lambda I. Its elements are at most u κ² d_i d_j for the norms d
// of the columns; only in the directions in which A is smallest it is like an error u d_i d_j. It stays
// as it is while rows come and go. So it grows relative to Q⁻¹ if removals make another direction
// smallest, by up to 1/(1-h) each, as in ErrR, and by κ² in all. peak has κ.
func (s Norms) Turned(peak Reach) Norms {
	if !s.Squared {
		return s
	}
	turned := 1.0
	for j, v := range s.ErrR {
		if v > turned*s.ErrA[j] {
			turned = v / s.ErrA[j]
		}
	}
	turned = min(turned, peak.Scaled)
	s = s.clone()
	dense.Scale(turned, s.ErrA)
	dense.Scale(turned, s.ErrY)
	return s
}

// driftUnits is the error that a change leaves in an inverse, in units of the error of a sum.
const driftUnits = 6

// Lengths returns the norms of the columns of [A; sqrt(lambda) I].
func (s Norms) Lengths(lambda float64) []float64 {
	lengths, root := slices.Clone(s.A), math.Sqrt(lambda)
	for j, v := range lengths {
		lengths[j] = detmath.Hypot(v, root)
	}
	return lengths
}

// Plus returns the norms of the rows of both states, and the errors of adding the states.
func (s Norms) Plus(o Norms) Norms {
	t := s.clone()
	o = o.clone()
	AddLengths(t.A, o.A)
	AddLengths(t.Y, o.Y)
	AddLengths(t.Rest, o.Rest)
	if s.Squared {
		AddLengths(t.ErrA, o.ErrA)
		AddLengths(t.ErrY, o.ErrY)
	} else {
		dense.Add(t.ErrA, 1, o.ErrA)
		dense.Add(t.ErrY, 1, o.ErrY)
		AddLengths(t.ErrR, o.ErrR)
		AddLengths(t.Gain, o.Gain)
		t.Drift += o.Drift
		t.Ridge += o.Ridge
	}
	t.Err(Unit(len(s.A), len(s.A)))
	return t
}

// Without returns the norms after the removal of the rows ax with targets ya. rest is 1-h. gone, if not
// nil, bounds the norms of the residuals of these rows with the weights after the removal. The errors
// of the removal are divided by sqrt(1-h), and for a rest below least, which is CloseRest or 1, also
// the earlier ones, since R'⁻ᵀRᵀ has this norm.
func (s Norms) Without(ax, ya *mat.Dense, lambda, rest, least float64, gone []float64) Norms {
	t := s.clone()
	unit, damp := Unit(dense.Rows(ax), len(s.A)), s.errDamp(lambda)
	t.errRest(unit)
	if !s.Squared {
		rest, least = math.Sqrt(rest), math.Sqrt(least)
	}
	t.grow(t.ErrA, unit/rest, t.A)
	t.grow(t.ErrY, unit/rest*damp, t.Y)
	AddLengths(t.Rest, gone)
	if rest < least {
		grown := 1/rest - 1
		if !s.Squared {
			t.grow(t.ErrA, grown, t.ErrA)
			t.grow(t.ErrY, grown, t.ErrY)
		}
		if s.Triangle { // TriangleError also has a bound that new rows improve
			t.grow(t.Rest, grown, t.Rest)
		} else {
			t.grow(t.ErrR, grown, s.ErrR)
		}
	}
	for j, v := range dense.ColumnNorms(ax) {
		t.A[j] = Leg(s.A[j], v)
	}
	for j, v := range dense.ColumnNorms(ya) {
		t.Y[j] = Leg(s.Y[j], v)
	}
	return t
}

// Lowered returns the norms of a Triangle whose ridge is lowered to lambda. The removed part counts as
// rows that were there from the start.
func (s Norms) Lowered(lambda float64) Norms {
	t := s.clone()
	root := math.Sqrt(t.Drift) * math.Sqrt(max(0, t.Ridge-lambda))
	for j, v := range t.ErrR {
		t.ErrR[j] = Capped(detmath.Hypot(v, root))
	}
	t.Ridge = lambda
	return t
}

// CloseRest is the 1-h below which a removal of rows also magnifies earlier errors. For a larger 1-h,
// new rows are expected to make up for this. With errors E of R, or of A in A⁺, the removal leaves RᵀE
// + EᵀR as the error of R'ᵀR', so E becomes R'⁻ᵀRᵀE. As rows of A, it is the other rows of E and c δ,
// for the error δ of the row and a vector c of the norm sqrt(h/(1-h)). While h is below a half, as in
// windows of rows in random order, the new part is less than what the row took along. In windows of
// rows that change slowly or shrink the oldest row is an extreme one, and E grows with every removal
// (TestDigitsOfChangingWindows).
const CloseRest = 0.5

// Leg returns the leg sqrt(h² - v²) of a right triangle with hypotenuse h and leg v, or 0 for v > h.
func Leg(h, v float64) float64 {
	if !(v < h) {
		return 0
	}
	r := v / h
	return h * math.Sqrt((1-r)*(1+r))
}

// Safe returns s, with ErrOverflow if the product of two columns could overflow.
func (s Norms) Safe() (Norms, error) {
	if a, y := dense.LargestOf(s.A), dense.LargestOf(s.Y); !(a*max(a, y) < math.MaxFloat64/4) {
		return s, types.ErrOverflow
	}
	return s, nil
}

// Scaled returns the norms of f A and f Y, with the rounding errors of the factor and the products. In
// every call with the same f these errors are the same, so they add up even where nothing else changes.
func (s Norms) Scaled(f float64) Norms {
	t := s.clone()
	for _, x := range [][]float64{t.A, t.Y, t.ErrA, t.ErrY, t.ErrR, t.Rest, t.Gain} {
		dense.Scale(f, x)
	}
	t.Ridge *= f * f
	if !powerOf2(f) {
		t.Err(scaledUnits * dense.Eps)
	}
	return t
}

// scaledUnits is the relative error of an element of A that Forget scales, in eps: half from the square
// root, half from the product. Forget multiplies AᵀA by the factor itself, with half this error.
const scaledUnits = 1

// Mapped returns the norms after Y becomes Y T, or [Y, Y T] if keep is set. The norms of Y T are bounds
// by the triangle inequality, and exact for a column of T with one nonzero element.
func (s Norms) Mapped(t *mat.Dense, keep bool) Norms {
	m := s.clone()
	m.Y, m.ErrY, m.Rest, m.Gain = Mapped(s.Y, t, keep), Mapped(s.ErrY, t, keep), Mapped(s.Rest, t, keep), Mapped(s.Gain, t, keep)
	rounds := false
	for j := range dense.Cols(t) {
		if to := len(m.ErrY) - dense.Cols(t) + j; !exact(t, j) {
			m.ErrY[to] = Capped(2 * m.ErrY[to]) // the product rounds no more than the computation of W
			rounds = true
		}
	}
	if rounds && m.Triangle {
		m.errRest(Unit(0, dense.Rows(t)))
	}
	return m
}

// exact reports whether products with column j of T are exact: the column has at most one nonzero
// element, a power of 2 with either sign.
func exact(t *mat.Dense, j int) bool {
	n := 0
	for i := range dense.Rows(t) {
		if v := t.At(i, j); v != 0 {
			n++
			if !powerOf2(v) {
				return false
			}
		}
	}
	return n <= 1
}

// powerOf2 reports whether |x| is a power of 2, so that a product with x is exact.
func powerOf2(x float64) bool {
	fraction, _ := math.Frexp(x)
	return math.Abs(fraction) == 0.5
}

// Mapped returns bounds on the norms of the columns of Y T, or of [Y, Y T] if keep is set, from the
// norms of the columns of Y.
func Mapped(norms []float64, t *mat.Dense, keep bool) []float64 {
	out := make([]float64, dense.Cols(t))
	for i, v := range norms {
		for j, f := range t.RawRowView(i) {
			if f != 0 { // 0 times an infinite norm is NaN
				out[j] = Capped(out[j] + float64(math.Abs(f)*v))
			}
		}
	}
	if keep {
		return slices.Concat(norms, out)
	}
	return out
}

// Code writes or reads the norms of k columns of A and c of Y.
func (s *Norms) Code(x *codec.Coder, k, c int) {
	x.Lengths("a norm of a column of A", &s.A, k)
	x.Lengths("a norm of a column of Y", &s.Y, c)
	x.Lengths("an error of a column of A", &s.ErrA, k)
	x.Lengths("an error of a column of Y", &s.ErrY, c)
	x.Lengths("an error that multiplies residuals", &s.ErrR, k)
	x.Lengths("a norm of a residual", &s.Rest, c)
	x.Lengths("an error of a gain", &s.Gain, c)
	x.Float("the relative error of the inverse", &s.Drift, codec.NotNegative)
}

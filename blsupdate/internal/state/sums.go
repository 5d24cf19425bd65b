package state

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// Unknown stands for a sum of squares that overflows, that AddTargets or MapTargets lost by combining
// several targets, or that cancellation has reduced to rounding errors.
const Unknown = -1

// Sums are the data that statistics need in addition to a state. Slices are replaced, never changed.
type Sums struct {
	Rows   int       // of positive weight
	Weight float64   // Σ w_i
	Mean   []float64 // Σ w_i y_i / Σ w_i of each target
	Spread []float64 // Σ w_i (y_i - mean)², or Unknown

	// RSS is ‖y - A w‖² + lambda ‖w‖² of each target, or Unknown. Gram keeps 0: see gram.State.RSS.
	RSS []float64
}

// SumsOf returns the sums, without RSS, of rows with targets y and weights; nil weights stand for ones.
func SumsOf(y *mat.Dense, weights []float64) Sums {
	rows, c := y.Dims()
	s, none := Sums{Mean: make([]float64, c), Spread: make([]float64, c)}, make([]float64, c)
	for i := range rows {
		weight := floats.Weight(weights, i)
		if weight > 0 {
			s.include(1, Sums{Rows: 1, Weight: weight, Mean: y.RawRowView(i), Spread: none})
		}
	}
	return s
}

// settle sets the mean to 0 and the spread to Unknown for each target that overflows.
func (s *Sums) settle() {
	for j, mean := range s.Mean {
		if !(math.Abs(mean) <= math.MaxFloat64 && s.Weight <= math.MaxFloat64) {
			s.Mean[j], s.Spread[j] = 0, Unknown
		}
	}
}

// Started returns the sums of the first rows, with targets Y, and the RSS of s.
func (s Sums) Started(y *mat.Dense) Sums {
	first := SumsOf(y, nil)
	first.RSS = s.RSS
	return first
}

// Plus returns s with the rows of o added, and Minus returns s with them removed. RSS is unchanged.
func (s Sums) Plus(o Sums) Sums  { return s.changed(1, o) }
func (s Sums) Minus(o Sums) Sums { return s.changed(-1, o) }

func (s Sums) changed(sign float64, o Sums) Sums {
	s.Mean, s.Spread = append([]float64(nil), s.Mean...), append([]float64(nil), s.Spread...)
	s.include(sign, o)
	return s
}

// include adds the rows of o to s, or removes them for sign = -1:
//
//	mean += (mean2 - mean) w2/w,   spread += spread2 + (mean2 - mean)² w1 w2/w,   w = w1 + w2.
//
//	source: Chan, Golub and LeVeque, "Algorithms for computing the sample variance", The American
//	Statistician 37(3), 1983.
func (s *Sums) include(sign float64, o Sums) {
	before := s.Weight
	s.Rows += int(sign) * o.Rows
	s.Weight += float64(sign * o.Weight)
	if s.Rows <= 0 || !(s.Weight > 0) {
		*s = Sums{Rows: max(0, s.Rows), Mean: make([]float64, len(s.Mean)), Spread: make([]float64, len(s.Mean)), RSS: s.RSS}
		for j := range s.Spread {
			if s.Rows > 0 { // rounding has lost their weights next to the larger weights of removed rows
				s.Spread[j] = Unknown
			}
		}
		return
	}
	for j, mean := range o.Mean {
		d := mean - s.Mean[j]
		share := o.Weight / s.Weight
		s.Mean[j] += float64(d * sign * share)
		spread := combined(combined(s.Spread[j], sign, o.Spread[j]), sign, d*d*before*share)
		if s.Spread[j] > 0 && spread != Unknown && spread < LeastErrors*Unit(0, 0)*s.Spread[j] {
			spread = 0 // only errors are left
		}
		s.Spread[j] = spread
	}
	s.settle()
}

// LeastErrors is the smallest ratio of a sum of squares to its error bound at which the sum is known.
const LeastErrors = 30

// combined returns x + sign y for y >= 0, at least 0, or Unknown if either is Unknown or the sum
// overflows.
func combined(x, sign, y float64) float64 {
	if sum := max(0, x+float64(sign*y)); x != Unknown && y != Unknown && sum <= math.MaxFloat64 {
		return sum
	}
	return Unknown
}

// Scaled returns the sums with all weights multiplied by f.
func (s Sums) Scaled(f float64) Sums {
	scale := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for j, v := range x {
			if out[j] = f * v; v == Unknown {
				out[j] = Unknown
			}
		}
		return out
	}
	s.Weight, s.Spread, s.RSS = f*s.Weight, scale(s.Spread), scale(s.RSS)
	return s
}

// Mapped returns the sums after Y becomes Y T, or [Y, Y T] if keep is set. Sums of squares are known
// for columns of T with at most one nonzero element.
func (s Sums) Mapped(t *mat.Dense, keep bool) Sums {
	var mean, spread, rss []float64
	if keep {
		mean, spread, rss = append(mean, s.Mean...), append(spread, s.Spread...), append(rss, s.RSS...)
	}
	square := func(sums []float64, of, elements int, f float64) float64 {
		switch {
		case elements == 0:
			return 0
		case elements > 1 || sums[of] == Unknown:
			return Unknown
		}
		return combined(0, 1, float64(f*float64(f*sums[of])))
	}
	for j := range dense.Cols(t) {
		m, of, elements := 0.0, 0, 0
		for i, v := range s.Mean {
			if f := t.At(i, j); f != 0 {
				m += float64(f * v)
				of, elements = i, elements+1
			}
		}
		f := t.At(of, j)
		mean, spread = append(mean, m), append(spread, square(s.Spread, of, elements, f))
		rss = append(rss, square(s.RSS, of, elements, f))
	}
	s.Mean, s.Spread, s.RSS = mean, spread, rss
	s.settle()
	return s
}

// Code writes or reads the sums of c targets.
func (s *Sums) Code(x *codec.Coder, c int) {
	x.Int("the number of rows of positive weight", &s.Rows, codec.MaxElements)
	x.Float("the sum of the weights", &s.Weight, codec.NotNegative)
	x.Floats("the mean of a target", &s.Mean, c)
	for _, sums := range []*[]float64{&s.Spread, &s.RSS} {
		x.Floats("a sum of squares", sums, c)
		for j, v := range *sums {
			x.Check(v >= 0 || v == Unknown, "the sum of squares of target %d is %v; want at least 0, or -1 if it is unknown", j, v)
		}
	}
}

// KnownRSS returns Sums.RSS and, for each target, the least value that rounding errors do not hide. RSS
// was never above the square of Rest, which includes removed rows. share is the relative error of the
// residuals.
func (b *Base) KnownRSS(size Norms, share float64) (rss, least []float64) {
	least = squares(size.Rest)
	unit := float64(Unit(0, b.K))
	for j, rss := range b.Sums.RSS { // the residuals of removed rows had errors of unit times the targets
		y := size.ErrY[j]
		if size.Squared {
			y *= math.Sqrt(unit)
		}
		gone := Leg(size.Rest[j], math.Sqrt(max(0, rss)))
		least[j] = LeastErrors * (float64((unit+share)*least[j]) + float64(y*gone))
	}
	return b.Sums.RSS, least
}

// Fitted updates RSS for rows that are added or, if sign is -1, removed. RSS changes by Σ e_i e'_i,
// where E are the residuals with the weights before the change and E' after it. Fitted returns for each
// target the square root of Σ |e_i e'_i|.
func (b *Base) Fitted(sign float64, e, after *mat.Dense) []float64 {
	b.NoteSquares(sign, Products(e, after))
	norms := make([]float64, b.C)
	for i := range dense.Rows(e) {
		other := after.RawRowView(i)
		for j, v := range e.RawRowView(i) {
			norms[j] = detmath.Hypot(norms[j], math.Sqrt(math.Abs(v))*math.Sqrt(math.Abs(other[j])))
		}
	}
	return norms
}

// Products returns Σ x_i y_i for each column of X and Y.
func Products(x, y *mat.Dense) []float64 {
	sums := make([]float64, dense.Cols(x))
	for i := range dense.Rows(x) {
		other := y.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			sums[j] += float64(v * other[j])
		}
	}
	return sums
}

// FittedBy adds sign times the squared norms of the columns of E to RSS, and returns the norms.
func (b *Base) FittedBy(sign float64, e *mat.Dense) []float64 {
	norms := make([]float64, dense.Cols(e))
	AddLengths(norms, dense.ColumnNorms(e)) // caps norms that overflow
	b.NoteNorms(sign, norms)
	return norms
}

// NoteNorms is NoteSquares for the squares of norms.
func (b *Base) NoteNorms(sign float64, norms []float64) { b.NoteSquares(sign, squares(norms)) }

func squares(norms []float64) []float64 {
	s := slices.Clone(norms)
	dense.Multiply(s, norms)
	return s
}

// NoteSquares adds sums of squares, one for each target, to RSS, or subtracts them for sign = -1.
func (b *Base) NoteSquares(sign float64, sums []float64) {
	rss := make([]float64, b.C)
	for j, v := range sums {
		if b.Sums.RSS != nil {
			rss[j] = b.Sums.RSS[j]
		}
		rss[j] = combined(rss[j], sign, v)
	}
	b.Sums.RSS = rss
}

// Refitted recomputes RSS from W, Y and A, given as blocks of columns, and returns the norms of the
// residuals. No step counts the products, which are of lower order.
func (b *Base) Refitted(w, y *mat.Dense, blocks ...*mat.Dense) []float64 {
	e, from := y, 0
	for _, a := range blocks {
		to := from + dense.Cols(a)
		e, from = b.ResidualAfter(a, e, dense.RowRange(w, from, to)), to
	}
	b.Sums.RSS = nil
	norms := b.FittedBy(1, e)
	scaled := dense.Copy(w)
	scaled.Scale(b.Lambda, w)
	b.NoteSquares(1, Products(w, scaled))
	return norms
}

package bls

import (
	"math"
	"slices"

	"blskernel/mat"
)

// constantColumn reports whether column j has been constant in the first training set and all batches
// since, and returns its value.
func (f *Features) constantColumn(j int) (value float64, ok bool) {
	switch f.opt.Scaling {
	case ScaleColumns:
		return f.means[j], f.deviations[j] == constantDeviation
	case ScaleRanks:
		return f.ranks[j].knots[0], len(f.ranks[j].knots) == 1
	}
	return 0, false
}

// withVarying returns f, or new maps if a column that was constant varies in x, which has been checked.
// S of that column is then the difference from the constant, divided by the root mean square difference
// over x. If x has only one other value, the divisor is its distance from the constant. ScaleRanks
// limits S to ±4. The weights of the column are drawn with the magnitude of the fitted ones. Earlier
// samples have S = 0 there and keep their nodes, as if these maps had been used from the start.
func (f *Features) withVarying(x *mat.Dense) *Features {
	out := f
	var sizes []float64
	for j := range f.Inputs() {
		value, constant := f.constantColumn(j)
		if !constant {
			continue
		}
		scale := distance(x, j, value)
		if !varied(value, scale) {
			continue
		}
		if out == f {
			maps := *f
			out, sizes = &maps, f.weightSizes()
			out.deviations, out.ranks, out.weights = slices.Clone(f.deviations), slices.Clone(f.ranks), copyOf(f.weights)
		}
		if f.opt.Scaling == ScaleColumns {
			out.deviations[j] = varies(scale)
		} else {
			out.ranks[j] = varyingCurve(value, scale)
		}
		out.drawColumn(j, sizes)
	}
	return out
}

// varied reports whether a column that had only the given value varies once other values lie at the
// distance scale from it. It returns false for a distance within rounding errors or beyond float64.
func varied(value, scale float64) bool {
	end := math.Abs(value) + float64(rankLimit*scale)
	return scale > 0x1p-40*math.Abs(value) && scale >= smallestNormal && end <= math.MaxFloat64
}

// varyingCurve returns the curve of ScaleRanks for a column that has the given value in almost all
// rows, and values at the distance scale from it in the other rows.
func varyingCurve(value, scale float64) curve {
	end := float64(rankLimit * scale)
	return curve{[]float64{value - end, value, value + end}, []float64{-rankLimit, 0, rankLimit}}
}

// distance returns the root mean square of x[i][j] - from over the rows i. If all nonzero differences
// have the same magnitude, it returns that magnitude, however often it occurs. So an input with the
// values 0 and 1 has the same scale in all copies of a model.
func distance(x *mat.Dense, j int, from float64) float64 {
	l, _ := x.Dims()
	var largest, squares float64
	for i := range l {
		largest = max(largest, math.Abs(x.At(i, j)-from))
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	one := true
	for i := range l {
		d := (x.At(i, j) - from) / largest
		squares += float64(d * d)
		one = one && (d == 0 || math.Abs(d) == 1)
	}
	if one {
		return largest
	}
	return largest * math.Sqrt(squares/float64(l))
}

// joined returns maps under which the samples of f and the samples of g keep their nodes. It returns
// nil if f and g differ in anything but columns that are constant in one and vary in the other.
func (f *Features) joined(g *Features) *Features {
	if f.equal(g) {
		return f
	}
	if f.opt.Scaling != g.opt.Scaling || f.Inputs() != g.Inputs() || f.FeatureNodes() != g.FeatureNodes() {
		return nil
	}
	a, b := f.varyingLike(g), g.varyingLike(f)
	if !a.equal(b) {
		return nil
	}
	return a
}

// Extends reports whether f equals g, or differs only in columns that are constant in g and vary in f.
// Samples that have the constants in those columns then have the same nodes under both.
func (f *Features) Extends(g *Features) bool {
	joined := f.joined(g)
	return joined != nil && joined.equal(f)
}

// varyingLike returns f with g's scale and weights for the columns that are constant in f only.
func (f *Features) varyingLike(g *Features) *Features {
	out := *f
	out.deviations, out.ranks, out.weights = slices.Clone(f.deviations), slices.Clone(f.ranks), copyOf(f.weights)
	for j := range f.Inputs() {
		_, constant := f.constantColumn(j)
		if _, still := g.constantColumn(j); !constant || still {
			continue
		}
		if f.opt.Scaling == ScaleColumns {
			out.deviations[j] = g.deviations[j]
		} else {
			out.ranks[j] = g.ranks[j]
		}
		out.weights.SetRow(j, g.weights.RawRowView(j))
	}
	return &out
}

// drawColumn draws the weights of input j, uniform on [-sizes[k], sizes[k]) for feature node k.
func (f *Features) drawColumn(j int, sizes []float64) {
	row, r := f.weights.RawRowView(j), stream(f.opt.Seed, forColumn, j)
	for k, size := range sizes {
		row[k] = size * (2*float64(r.Float64()) - 1)
	}
}

// weightSizes returns, for each feature node, the bound of uniform numbers with the root mean square of
// its nonzero weights, or 1 if there are none. It leaves out the inputs that drawColumn has drawn. The
// weights of a column thus do not depend on the columns drawn before it, and models can be merged.
func (f *Features) weightSizes() []float64 {
	sizes, used := make([]float64, f.FeatureNodes()), make([]float64, f.FeatureNodes())
	for i := range f.Inputs() {
		if f.isDrawn(i) {
			continue
		}
		for k, w := range f.weights.RawRowView(i) {
			if w != 0 {
				sizes[k] += float64(w * w)
				used[k]++
			}
		}
	}
	for k, n := range used {
		if n > 0 {
			sizes[k] = math.Sqrt(3 * sizes[k] / n)
		} else {
			sizes[k] = 1
		}
	}
	return sizes
}

// isDrawn reports whether all weights of input j have the signs that drawColumn draws. Few inputs match
// by chance, and such an input matches in all copies of a model.
func (f *Features) isDrawn(j int) bool {
	r := stream(f.opt.Seed, forColumn, j)
	for _, w := range f.weights.RawRowView(j) {
		if (w > 0) != (r.Float64() > 0.5) {
			return false
		}
	}
	return true
}

// constantDeviation is the deviation of a column that has been constant so far; its S is 0.
const constantDeviation = 1

// varies returns v, a deviation of a varying column, or the next float64 if v is constantDeviation.
func varies(v float64) float64 {
	if v == constantDeviation {
		return v * (1 + 0x1p-52)
	}
	return v
}

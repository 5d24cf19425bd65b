package bls

import (
	"context"
	"math"
	"slices"
	"sort"

	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/workers"
	"blskernel/mat"
)

const (
	rankRows  = ChoiceRows // quantiles come from at most this many rows of the first training set
	rankKnots = 128        // the largest number of knots of a curve, with 2 beyond the quantiles
	rankLimit = 4          // the score up to which lines extend a curve
)

// A curve is a map that is linear between knots, and constant beyond the first and the last one.
type curve struct {
	knots, scores []float64 // ascending; of equal length, at least one
}

func (c curve) at(v float64) float64 {
	i, found := slices.BinarySearch(c.knots, v)
	switch n := len(c.knots); {
	case found:
		return c.scores[i]
	case i == 0:
		return c.scores[0]
	case i == n:
		return c.scores[n-1]
	}
	return line(v, c.knots[i-1], c.knots[i], c.scores[i-1], c.scores[i])
}

// line returns the value at v of the line through (x0, y0) and (x1, y1), x0 < v < x1.
func line(v, x0, x1, y0, y1 float64) float64 {
	if math.IsInf(x1-x0, 1) {
		v, x0, x1 = v/2, x0/2, x1/2
	}
	return y0 + float64((v-x0)/(x1-x0)*(y1-y0))
}

// columnRanks returns the curves of ScaleRanks for the columns of x (l×d, finite): normal scores from
// at most rankRows equally spaced rows. A column that varies only outside these rows gets the curve of
// a column that varies later.
//
//	cost: sorting at most rankRows numbers for each column.
//	errors: the cause of ctx, checked before each panel of columns.
func columnRanks(ctx context.Context, x *mat.Dense) ([]curve, error) {
	l, d := x.Dims()
	n := min(l, rankRows)
	curves := make([]curve, d)
	const panel, nanoseconds = 256, 50
	err := interrupt.EachPanel(ctx, d, panel, func(first, end int) error {
		workers.Default.Rows(end-first, n*nanoseconds, func(from, to int) {
			sample := make([]float64, n)
			for j := first + from; j < first+to; j++ {
				for i := range sample {
					sample[i] = x.At(int(int64(i)*int64(l)/int64(n)), j)
				}
				slices.Sort(sample)
				curves[j] = normalScores(sample)
				if n < l && sample[0] == sample[n-1] {
					if scale := distance(x, j, sample[0]); varied(sample[0], scale) {
						curves[j] = varyingCurve(sample[0], scale)
					}
				}
			}
		})
		return nil
	})
	return curves, err
}

// normalScores returns the curve of a sorted column of n rows. Each knot is a quantile, with the normal
// score of its mid-rank: (rows below it + half of the rows equal to it)/n. If there are just two
// values, they get their standard scores; a single value gets the score 0.
func normalScores(column []float64) curve {
	n := len(column)
	if column[0] == column[n-1] {
		return curve{[]float64{column[0]}, []float64{0}}
	}
	var c curve
	covered := 0 // elements that are equal to a knot
	const quantiles = rankKnots - 2
	for k := range quantiles {
		v := column[k*(n-1)/(quantiles-1)]
		if last := len(c.knots) - 1; last >= 0 && v == c.knots[last] {
			continue
		}
		below, _ := slices.BinarySearch(column, v)
		end := below + sort.Search(n-below, func(i int) bool { return column[below+i] > v })
		covered += end - below
		c.knots = append(c.knots, v)
		c.scores = append(c.scores, detmath.NormalQuantile(float64(below+end)/float64(2*n)))
	}
	if len(c.knots) == 2 && covered == n {
		below, _ := slices.BinarySearch(column, c.knots[1])
		p := float64(n-below) / float64(n) // share of the larger value
		deviation := math.Sqrt(p * (1 - p) * float64(n) / float64(n-1))
		c.scores[0], c.scores[1] = -p/deviation, (1-p)/deviation
	}
	return c.extended(column[n/10], column[n-1-n/10])
}

// extended returns c with a line added at each end, up to the score ±rankLimit. The lower line has the
// mean slope of c from its first knot to low, and the upper line the mean slope from high to the last
// knot. If low is the first knot or high the last, the neighboring knot replaces it.
func (c curve) extended(low, high float64) curve {
	last := len(c.knots) - 1
	beyond := func(end int, inner float64, next int, limit float64) (v float64, ok bool) {
		v0, s0 := c.knots[end], c.scores[end]
		if inner == v0 {
			inner = c.knots[next]
		}
		v = v0 + float64((inner-v0)*((limit-s0)/(c.at(inner)-s0)))
		return v, math.Abs(s0) < rankLimit && math.Abs(v) <= math.MaxFloat64 && v != v0
	}
	first, below := beyond(0, low, 1, -rankLimit)
	end, above := beyond(last, high, last-1, rankLimit)
	if below {
		c.knots, c.scores = slices.Insert(c.knots, 0, first), slices.Insert(c.scores, 0, -rankLimit)
	}
	if above {
		c.knots, c.scores = append(c.knots, end), append(c.scores, rankLimit)
	}
	return c
}

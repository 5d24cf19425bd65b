package bls

import (
	"math"
	"sort"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/linalg/workers"
	"blskernel/mat"
)

// stepSlope is the slope of a step in units of an unweighted column of S, whose deviation is 1.
const stepSlope = 4

// steps are enhancement nodes that depend on one or two columns of S,
//
//	g[q] = tanh(min over i = 0, 1 of slopes[i][q]·(s[columns[i][q]] - thresholds[i][q])).
//
// Node q is a corner if its two columns differ, and a step or a band if they are the same. Other
// enhancement nodes cannot take this form, since their level sets are oblique to the axes.
type steps struct {
	columns            [2][]int
	slopes, thresholds [2][]float64
}

// drawSteps draws n steps of two columns. The probability of a column is proportional to its squared
// weight; nil weights stand for ones. The threshold is the element of that column in a random row of s
// (l×d), and the slope is ±stepSlope at random, in units of the unweighted column.
func drawSteps(seed uint64, n int, s *mat.Dense, weights []float64) (out steps) {
	l, d := s.Dims()
	r := stream(seed, forSteps, 0)
	shares, sum := make([]float64, d), 0.0
	for j := range shares {
		w := floats.Weight(weights, j)
		sum += float64(w * w)
		shares[j] = sum
	}
	for range n {
		for i := range out.columns {
			j := min(d-1, sort.SearchFloat64s(shares, float64(r.Float64()*sum)))
			slope := stepSlope / floats.Weight(weights, j)
			if r.IntN(2) == 1 {
				slope = -slope
			}
			out.columns[i] = append(out.columns[i], j)
			out.slopes[i] = append(out.slopes[i], slope)
			out.thresholds[i] = append(out.thresholds[i], s.At(r.IntN(l), j))
		}
	}
	return out
}

func (t steps) to(g, s *mat.Dense) {
	rows, n := g.Dims()
	const nanoseconds = 30
	workers.Default.Rows(rows, n*nanoseconds, func(from, to int) {
		for i := from; i < to; i++ {
			x, row := s.RawRowView(i), g.RawRowView(i)
			for q := range row {
				lowest := math.Inf(1)
				for k := range t.columns {
					lowest = min(lowest, float64(t.slopes[k][q]*(x[t.columns[k][q]]-t.thresholds[k][q])))
				}
				row[q] = 1 - 2/(detmath.Exp(2*lowest)+1)
			}
		}
	})
}

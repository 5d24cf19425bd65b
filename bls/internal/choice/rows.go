package choice

import (
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/mat"
)

// MaxRows is the largest number of rows of a choice.
const MaxRows = 4096

// takeRows chooses at most MaxRows of l rows. It returns their numbers, ascending, and a factor for the
// weights of each class. Usually it spreads them over all rows, and factors is nil. If classes are
// balanced and l exceeds MaxRows, these rows could lack a rare class. It then takes p rows of each
// class, with p as large as possible. factors restore the share of each class in the weight.
func takeRows(labels []int, balanced bool, l int) (rows []int, factors []float64) {
	if labels == nil || !balanced || l <= MaxRows {
		return spread(l, min(l, MaxRows)), nil
	}
	classes := make([][]int, slices.Max(labels)+1) // the rows of each class; the labels have been checked
	for i, label := range labels {
		classes[label] = append(classes[label], i)
	}
	// taking returns the number of rows with at most perClass rows of each class.
	taking := func(perClass int) (rows int) {
		for _, of := range classes {
			rows += min(len(of), perClass)
		}
		return rows
	}
	perClass := 1 // if there are more classes than MaxRows, the first ones have one row each
	for taking(perClass) < taking(perClass+1) && taking(perClass+1) <= MaxRows {
		perClass++
	}
	factors = make([]float64, len(classes))
	m := min(taking(perClass), MaxRows)
	for class, of := range classes {
		n := min(len(of), perClass, m-len(rows))
		for _, i := range spread(len(of), n) {
			rows = append(rows, of[i])
		}
		if n > 0 {
			factors[class] = float64(len(of)) / float64(n) * (float64(m) / float64(l))
		}
	}
	slices.Sort(rows)
	return rows, factors
}

// spread returns n of l numbers, one at random, but always the same, from each of n equal parts: a
// table may be in the order of time, and numbers at equal distances may all meet one phase of a period.
func spread(l, n int) []int {
	r, out := rand.New(rand.NewPCG(0, 0)), make([]int, n)
	for i := range out {
		from, to := int64(i)*int64(l)/int64(n), int64(i+1)*int64(l)/int64(n)
		out[i] = int(from + r.Int64N(to-from))
	}
	return out
}

// Weigh multiplies row i of each matrix, in place, by the square root of weights[i].
func Weigh(weights []float64, of ...*mat.Dense) {
	for i, w := range weights {
		root := math.Sqrt(w)
		for _, m := range of {
			row := m.RawRowView(i)
			for j := range row {
				row[j] *= root
			}
		}
	}
}

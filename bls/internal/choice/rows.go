package choice

import (
	"math"
	"slices"

	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

// MaxRows is the largest number of rows of a choice.
const MaxRows = 4096

// takeRows chooses at most MaxRows of l rows. It returns their numbers, ascending, and a factor for the
// weights of each class. Usually it takes the first rows, and factors is nil. If classes are balanced
// and l exceeds MaxRows, the first rows could lack a rare class. It then takes the first p rows of each
// class, with p as large as possible. factors restore the share of each class in the weight.
func takeRows(labels []int, balanced bool, l int) (rows []int, factors []float64) {
	if labels == nil || !balanced || l <= MaxRows {
		return factor.Indices(min(l, MaxRows)), nil
	}
	counts := make([]int, slices.Max(labels)+1) // the labels have been checked
	for _, label := range labels {
		counts[label]++
	}
	// taking returns the number of rows with at most perClass rows of each class.
	taking := func(perClass int) (rows int) {
		for _, n := range counts {
			rows += min(n, perClass)
		}
		return rows
	}
	perClass := 1 // if there are more classes than MaxRows, the first ones have one row each
	for taking(perClass) < taking(perClass+1) && taking(perClass+1) <= MaxRows {
		perClass++
	}
	taken := make([]int, len(counts))
	for i, label := range labels {
		if taken[label] < perClass && len(rows) < MaxRows {
			taken[label]++
			rows = append(rows, i)
		}
	}
	factors = make([]float64, len(counts))
	for class, n := range taken {
		if n > 0 {
			factors[class] = float64(counts[class]) / float64(n) * (float64(len(rows)) / float64(l))
		}
	}
	return rows, factors
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

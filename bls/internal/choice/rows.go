package choice

import (
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

// MaxRows is the largest number of rows of a choice.
const MaxRows = 4096

// takeRows returns the indices, ascending, of at most MaxRows rows. Usually these are spread over all
// rows of positive weight, and factors is nil. If d is balanced and has more than MaxRows such rows,
// the sample could lack a rare class. takeRows then takes at most p rows of each class, with p as large
// as possible, and factors restore each class's share of the total weight.
func takeRows(d Data) (rows []int, factors []float64) {
	from := factor.Indices(d.Rows)
	if d.Weights != nil {
		from = slices.DeleteFunc(from, func(i int) bool { return d.Weights[i] == 0 })
	}
	if len(from) <= MaxRows {
		return from, nil
	}
	if d.Labels == nil || !d.Balanced {
		return spread(from, MaxRows), nil
	}
	classes := make([][]int, slices.Max(d.Labels)+1) // rows of each class; the labels have been checked
	for _, i := range from {
		classes[d.Labels[i]] = append(classes[d.Labels[i]], i)
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
		rows = append(rows, spread(of, n)...)
		if n > 0 {
			factors[class] = float64(len(of)) / float64(n) * (float64(m) / float64(len(from)))
		}
	}
	slices.Sort(rows)
	return rows, factors
}

// spread returns n of the rows: from each of n equal parts a random one, drawn with a fixed seed.
// Equally spaced rows of a time series could all have the same phase of a period.
func spread(rows []int, n int) []int {
	r, out, l := rand.New(rand.NewPCG(0, 0)), make([]int, n), int64(len(rows))
	for i := range out {
		from, to := int64(i)*l/int64(n), int64(i+1)*l/int64(n)
		out[i] = rows[from+r.Int64N(to-from)]
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

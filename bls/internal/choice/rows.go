package choice

import "slices"

// MaxRows is the largest number of rows of a choice.
const MaxRows = 4096

// takeRows returns the rows of l for a choice, in ascending order, and the factors of the weights of
// each class. They are the first rows, with nil factors, unless the classes are balanced and more than
// MaxRows rows have labels: the first rows have hardly any of a rare class. Then they are the first
// rows of each class, all rows of as many classes as possible, and the factors give each class its
// share of the weight.
func takeRows(labels []int, balanced bool, l int) (rows []int, factors []float64) {
	if labels == nil || !balanced || l <= MaxRows {
		for i := range min(l, MaxRows) {
			rows = append(rows, i)
		}
		return rows, nil
	}
	counts := make([]int, slices.Max(labels)+1) // they have been checked
	for _, label := range labels {
		counts[label]++
	}
	// The largest number of rows of a class that leaves room for as many of all others.
	most, room := 0, MaxRows
	for {
		wanting := 0
		for _, n := range counts {
			if n > most {
				wanting++
			}
		}
		if wanting == 0 || wanting > room {
			break
		}
		most++
		room -= wanting
	}
	most = max(most, 1) // of more classes than rows each of the first has one
	taken := make([]int, len(counts))
	for i, label := range labels {
		if taken[label] < most && len(rows) < MaxRows {
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

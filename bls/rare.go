package bls

import "slices"

// choiceOf returns the rows of l that a choice is made by, in their order, and what the weight of a row
// of each class is multiplied by. They are the first rows. If all classes count alike, more rows than
// that are not the first ones, of which a rare class has hardly any: they are the first of each class,
// of as many classes as possible all rows, and the factors give each class its share of the weight.
func choiceOf(s settings, labels []int, l int) (rows []int, factors []float64) {
	if labels == nil || s.classWeight != Balanced || l <= ChoiceRows {
		for i := range min(l, ChoiceRows) {
			rows = append(rows, i)
		}
		return rows, nil
	}
	counts := make([]int, slices.Max(labels)+1) // they have been checked
	for _, label := range labels {
		counts[label]++
	}
	// The largest number of rows of a class that leaves room for as many of all others.
	most, room := 0, ChoiceRows
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
		if taken[label] < most && len(rows) < ChoiceRows {
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

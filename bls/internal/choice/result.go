package choice

import (
	"math"
	"slices"

	"blskernel/blsupdate"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// nearTie is the number of misses that weigh as much as a mean squared error of 1.
const nearTie = 64

// A Result is a setting with the scores of the rows that are held out.
type Result struct {
	Shrink  float64
	Lambda  float64
	Method  blsupdate.Method
	Loss    float64 // the smaller the better; +Inf without a solution
	Score   float64 // accuracy, or R²
	HeldOut int     // the rows that these were measured by

	folds  *Folds
	scores *mat.Dense // m×c, of which the rows that are held out count
}

// Solved reports whether the setting has a solution.
func (r *Result) Solved() bool { return !math.IsInf(r.Loss, 1) }

// Better reports whether r is better than other, which may be nil.
func (r *Result) Better(other *Result) bool { return other == nil || r.Loss < other.Loss }

// Held returns the scores, labels and weights of the rows that are held out, of the classes that have
// rows, numbered anew: a class that gets its first rows later must not change what is made of them.
func (r *Result) Held() (scores *mat.Dense, labels []int, weights []float64) {
	f := r.folds
	from := f.ends[f.firstHeld]
	if f.weights != nil {
		weights = f.weights[from:]
	}
	all := classScores(r.scores, from)
	rows, classes := all.Dims()
	number, known := make([]int, classes), 0
	scores = mat.NewDense(rows, classes, nil)
	for class := range classes {
		if number[class] = known; slices.Contains(f.labels, class) {
			scores.SetCol(known, gonum.Col(nil, class, all))
			known++
		}
	}
	labels = slices.Clone(f.labels[from:])
	for i, class := range labels {
		labels[i] = number[class]
	}
	return scores.Slice(0, rows, 0, known).(*mat.Dense), labels, weights
}

// classScores returns the rows of scores from one on, without the column of the constant target.
func classScores(scores *mat.Dense, from int) *mat.Dense {
	m, cols := scores.Dims()
	return scores.Slice(from, m, 1, cols).(*mat.Dense)
}

// measure returns the loss and the score of scores by the rows from a fold on. The loss of a regression
// is the mean of 1-R² over the targets. That of a classification is the share of errors, and nearTie/m
// of the mean squared error, which decides between settings with nearly as many errors.
func (f *Folds) measure(scores, y *mat.Dense, fold int) (loss, score float64) {
	from, m := f.ends[fold], f.ends[numFolds]
	_, cols := y.Dims()
	var total float64
	squares, means, spread := make([]float64, cols), make([]float64, cols), make([]float64, cols)
	for i := from; i < m; i++ {
		w := f.weight(i)
		total += w
		for j, v := range y.RawRowView(i) {
			e := scores.At(i, j) - v
			squares[j] += float64(w * float64(e*e))
			means[j] += float64(w * v)
		}
	}
	if f.labels != nil {
		var right, squared float64
		held := classScores(scores, from)
		for i, label := range f.labels[from:] {
			if largest(held.RawRowView(i)) == label {
				right += f.weight(from + i)
			}
		}
		for class, v := range squares[1:] {
			// One that has no rows yet must not change the choice.
			if slices.Contains(f.labels, class) {
				squared += v
			}
		}
		score = right / total
		return 1 - score + float64(nearTie*squared)/(total*f.effectiveRows()), score
	}
	for i := from; i < m; i++ {
		for j, v := range y.RawRowView(i) {
			e := v - means[j]/total
			spread[j] += float64(f.weight(i) * float64(e*e))
		}
	}
	for j, v := range squares {
		if spread[j] > 0 {
			v /= spread[j]
		}
		loss += v / float64(cols)
	}
	return loss, 1 - loss
}

// largest returns the index of the largest element of a row, the first one of several, or -1 of NaN
// alone.
func largest(row []float64) int {
	best := -1
	for j, v := range row {
		if !math.IsNaN(v) && (best < 0 || v > row[best]) {
			best = j
		}
	}
	return best
}

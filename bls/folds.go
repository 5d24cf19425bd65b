package bls

import (
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/blsupdate"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// ChoiceRows is the number of first rows that Fit makes a choice by at most.
const ChoiceRows = 4096

const (
	choiceFolds = 4
	fewestRows  = 2 * choiceFolds // fewer are too few to hold any out
	nearTie     = 64              // misses that a mean squared error of 1 weighs
)

// folds are the rows that a choice is made by, in the order of the folds. Up to ChoiceRows rows each
// fold is held out once. Of more rows the last fold alone is, since its rows are enough, unless a few
// of them have most of the weight.
type folds struct {
	s       settings
	x       *mat.Dense // m×d
	y       *mat.Dense // m×c, centered, and divided by a power of two for a regression
	labels  []int      // the classes, nil for a regression
	weights []float64  // nil for all 1
	ends    []int      // fold i is the rows ends[i] to ends[i+1]
	held    int        // the first fold that is held out; the later ones are too
	most    int        // enhancement nodes of a candidate
	unit    float64    // of lambda, by the weights
}

// newFolds parts the rows of choiceOf, of x and of their targets, which for a classification begin
// with the constant target, and for a regression are not centered.
//
// Rows of a class go to the folds in turn, in an order that is random but always the same: whatever
// order or period the rows have, each fold has its share of every class.
func newFolds(s settings, x, y *mat.Dense, labels []int, weights []float64) *folds {
	l, d := x.Dims()
	rows, factors := choiceOf(s, labels, l)
	m := len(rows)
	f := &folds{s: s, most: choiceNodes, unit: unitOf(weights), x: mat.NewDense(m, d, nil), y: mat.NewDense(m, y.RawMatrix().Cols, nil)}
	order := rand.New(rand.NewPCG(0, 0)).Perm(m)
	if labels != nil {
		slices.SortStableFunc(order, func(a, b int) int { return labels[rows[a]] - labels[rows[b]] })
		f.labels = make([]int, 0, m)
	}
	if weights != nil {
		f.weights = make([]float64, 0, m)
	}
	row := 0
	f.ends = []int{0}
	for fold := range choiceFolds {
		for i := fold; i < m; i += choiceFolds {
			from := rows[order[i]]
			copy(f.x.RawRowView(row), x.RawRowView(from))
			copy(f.y.RawRowView(row), y.RawRowView(from))
			if labels != nil {
				f.labels = append(f.labels, labels[from])
			}
			if weights != nil {
				w := weights[from]
				if factors != nil {
					w *= factors[labels[from]]
				}
				f.weights = append(f.weights, w)
			}
			row++
		}
		f.ends = append(f.ends, row)
	}
	if max(l, s.rows) > ChoiceRows && f.alike() > ChoiceRows/2 {
		f.held = choiceFolds - 1
	}
	if labels == nil {
		largest, values := 0.0, f.y.RawMatrix().Data
		for _, v := range values {
			largest = max(largest, math.Abs(v))
		}
		_, exp := math.Frexp(largest)
		factor := math.Ldexp(1, -max(-1000, min(1000, exp)))
		for i := range values {
			values[i] *= factor
		}
		if s.intercept {
			f.y = deviations(f.y, columnMeans(f.y, f.weights))
		}
	}
	return f
}

// rows returns the number of rows, and of those that are held out.
func (f *folds) rows() (all, held int) {
	all = f.ends[choiceFolds]
	return all, all - f.ends[f.held]
}

// choice returns by what a candidate was chosen.
func (f *folds) choice(c *candidate) Choice {
	return Choice{Rows: f.ends[choiceFolds], HeldOut: c.held, Score: c.score}
}

// A candidate is a setting with the scores of its held-out rows.
type candidate struct {
	features FeatureOptions
	method   blsupdate.Method
	lambda   float64
	loss     float64    // the smaller the better
	score    float64    // accuracy, or R²
	held     int        // rows that these were measured by
	scores   *mat.Dense // m×c, of which the rows that are held out count
}

// heldScores returns the scores of the rows from a fold on, of a classification without the column of
// the constant target.
func (c *candidate) heldScores(f *folds, fold int) *mat.Dense {
	m, cols := c.scores.Dims()
	first := 0
	if f.labels != nil {
		first = 1
	}
	return c.scores.Slice(f.ends[fold], m, first, cols).(*mat.Dense)
}

// slope returns the slope of the probabilities by the rows that are held out, 0 for a regression.
// Classes without rows do not count: one that gets its first rows later must not change the slope.
func (f *folds) slope(c *candidate) float64 {
	if f.labels == nil {
		return 0
	}
	from, weights := f.ends[f.held], f.weights
	if weights != nil {
		weights = weights[from:]
	}
	all := c.heldScores(f, f.held)
	rows, classes := all.Dims()
	number, known := make([]int, classes), 0
	scores := mat.NewDense(rows, classes, nil)
	for class := range classes {
		if number[class] = known; slices.Contains(f.labels, class) {
			scores.SetCol(known, gonum.Col(nil, class, all))
			known++
		}
	}
	labels := slices.Clone(f.labels[from:])
	for i, class := range labels {
		labels[i] = number[class]
	}
	return fitSlope(scores.Slice(0, rows, 0, known).(*mat.Dense), labels, weights)
}

// measure sets the loss and the score of c by the rows from a fold on. The loss of a regression is the
// mean of 1-R² over the targets. That of a classification is the share of errors, and nearTie/m of
// the mean squared error, which decides between candidates with nearly as many errors.
func (f *folds) measure(c *candidate, fold int) {
	from, m := f.ends[fold], f.ends[choiceFolds]
	_, cols := f.y.Dims()
	c.held = m - from
	weight := func(i int) float64 { return weightOf(f.weights, i) }
	var total float64
	squares, means, spread := make([]float64, cols), make([]float64, cols), make([]float64, cols)
	for i := from; i < m; i++ {
		w := weight(i)
		total += w
		for j, v := range f.y.RawRowView(i) {
			e := c.scores.At(i, j) - v
			squares[j] += float64(w * float64(e*e))
			means[j] += float64(w * v)
		}
	}
	if f.labels != nil {
		var right, squared float64
		for i, class := range ArgMax(c.heldScores(f, fold)) {
			if class == f.labels[from+i] {
				right += weight(from + i)
			}
		}
		for class, v := range squares[1:] {
			// One that has no rows yet must not change the choice.
			if slices.Contains(f.labels, class) {
				squared += v
			}
		}
		c.score = right / total
		c.loss = 1 - c.score + float64(nearTie*squared)/(total*f.alike())
		return
	}
	for i := from; i < m; i++ {
		for j, v := range f.y.RawRowView(i) {
			e := v - means[j]/total
			spread[j] += float64(weight(i) * float64(e*e))
		}
	}
	c.loss = 0
	for j, v := range squares {
		if spread[j] > 0 {
			v /= spread[j]
		}
		c.loss += v / float64(cols)
	}
	c.score = 1 - c.loss
}

// alike returns the number of rows of weight 1 whose mean is as sure as that of the rows with their
// weights.
func (f *folds) alike() float64 {
	if f.weights == nil {
		return float64(f.ends[choiceFolds])
	}
	var sum, squares float64
	for _, w := range f.weights {
		sum += w
		squares += float64(w * w)
	}
	return sum / squares * sum
}

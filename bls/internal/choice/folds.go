// Package choice chooses settings of a model on held-out rows. Its values are immutable once made.
//
//	Folds      the rows of a choice, in four folds, and which folds are held out
//	Equations  the normal equations of one set of nodes, for each training set
//	Result     a shrink and a ridge with the predictions, loss and score on the held-out rows
//	Search     the grids of shrinks and ridges
//
// The package does not depend on feature maps: a Search calls Maps for the nodes of a shrink.
package choice

import (
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

const (
	numFolds = 4

	// MinRows is the smallest number of rows from which some can be held out.
	MinRows = 2 * numFolds
)

// Data describes the samples from which NewFolds takes rows.
type Data struct {
	Rows     int       // l
	Expected int       // the rows that the model will learn in all, if more than l
	Labels   []int     // l classes, nil for regression
	Weights  []float64 // l weights, nil for ones
	Balanced bool      // all classes have the same total weight

	// X and Y hold the inputs and targets of the rows, to find copies of rows; nil for no search.
	X, Y *mat.Dense
}

// Folds are the rows of a choice, ordered by fold. For up to MaxRows rows, each of the four folds is
// held out once. For more, only the last fold is held out, unless a few rows carry most of the weight.
type Folds struct {
	rows      []int     // of the data
	labels    []int     // of these rows, nil for regression
	weights   []float64 // of these rows, nil for ones
	ends      []int     // fold i holds the rows [ends[i], ends[i+1])
	firstHeld int       // the folds from this one on are held out
}

// NewFolds deals the rows of each class to the folds in turn, in a fixed random order. Each fold gets
// its share of every class, whatever order or period the rows have, and all copies of its rows.
func NewFolds(d Data) *Folds {
	taken, factors := takeRows(d)
	groups := d.groups(taken)
	order := rand.New(rand.NewPCG(0, 0)).Perm(len(groups))
	if d.Labels != nil {
		slices.SortStableFunc(order, func(a, b int) int { return d.Labels[groups[a][0]] - d.Labels[groups[b][0]] })
	}
	f := &Folds{ends: []int{0}}
	for fold := range numFolds {
		for i := fold; i < len(groups); i += numFolds {
			f.rows = append(f.rows, groups[order[i]]...)
		}
		f.ends = append(f.ends, len(f.rows))
	}
	f.labels, f.weights = block.Pick(d.Labels, 1, f.rows), block.Pick(d.Weights, 1, f.rows)
	for i := range f.weights {
		if factors != nil {
			f.weights[i] *= factors[f.labels[i]]
		}
	}
	if max(Positive(d.Rows, d.Weights), d.Expected) > MaxRows && f.effectiveRows() > MaxRows/2 {
		f.firstHeld = numFolds - 1
	}
	return f
}

// Take returns the rows of m (l×n) that are in the folds, in the order of the folds, in new storage.
func (f *Folds) Take(m *mat.Dense) *mat.Dense { return block.PickRows(m, f.rows) }

// Row returns the index in the data of row i of the folds.
func (f *Folds) Row(i int) int { return f.rows[i] }

// Rows returns the number of rows in the folds.
func (f *Folds) Rows() int { return len(f.rows) }

// Weights returns the weights of the rows, nil for ones. The caller must not change them.
func (f *Folds) Weights() []float64 { return f.weights }

func (f *Folds) heldFolds() int { return numFolds - f.firstHeld }

// manyRows is the largest number of rows for which every fold is held out if the maps depend on the
// labels. With more rows only the last fold is held out, since each held-out fold needs its own maps.
const manyRows = 1024

// ForLabels returns the folds for choosing maps that depend on the labels: a copy of f that, with more
// than manyRows rows, holds out only the last fold.
func (f *Folds) ForLabels() *Folds {
	g := *f
	if len(f.rows) > manyRows {
		g.firstHeld = numFolds - 1
	}
	return &g
}

// Trainings returns the number of training sets: one for each held-out fold, without that fold. If
// every fold is held out and there are at most manyRows rows, one more training set has all rows.
func (f *Folds) Trainings() int {
	if f.firstHeld == 0 && len(f.rows) <= manyRows {
		return numFolds + 1
	}
	return f.heldFolds()
}

// held returns the range [from, to) of the rows that training set i leaves out; it may be empty.
func (f *Folds) held(i int) (from, to int) {
	if fold := f.firstHeld + i; fold < numFolds {
		return f.ends[fold], f.ends[fold+1]
	}
	return len(f.rows), len(f.rows)
}

// Training returns the indices in f of at most n rows of training set i, equally spaced.
func (f *Folds) Training(i, n int) []int {
	from, to := f.held(i)
	all := len(f.rows) - (to - from)
	n = min(n, all)
	rows := make([]int, n)
	for j := range rows {
		if rows[j] = j * all / n; rows[j] >= from {
			rows[j] += to - from
		}
	}
	return rows
}

// effectiveRows returns the effective sample size of the weighted rows: the number of rows of weight 1
// whose mean has the same variance.
//
//	source: Kish, Survey Sampling, 1965.
func (f *Folds) effectiveRows() float64 {
	if f.weights == nil {
		return float64(len(f.rows))
	}
	_, exp := math.Frexp(slices.Max(f.weights)) // divides all weights, so that squares do not overflow
	var sum, squares float64
	for _, w := range f.weights {
		w = math.Ldexp(w, -exp)
		sum += w
		squares += float64(w * w)
	}
	return sum / squares * sum
}

// Unit returns a power of two near the mean of the positive weights. A ridge times Unit has about the
// same effect on weighted rows as the ridge on rows of weight 1.
func Unit(weights []float64) float64 {
	mean, n := 0.0, float64(Positive(len(weights), weights))
	for _, w := range weights {
		mean += w / n
	}
	if !(mean > 0) || math.IsInf(mean, 1) {
		return 1
	}
	_, exp := math.Frexp(0.75 * mean)
	return math.Ldexp(1, max(-60, min(60, exp))) // beyond these limits, sums of squares lose digits
}

// Positive returns the number of l rows that have a positive weight; nil weights are ones.
func Positive(l int, weights []float64) (n int) {
	for i := range l {
		if floats.Weight(weights, i) > 0 {
			n++
		}
	}
	return n
}

// Package choice finds settings of a model by rows that are held out. Its values do not change once
// they are made.
//
//	Folds      the rows of a choice, in four folds; which of them are held out
//	Equations  the normal equations of one set of nodes, without each fold that is held out
//	Result     a shrink and a ridge with the scores, the loss and the score of the held-out rows
//	Search     the grids of shrinks and ridges
//
// The package knows no feature maps: a Search asks Maps for the nodes of a shrink.
//
// Results depend on the rows only, never on times, memory, threads or kernels.
package choice

import (
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/mat"
)

const (
	numFolds = 4

	// MinRows is the smallest number of rows of which some can be held out.
	MinRows = 2 * numFolds
)

// Data are the rows of a choice.
type Data struct {
	Rows     int       // l
	Expected int       // the rows of the whole training, if they are more than l
	Labels   []int     // l classes, nil for a regression
	Weights  []float64 // l weights, nil for ones
	Balanced bool      // all classes count alike
}

// Folds are the rows of a choice in the order of four folds. Up to MaxRows rows each fold is held out
// once. Of more rows the last fold alone is held out, unless a few of them carry most of the weight.
type Folds struct {
	rows      []int     // of the data
	labels    []int     // of these rows, nil for a regression
	weights   []float64 // of these rows, nil for ones
	ends      []int     // fold i is the rows ends[i] to ends[i+1]
	firstHeld int       // the folds from this one on are held out
}

// NewFolds deals the rows of each class to the folds in turn, in an order that is random but always the
// same: whatever order or period the rows have, each fold has its share of every class.
func NewFolds(d Data) *Folds {
	taken, factors := takeRows(d.Labels, d.Balanced, d.Rows)
	m := len(taken)
	order := rand.New(rand.NewPCG(0, 0)).Perm(m)
	if d.Labels != nil {
		slices.SortStableFunc(order, func(a, b int) int { return d.Labels[taken[a]] - d.Labels[taken[b]] })
	}
	f := &Folds{ends: []int{0}}
	for fold := range numFolds {
		for i := fold; i < m; i += numFolds {
			row := taken[order[i]]
			f.rows = append(f.rows, row)
			if d.Labels != nil {
				f.labels = append(f.labels, d.Labels[row])
			}
			if d.Weights != nil {
				w := d.Weights[row]
				if factors != nil {
					w *= factors[d.Labels[row]]
				}
				f.weights = append(f.weights, w)
			}
		}
		f.ends = append(f.ends, len(f.rows))
	}
	if max(d.Rows, d.Expected) > MaxRows && f.effectiveRows() > MaxRows/2 {
		f.firstHeld = numFolds - 1
	}
	return f
}

// Take returns the rows of the choice of m (l×n), in the order of the folds, in new storage.
func (f *Folds) Take(m *mat.Dense) *mat.Dense { return Rows(m, f.rows) }

// Rows returns the number of rows.
func (f *Folds) Rows() int { return len(f.rows) }

// Weights returns the weights of the rows, nil for ones. The caller must not change them.
func (f *Folds) Weights() []float64 { return f.weights }

func (f *Folds) heldFolds() int { return numFolds - f.firstHeld }

// manyRows is the number of rows beyond which only the last fold is held out of maps that depend on the
// labels, which must be fitted once for each held-out fold.
const manyRows = 1024

// ForLabels returns the folds for choosing maps that depend on the labels: f, or with many rows a copy
// that holds out the last fold only.
func (f *Folds) ForLabels() *Folds {
	g := *f
	if len(f.rows) > manyRows {
		g.firstHeld = numFolds - 1
	}
	return &g
}

// Trainings returns the number of training sets: the complement of each held-out fold and, if each fold
// of few rows is held out, all rows.
func (f *Folds) Trainings() int {
	if f.firstHeld == 0 && len(f.rows) <= manyRows {
		return numFolds + 1
	}
	return f.heldFolds()
}

// held returns the rows from from to to-1 that training i leaves out.
func (f *Folds) held(i int) (from, to int) {
	if fold := f.firstHeld + i; fold < numFolds {
		return f.ends[fold], f.ends[fold+1]
	}
	return len(f.rows), len(f.rows)
}

// Training returns at most n of the rows of training i, equally spaced.
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
	var sum, squares float64
	for _, w := range f.weights {
		sum += w
		squares += float64(w * w)
	}
	return sum / squares * sum
}

// Unit returns the power of two nearest to the mean of the weights. A ridge times Unit has the same
// effect on weighted rows as the ridge on rows of weight 1.
func Unit(weights []float64) float64 {
	var mean float64
	for _, w := range weights {
		mean += w / float64(len(weights))
	}
	if !(mean > 0) || math.IsInf(mean, 1) {
		return 1
	}
	_, exp := math.Frexp(0.75 * mean)
	return math.Ldexp(1, max(-60, min(60, exp))) // beyond, sums of squares have no digits
}

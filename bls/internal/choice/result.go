package choice

import (
	"cmp"
	"math"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// nearTie is the number of wrong predictions that add as much to a loss as a mean squared error of 1.
const nearTie = 64

// squareSafe bounds the logarithm of the largest target, so that sums of squares do not overflow.
const squareSafe = 300

// A Result is a shrink, a ridge and a method with their loss and score on the held-out rows.
type Result struct {
	Shrink  float64
	Lambda  float64
	Method  blsupdate.Method
	Loss    float64 // smaller is better; +Inf if there is no solution
	Score   float64 // accuracy, or R²
	HeldOut int     // the number of rows that Loss and Score were measured on

	folds     *Folds     // Loss and Score are measured on its held-out rows
	scores    *mat.Dense // m×c; only the held-out rows are set
	equations *Equations
	ridge     int // the index of Lambda in ridges, if at made r and no ridge is given
}

// On returns a copy of r measured on the rows that folds holds out. r must have scores for them.
func (r *Result) On(folds *Folds) *Result {
	s := *r
	s.folds = folds
	s.measure(folds.firstHeld)
	if !r.Solved() {
		s.Loss = r.Loss
	}
	return &s
}

// measure sets HeldOut, the loss and the score to their values on the given fold and all later ones.
func (r *Result) measure(fold int) {
	r.HeldOut = len(r.folds.rows) - r.folds.ends[fold]
	scores, y := r.scores, r.equations.y
	if r.equations.log {
		// The loss and the score do not depend on the unit of a target.
		shifts := make([]float64, y.RawMatrix().Cols)
		for j := range shifts {
			largest := slices.Max(gonum.Col(nil, j, y))
			shifts[j] = largest - max(-squareSafe, min(squareSafe, largest))
		}
		scores, y = gonum.DenseCopyOf(scores), gonum.DenseCopyOf(y)
		scores.Apply(func(_, j int, v float64) float64 { return v - shifts[j] }, scores)
		y.Apply(func(_, j int, v float64) float64 { return detmath.Exp(v - shifts[j]) }, y)
		(&Smearing{r.Factors(), Maxima(y, r.folds.weights)}).Predict(scores)
	}
	r.Loss, r.Score = r.folds.measure(scores, y, fold)
}

// Solved reports whether r has a solution. If not, Loss is +Inf.
func (r *Result) Solved() bool { return !math.IsInf(r.Loss, 1) }

// Better reports whether other is nil or r has a smaller loss than other.
func (r *Result) Better(other *Result) bool { return other == nil || r.Loss < other.Loss }

// measure compares scores with the targets y, on the given fold and all later ones, and returns the
// loss and the score. The loss in regression is the trimmed squared error relative to the variance,
// averaged over the targets. The loss in classification is the fraction of errors plus
// nearTie/effectiveRows times the trimmed mean squared error. The second term breaks near ties in the
// number of errors. The score is R² or the accuracy, on all these rows.
func (f *Folds) measure(scores, y *mat.Dense, fold int) (loss, score float64) {
	from, m := f.ends[fold], f.ends[numFolds]
	_, cols := y.Dims()
	total := f.sum(from, func(int) float64 { return 1 })
	square := func(i, j int) float64 {
		e := scores.At(i, j) - y.At(i, j)
		return float64(e * e)
	}
	if f.labels != nil {
		held := scores.Slice(from, m, 1, cols).(*mat.Dense)
		score = f.sum(from, func(i int) float64 {
			if ArgMax(held.RawRowView(i-from)) == f.labels[i] {
				return 1
			}
			return 0
		}) / total
		squares := make([]float64, m-from)
		for class := range cols - 1 {
			// A class without rows must not change the choice.
			if slices.Contains(f.labels, class) {
				for i := range squares {
					squares[i] += square(from+i, class+1)
				}
			}
		}
		return 1 - score + float64(nearTie*f.trimmed(squares, from, total/100))/(total*f.effectiveRows()), score
	}
	for j := range cols {
		squares := make([]float64, m-from)
		for i := range squares {
			squares[i] = square(from+i, j)
		}
		mean := f.sum(from, func(i int) float64 { return y.At(i, j) }) / total
		spread := f.sum(from, func(i int) float64 { return float64((y.At(i, j) - mean) * (y.At(i, j) - mean)) })
		if spread == 0 {
			spread = 1
		}
		loss += f.trimmed(squares, from, min(total/100, f.uncommon(from, y, j)/10)) / spread / float64(cols)
		score += (1 - f.sum(from, func(i int) float64 { return squares[i-from] })/spread) / float64(cols)
	}
	return loss, score
}

// sum returns the weighted sum of value(i) over the rows i >= from.
func (f *Folds) sum(from int, value func(i int) float64) (sum float64) {
	for i := from; i < len(f.rows); i++ {
		sum += float64(floats.Weight(f.weights, i) * value(i))
	}
	return sum
}

// trimmed returns the weighted sum of squares without the largest ones; squares[i] belongs to row
// from+i. It leaves out rows of at least the given weight. The result is NaN if an element is NaN.
func (f *Folds) trimmed(squares []float64, from int, left float64) (sum float64) {
	order := make([]int, len(squares))
	for i, v := range squares {
		if order[i] = i; math.IsNaN(v) {
			return v
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(squares[b], squares[a]), a-b) })
	for _, i := range order {
		w := floats.Weight(f.weights, from+i)
		if left > 0 {
			left -= w
			continue
		}
		sum += float64(w * squares[i])
	}
	return sum
}

// uncommon returns the weight of the rows i >= from that do not have the commonest value of column j
// of y.
func (f *Folds) uncommon(from int, y *mat.Dense, j int) float64 {
	weights, total, most := map[float64]float64{}, 0.0, 0.0
	for i := from; i < len(f.rows); i++ {
		v, w := y.At(i, j), floats.Weight(f.weights, i)
		total += w
		weights[v] += w
		most = max(most, weights[v])
	}
	return total - most
}

// ArgMax returns the index of the largest element of a row, the first on ties, or -1 if all are NaN.
func ArgMax(row []float64) int {
	best := -1
	for j, v := range row {
		if !math.IsNaN(v) && (best < 0 || v > row[best]) {
			best = j
		}
	}
	return best
}

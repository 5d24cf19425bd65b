package bls

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/interrupt"
	"blskernel/lapack"
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

// A candidate is a setting with the scores of its held-out rows.
type candidate struct {
	features FeatureOptions
	method   blsupdate.Method
	lambda   float64
	loss     float64    // the smaller the better
	score    float64    // accuracy, or R²
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

// A grid has the nodes of the rows of folds for one setting of the features except Shrink.
type grid struct {
	*folds
	features *Features
	base     float64    // the scale of the features for Shrink 1
	a        *mat.Dense // m×k, with the column of ones of an intercept
}

// newGrid fits feature maps to the rows and computes the feature nodes.
func (f *folds) newGrid(ctx context.Context, opt FeatureOptions) (*grid, error) {
	if !opt.Unscaled {
		opt.Shrink = 1
	}
	features, z, err := fit(ctx, f.x, opt, true)
	if err != nil {
		return nil, err
	}
	m, k := z.Dims()
	g := &grid{folds: f, features: features, base: features.scale, a: z}
	if f.s.intercept {
		g.a = newNodes(m, k+1)
		g.a.Slice(0, m, 0, k).(*mat.Dense).Copy(z)
		for i := range m {
			g.a.Set(i, k, 1)
		}
	}
	return g, nil
}

// A path has the normal equations of a grid for one Shrink: for each fold that is held out those of
// the others. They serve every lambda.
type path struct {
	*grid
	opt  FeatureOptions
	gram []*mat.SymPacked
	t    []*mat.Dense
}

// newPath computes the nodes for the shrink, which the path shares with the grid, and the normal
// equations.
func (g *grid) newPath(ctx context.Context, shrink float64) (*path, error) {
	m, k := g.a.Dims()
	p := &path{grid: g, opt: g.features.opt}
	p.opt.Shrink = shrink
	if n3 := g.features.EnhancementNodes(); n3 > 0 && !p.opt.Unscaled {
		g.features.scale = shrink * g.base
		if err := g.features.appendEnhanced(ctx, g.a.Slice(0, m, 0, g.features.Nodes()).(*mat.Dense)); err != nil {
			return nil, err
		}
	}
	_, c := g.y.Dims()
	const n = choiceFolds
	gram, t := make([]*mat.SymPacked, n), make([]*mat.Dense, n)
	for fold := range n {
		if fold == g.held && g.held == n-1 {
			break // it is in no sum
		}
		a, y := g.weighted(g.ends[fold], g.ends[fold+1])
		gram[fold], t[fold] = mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		mat.SymOuterK(g.s.backend, gram[fold], 1, a, true)
		mat.MulTrans(g.s.backend, t[fold], a, true, y, false)
	}
	for held := g.held; held < n; held++ {
		sum, cross := mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		for fold := range n {
			if fold != held {
				total := sum.RawSymPacked().Data
				for i, v := range gram[fold].RawSymPacked().Data {
					total[i] += v
				}
				cross.Add(cross, t[fold])
			}
		}
		p.gram, p.t = append(p.gram, sum), append(p.t, cross)
	}
	return p, interrupt.Check(ctx)
}

// weighted returns the nodes and targets of some rows, times the roots of their weights.
func (g *grid) weighted(from, to int) (a, y *mat.Dense) {
	_, k := g.a.Dims()
	_, c := g.y.Dims()
	a, y = g.a.Slice(from, to, 0, k).(*mat.Dense), g.y.Slice(from, to, 0, c).(*mat.Dense)
	if g.weights == nil {
		return a, y
	}
	a, y = gonum.DenseCopyOf(a), gonum.DenseCopyOf(y)
	for i, w := range g.weights[from:to] {
		root := math.Sqrt(w)
		for _, row := range [][]float64{a.RawRowView(i), y.RawRowView(i)} {
			for j := range row {
				row[j] *= root
			}
		}
	}
	return a, y
}

// at returns the candidate of a lambda, with an infinite loss where the normal equations have no
// solution in rounded numbers. The folds are solved at once, each by itself.
func (p *path) at(lambda float64) *candidate {
	m, _ := p.a.Dims()
	_, cols := p.y.Dims()
	c := &candidate{features: p.opt, method: blsupdate.Gram, lambda: lambda, scores: mat.NewDense(m, cols, nil)}
	errs := make([]error, len(p.gram))
	parallelRows(len(p.gram), parallelGrain, func(from, to int) {
		for i := from; i < to; i++ {
			errs[i] = p.solve(c, i)
		}
	})
	p.measure(c, p.held)
	if errors.Join(errs...) != nil || math.IsNaN(c.loss) {
		c.loss = math.Inf(1)
	}
	return c
}

// solve computes the scores of the fold that is held out as number i.
func (p *path) solve(c *candidate, i int) error {
	_, k := p.a.Dims()
	_, cols := p.y.Dims()
	s := mat.NewSymPacked(k, slices.Clone(p.gram[i].RawSymPacked().Data))
	s.AddDiagonal(c.lambda)
	factor := lapack.Cholesky{Backend: p.s.backend}
	if err := factor.FactorizeInPlace(s); err != nil {
		return err
	}
	var w mat.Dense
	if err := factor.SolveTo(&w, p.t[i]); err != nil {
		return err
	}
	from, to := p.ends[p.held+i], p.ends[p.held+i+1]
	mat.Mul(p.s.backend, c.scores.Slice(from, to, 0, cols).(*mat.Dense), p.a.Slice(from, to, 0, k).(*mat.Dense), &w)
	return nil
}

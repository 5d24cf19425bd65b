package bls

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/memory"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// ChoiceRows is the number of first rows that Fit makes a choice by at most.
const ChoiceRows = choice.MaxRows

const (
	defaultLambda = 1e-2 // where no rows can be held out

	trialNodes  = 400  // enough enhancement nodes to tell one Shrink from another
	choiceNodes = 2000 // most enhancement nodes that a choice is made with
)

// maxDirect is the largest number of columns that Fit links to the output layer.
const maxDirect = 500

// prepare fills in the settings that depend only on the shape l×d: EnhancementNodes, and Direct where
// Fit makes a choice for a table. Improved and Original get no ridge, since they are for the
// pseudoinverse.
func prepare(s settings, l, d int) settings {
	s.features.EnhancementNodes = cmp.Or(s.features.EnhancementNodes, suggestNodes(l, d))
	if s.update.Lambda == 0 && (s.method == blsupdate.Improved || s.method == blsupdate.Original) {
		s.update.Lambda = None
	}
	table := s.features.Scaling == ScaleAuto || s.features.Scaling.ofColumns()
	if table && s.features.Direct == 0 && s.chooses() && d <= maxDirect {
		s.features.Direct = 1
	}
	return s
}

// chooses reports whether Shrink or Lambda is left to Fit.
func (s settings) chooses() bool {
	opt := s.features
	return s.update.Lambda == 0 || opt.EnhancementNodes > 0 && !opt.Unscaled && opt.Shrink == 0
}

// choose returns the prepared settings with the rest of what is left to Fit, and by what it was chosen.
// y begins with the constant target for a classification; labels is nil for a regression.
//
// It depends on the settings and the rows only, never on times, memory, threads or kernels.
//
//	cost: the maps and nodes of at most 4096 rows, and with k nodes about 30 Cholesky factorizations
//	of order at most 500 and 5 of order k, four times as many for up to 4096 rows.
func choose(ctx context.Context, s settings, x, y *mat.Dense, labels []int, weights []float64) (settings, Choice, float64, error) {
	scalings := []Scaling{s.features.Scaling}
	if s.features.Scaling == ScaleAuto {
		scalings = []Scaling{ScaleColumns, ScaleRanks}
	}
	s.features.Scaling = scalings[0]
	opt, err := s.features.resolve()
	if err != nil {
		return s, Choice{}, 0, err
	}
	l, _ := x.Dims()
	unit, given := choice.Unit(weights), s.update.Lambda
	lowest := float64(unit * lowestLambda(max(l, s.rows), opt))
	if given == None {
		s.update.Lambda = 0
	} else if !(given >= 0) {
		return s, Choice{}, 0, nil // New refuses it
	}
	free := opt.EnhancementNodes > 0 && !opt.Unscaled && s.features.Shrink == 0
	method := blsupdate.Gram
	var by Choice
	slope := 0.0
	if l >= choice.MinRows && (free || given == 0 || s.validate || opt.Relevance > 0) {
		t := newTrials(s, x, y, labels, weights)
		shrinks := choice.Shrinks()
		if !free {
			shrinks = []float64{opt.Shrink}
		}
		if !free && given != 0 {
			scalings = scalings[:1] // Validate changes no model
		}
		least := lowest
		if given != 0 { // it says what a model of these rows can do
			least = float64(unit * lowestLambda(min(l, ChoiceRows), opt))
		}
		best, err := t.search(ctx, bounded(opt, choiceNodes), scalings, shrinks, given, least)
		if err != nil {
			return s, Choice{}, 0, err
		}
		if best.Solved() {
			method, s.features.Shrink, s.update.Lambda = best.Method, best.Shrink, best.Lambda
			s.features.Scaling, s.features.Relevance, s.columns = best.features.Scaling, best.features.Relevance, best.weights()
			by, slope = t.choice(best.Result), slopeOf(best.Result, labels)
		}
	}
	if by.Rows == 0 && given == 0 {
		s.update.Lambda = max(float64(unit*defaultLambda), lowest)
	}
	switch {
	case given == None:
		s.update.Lambda = 0
	case given != 0:
		s.update.Lambda = given
	}
	s.method = s.methodFor(method, lowest)
	return s, by, slope, nil
}

// methodFor returns the method that is given, or else the one that was chosen, but QR for a ridge below
// the lowest for Gram.
func (s settings) methodFor(chosen blsupdate.Method, lowest float64) blsupdate.Method {
	if s.update.Lambda < lowest {
		chosen = blsupdate.QR
	}
	return cmp.Or(s.method, chosen)
}

// slopeOf returns the slope of the probabilities by the rows that are held out, 0 for a regression.
func slopeOf(r *choice.Result, labels []int) float64 {
	if labels == nil {
		return 0
	}
	return fitSlope(r.Held())
}

// suggestNodes returns the number of enhancement nodes for rows of the given number of columns: two for
// three rows, from 200 to 2000, but at most 250 for each column, and no more than some 10¹² flops of
// the output layer allow. More rows support more nodes, until they no longer repay the training time.
func suggestNodes(rows, columns int) int {
	const fewest, most, flops = 200, choiceNodes, 1e12
	nodes := min(float64(rows)*2/3, float64(columns)*250, math.Sqrt(flops/float64(max(rows, 1))))
	return max(fewest, min(most, int(nodes)))
}

// lowestLambda returns the smallest ridge for which the normal equations of l rows of weight 1 have
// their digits: 16 units in the last place of a bound on their trace.
func lowestLambda(l int, opt FeatureOptions) float64 {
	return float64(0x1p-48 * float64(l) * float64(opt.Groups*opt.GroupNodes+opt.EnhancementNodes))
}

// bounded returns the options with at most as many enhancement nodes, and at most 1000 feature nodes:
// with more, a choice would take longer than the model.
func bounded(o FeatureOptions, enhancement int) FeatureOptions {
	const features = 1000
	o.EnhancementNodes = min(o.EnhancementNodes, enhancement)
	o.GroupNodes = min(o.GroupNodes, features)
	o.Groups = min(o.Groups, features/o.GroupNodes)
	return o
}

// trials try settings on the rows of a choice. They do not change.
type trials struct {
	settings
	folds *choice.Folds
	x     *mat.Dense // m×d
	y     *mat.Dense // m×c; of a regression divided by a power of two, and centered with an intercept
	unit  float64    // of lambda, by the weights

	// targets are the columns of y without the constant target and without classes that have no
	// rows: a class that gets its first rows later must not change the choice.
	targets []int
}

// newTrials takes the rows of the choice of x and of y, which begins with the constant target for a
// classification.
func newTrials(s settings, x, y *mat.Dense, labels []int, weights []float64) *trials {
	l, _ := x.Dims()
	folds := choice.NewFolds(choice.Data{Rows: l, Expected: s.rows, Labels: labels, Weights: weights, Balanced: s.classWeight == Balanced})
	t := &trials{settings: s, folds: folds, x: folds.Take(x), y: folds.Take(y), unit: choice.Unit(weights)}
	if labels == nil {
		largest, values := 0.0, t.y.RawMatrix().Data
		for _, v := range values {
			largest = max(largest, math.Abs(v))
		}
		_, exp := math.Frexp(largest)
		factor := math.Ldexp(1, -max(-1000, min(1000, exp)))
		for i := range values {
			values[i] *= factor
		}
		if s.intercept {
			t.y = deviations(t.y, columnMeans(t.y, folds.Weights()))
		}
	}
	_, c := t.y.Dims()
	for j := range c {
		if labels == nil || j > 0 && slices.Max(gonum.Col(nil, j, t.y)) > 0 {
			t.targets = append(t.targets, j)
		}
	}
	return t
}

// A candidate is a result with the features it was found with, and the weights of their columns for
// each training.
type candidate struct {
	*choice.Result
	features FeatureOptions
	columns  [][]float64
}

// weights returns the weights of the columns for all rows, nil for ones.
func (c candidate) weights() []float64 {
	if c.columns == nil {
		return nil
	}
	return c.columns[len(c.columns)-1]
}

// search returns the best candidate of the scalings, the shrinks, the rounds of relevance and, if the
// given lambda is 0, of lambda: of a coarse grid with at most trialNodes enhancement nodes, and then
// among the neighbours of its result with all. The first scaling is tried with all shrinks, what
// follows with those near the best.
func (t *trials) search(ctx context.Context, opt FeatureOptions, scalings []Scaling, shrinks []float64, given, lowest float64) (candidate, error) {
	if err := t.checkMemory(opt); err != nil {
		return candidate{}, err
	}
	s := t.grid(given, lowest)
	opt.Relevance = 0
	small := bounded(opt, trialNodes)
	var near ranking
	for i, scaling := range scalings {
		tries := shrinks
		if i > 0 {
			tries = choice.Near(shrinks, near.Shrink)
		}
		small.Scaling = scaling
		maps, err := t.fit(ctx, small, nil)
		if unscalable(err) && near.maps != nil {
			continue
		}
		if err != nil {
			return candidate{}, err
		}
		place, err := s.Coarse(ctx, maps, tries)
		if err != nil {
			return candidate{}, err
		}
		if place.Better(near.Result) {
			near = ranking{Place: place, maps: maps}
			opt.Scaling = scaling
		}
	}
	small.Scaling = opt.Scaling
	rounds, forced := t.rounds(opt)
	near, err := t.rank(ctx, s, small, shrinks, near, rounds, forced)
	if err != nil {
		return candidate{}, err
	}
	if near.rounds > 0 {
		s.Folds = s.Folds.ForLabels()
	}
	opt.Relevance = near.rounds
	if opt.EnhancementNodes > trialNodes {
		if near.maps, err = t.fit(ctx, opt, near.columns); err != nil {
			return candidate{}, err
		}
	}
	best, err := s.Fine(ctx, near.maps, near.Place)
	return candidate{best, opt, near.columns}, err
}

// rounds returns the number of rounds of relevance that are tried with the options, and whether it is
// not chosen.
func (t *trials) rounds(opt FeatureOptions) (n int, forced bool) {
	switch {
	case t.features.Relevance != 0:
		return max(0, t.features.Relevance), true
	case opt.Direct == 0 || !opt.Scaling.ofColumns() || t.update.Lambda != 0 && t.features.Shrink != 0:
		return 0, true
	}
	return maxRounds, false
}

// grid returns a search by these rows.
func (t *trials) grid(given, lowest float64) *choice.Search {
	return &choice.Search{Folds: t.folds, Y: t.y, Backend: t.backend, Unit: t.unit, Given: given, Lowest: lowest, QR: t.method == 0}
}

// choice returns the score and the rows by which a result was chosen.
func (t *trials) choice(r *choice.Result) Choice {
	return Choice{Rows: t.folds.Rows(), HeldOut: r.HeldOut, Score: r.Score}
}

// checkMemory returns a *MemoryError unless there is memory for a search with the features: for the
// maps, the nodes with a copy, and the normal equations.
func (t *trials) checkMemory(opt FeatureOptions) error {
	m, d := t.x.Dims()
	_, c := t.y.Dims()
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	k := opt.nodes(d)
	if t.intercept {
		k++
	}
	maps := 1
	if rounds, _ := t.rounds(opt); rounds > 0 {
		maps = t.folds.ForLabels().Trainings()
	}
	need := memory.Sum(memory.Floats(maps+1, m, k), t.folds.Bytes(k, c))
	for range maps {
		need = memory.Sum(need, mapsBytes(d, n, n3))
	}
	const do = "take fewer nodes, fewer flops for Tune, or set Shrink and Lambda and not Validate, by which nothing is left to choose"
	return memory.Check(need, "bls", do, "a choice with %d nodes by %d samples", k, m)
}

// trialMaps are feature maps that were fitted to the rows of a choice: one, or one for each training.
type trialMaps struct {
	fitted    []fittedMaps
	intercept bool
}

// fittedMaps are feature maps with the feature nodes of the rows of a choice, and the weights of their
// columns.
type fittedMaps struct {
	features *Features
	z        *mat.Dense // m×N, or m×(N+d) with S
	columns  []float64
}

// unscalable reports whether maps have no scale of their enhancement nodes, which other maps may have.
func unscalable(err error) bool {
	var e *ScaleError
	return errors.As(err, &e)
}

// fit fits feature maps to the rows of the choice, with weights of the columns for each training, or
// nil.
func (t *trials) fit(ctx context.Context, opt FeatureOptions, columns [][]float64) (*trialMaps, error) {
	if !opt.Unscaled {
		opt.Shrink = 1
	}
	if columns == nil {
		columns = [][]float64{nil}
	}
	maps := &trialMaps{intercept: t.intercept}
	for _, weights := range columns {
		features, z, err := fit(ctx, t.x, opt, weights, false)
		if err != nil {
			return nil, err
		}
		maps.fitted = append(maps.fitted, fittedMaps{features, z, weights})
	}
	return maps, nil
}

// Maps returns the number of maps.
func (t *trialMaps) Maps() int { return len(t.fitted) }

// Nodes returns the nodes of the rows by map i for a shrink, with the column of ones of an intercept.
func (t *trialMaps) Nodes(ctx context.Context, i int, shrink float64) (*mat.Dense, error) {
	of := t.fitted[i]
	f := of.features.withShrink(shrink)
	m, n := of.z.Dims()
	k := f.Nodes()
	out := newRows(m, k, t.intercept)
	a := out.Slice(0, m, 0, k).(*mat.Dense)
	a.Slice(0, m, 0, n).(*mat.Dense).Copy(of.z)
	if k == n {
		return out, nil
	}
	return out, f.appendEnhanced(ctx, a)
}

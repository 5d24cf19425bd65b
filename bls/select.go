package bls

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"blskernel"
	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// ChoiceRows is the largest number of rows on which Fit chooses settings. Of more, it takes a sample.
const ChoiceRows = choice.MaxRows

const (
	defaultLambda = 1e-2 // the ridge, in units of choice.Unit, if no rows can be held out

	trialNodes  = 400  // limit of enhancement nodes in a coarse search, enough to compare shrinks
	choiceNodes = 2000 // limit of enhancement nodes in a choice by Fit
)

const (
	maxDirect         = 500  // the largest number of columns for which Fit sets Direct
	maxChosenFeatures = 1000 // limit of feature nodes, one per column beyond maxDirect columns
)

// prepare fills in the backends, and the settings that depend only on the shape l×d: EnhancementNodes,
// Groups and Direct. It sets Direct for a table if Fit makes a choice, Steps are set, or the model is
// linear with a ridge. Improved and Original get no ridge by default, since they compute the
// pseudoinverse.
func prepare(s settings, l, d int) settings {
	s.backend = backend.Or(s.backend)
	for _, of := range []*blskernel.Backend{&s.features.Backend, &s.update.Backend} {
		if *of == nil {
			*of = s.backend
		}
	}
	s.features.EnhancementNodes = cmp.Or(s.features.EnhancementNodes, suggestNodes(l, d))
	if s.update.Lambda == 0 && (s.method == blsupdate.Improved || s.method == blsupdate.Original) {
		s.update.Lambda = None
	}
	table := s.features.Scaling == ScaleAuto || s.features.Scaling.ofColumns()
	linear := s.features.EnhancementNodes == None && s.update.Lambda > 0
	if table && s.features.Groups == 0 && d > maxDirect {
		nodes := max(1, cmp.Or(s.features.GroupNodes, DefaultGroupNodes))
		s.features.Groups = (min(d, maxChosenFeatures) + nodes - 1) / nodes
	}
	if table && s.features.Direct == 0 && d <= maxDirect && (s.chooses() || s.features.Steps > 0 || linear) {
		s.features.Direct = 1
	}
	return s
}

// chooses reports whether Shrink or Lambda is left to Fit. If not, Fit chooses nothing else either.
func (s settings) chooses() bool {
	opt := s.features
	return s.update.Lambda == 0 || opt.EnhancementNodes > 0 && !opt.Unscaled && opt.Shrink == 0
}

// chosen is the part of a choice that a model keeps.
type chosen struct {
	Choice
	held    [][]float64 // calibration rows, from candidate.calibration
	factors []float64   // the smearing factors of a model of logarithms
}

// choose completes the prepared settings s by a search on rows of x (l×d) and y (l×c). For
// classification, y begins with the constant target; for regression, labels is nil.
//
// The result depends only on the settings and the rows, never on times, memory, threads or kernels.
//
//	cost: the maps and nodes of at most 4096 rows. For k nodes, about 30 Cholesky factorizations of
//	order at most 500 and 5 of order k; four times as many if l is at most 4096.
func choose(ctx context.Context, s settings, x, y *mat.Dense, labels []int, weights []float64) (settings, chosen, error) {
	scalings := []Scaling{s.features.Scaling}
	if s.features.Scaling == ScaleAuto {
		scalings = []Scaling{ScaleColumns, ScaleRanks}
	}
	s.features.Scaling = scalings[0]
	opt, err := s.features.resolve()
	if err != nil {
		return s, chosen{}, err
	}
	rows, d := x.Dims()
	l := choice.Positive(rows, weights)
	chooses, unit, given := s.chooses(), choice.Unit(weights), s.update.Lambda
	lowest := float64(unit * s.lowestLambda(max(l, s.rows), float64(d), opt))
	if given == None {
		s.update.Lambda = 0
	} else if !(given >= 0) {
		return s, chosen{}, nil // New rejects it
	}
	free := opt.EnhancementNodes > 0 && !opt.Unscaled && s.features.Shrink == 0
	method := blsupdate.Gram
	var by chosen
	if l >= choice.MinRows && (chooses || s.validate || opt.Relevance > 0 || s.log > 0) {
		if !chooses { // Validate must not change the model
			scalings = scalings[:1]
			for _, option := range []*int{&s.features.Relevance, &s.features.Steps, &s.log} {
				*option = orNone(*option)
			}
		}
		t := newTrials(s, x, y, labels, weights)
		shrinks := choice.Shrinks()
		if !free {
			shrinks = []float64{opt.Shrink}
		}
		least := lowest
		if given != 0 { // Score is for a model that learns only these rows
			least = float64(unit * s.lowestLambda(min(l, ChoiceRows), float64(d), opt))
		}
		best, err := t.search(ctx, bounded(opt, choiceNodes), scalings, shrinks, given, least)
		if err != nil {
			return s, chosen{}, err
		}
		if best.Solved() {
			method, s.features.Shrink = best.Method, best.Shrink
			if given == 0 {
				s.update.Lambda = best.Lambda
			}
			of := best.features
			s.features.Scaling, s.features.Relevance, s.features.Steps = of.Scaling, of.Relevance, of.Steps
			s.columns, s.log = best.weights(), best.trials.log
			by.Choice = Choice{Rows: t.folds.Rows(), HeldOut: best.HeldOut, Score: best.Score}
			by.held = best.calibration(labels)
			if s.log > 0 {
				by.factors = best.Factors()
			}
		}
	}
	if by.Rows == 0 && given == 0 {
		s.update.Lambda = max(float64(unit*defaultLambda), lowest)
	}
	lowest = float64(unit * s.lowestLambda(max(l, s.rows), opt.Scaling.meanSquare(x, weights), opt))
	s.method = s.methodFor(method, lowest)
	return s, by, nil
}

// methodFor returns s.method if it is set. Otherwise it returns chosen, or QR if the ridge is below
// lowest, the smallest ridge for which Gram is accurate.
func (s settings) methodFor(chosen blsupdate.Method, lowest float64) blsupdate.Method {
	if s.update.Lambda < lowest {
		chosen = blsupdate.QR
	}
	return cmp.Or(s.method, chosen)
}

// suggestNodes returns a number of enhancement nodes for a table of the given size: two for every three
// rows, but at most 250 per column, and at most as many as cost about 10¹² flops in the output layer.
// The result is from 200 to 2000. More rows support more nodes, until training takes too long.
func suggestNodes(rows, columns int) int {
	const minNodes, maxNodes, flops = 200, choiceNodes, 1e12
	nodes := min(float64(rows)*2/3, float64(columns)*250, math.Sqrt(flops/float64(max(rows, 1))))
	return max(minNodes, min(maxNodes, int(nodes)))
}

// lowestLambda returns the smallest ridge for which the normal equations of l rows of weight 1 are
// accurate: 8 units in the last place, or 128 for RidgeInverse, of 2l max(N+n3, Direct·square), which
// bounds the trace of AᵀA: Z and H are within ±1, and square is the mean squared norm of a row of S,
// from meanSquare. The search takes d for square: a ridge for a large S would damp the other nodes.
func (s settings) lowestLambda(l int, square float64, opt FeatureOptions) float64 {
	units := 0x1p-48
	if s.method == blsupdate.RidgeInverse {
		units = 0x1p-44
	}
	return float64(units * float64(l) * max(float64(opt.Groups*opt.GroupNodes+opt.EnhancementNodes), float64(opt.Direct)*square))
}

// bounded returns o with at most the given number of enhancement nodes and at most 1000 feature nodes.
// With more, the choice of settings would take longer than the fit.
func bounded(o FeatureOptions, enhancement int) FeatureOptions {
	o.EnhancementNodes = min(o.EnhancementNodes, enhancement)
	o.GroupNodes = min(o.GroupNodes, maxChosenFeatures)
	o.Groups = min(o.Groups, maxChosenFeatures/o.GroupNodes)
	return o
}

// trials try settings on the rows of a choice. They are immutable.
type trials struct {
	settings
	folds *choice.Folds
	x     *mat.Dense // m×d
	y     *mat.Dense // m×c; for regression multiplied by factor, and centered if there is an intercept
	unit  float64    // choice.Unit of the weights

	factor float64 // multiplies y; a power of two

	// logs are trials of the logarithms, nil if logarithms are not tried or y already holds them.
	logs *trials

	// targets are the indices of the columns of y, except the constant target and classes without
	// rows: a class that gets its first rows later must not change the choice.
	targets []int
	spreads []float64 // spread of each target if a regression has several; otherwise nil, for ones
}

// newTrials returns trials on the rows of a choice. For classes, y begins with the constant target.
func newTrials(s settings, x, y *mat.Dense, labels []int, weights []float64) *trials {
	l, _ := x.Dims()
	folds := choice.NewFolds(choice.Data{
		Rows: l, Expected: s.rows, Labels: labels, Weights: weights, Balanced: s.classWeight == Balanced, X: x, Y: y,
	})
	t := &trials{settings: s, folds: folds, x: folds.Take(x), y: folds.Take(y), unit: choice.Unit(weights), factor: 1}
	switch {
	case labels != nil:
	case s.log > 0:
		t.y = logarithms(t.y, folds.Weights())
		t.center()
	default:
		_, exp := math.Frexp(maxMagnitude(t.y))
		t.factor = math.Ldexp(1, -max(-1000, min(1000, exp)))
		for i := range t.y.RawMatrix().Data {
			t.y.RawMatrix().Data[i] *= t.factor
		}
		if s.log == 0 && checkPositive(y, weights) == nil && skewed(t.y) {
			s.log = 1
			t.logs = newTrials(s, x, y, labels, weights)
		}
		t.center()
	}
	_, c := t.y.Dims()
	for j := range c {
		if labels == nil || j > 0 && slices.Max(gonum.Col(nil, j, t.y)) > 0 {
			t.targets = append(t.targets, j)
		}
		if labels == nil && c > 1 {
			t.spreads = append(t.spreads, t.spread(j))
		}
	}
	return t
}

// spread returns the sum of squares of target j about its mean, or +Inf if the target is constant.
func (t *trials) spread(j int) (sum float64) {
	values, weights := gonum.Col(nil, j, t.y), t.folds.Weights()
	if slices.Min(values) == slices.Max(values) {
		return math.Inf(1) // the deviations are rounding errors
	}
	y := mat.NewDense(len(values), 1, values)
	for i, v := range deviations(y, columnMeans(y, weights)).RawMatrix().Data {
		sum += float64(floats.Weight(weights, i) * float64(v*v))
	}
	return cmp.Or(sum, 1)
}

func (t *trials) center() {
	if t.intercept {
		t.y = deviations(t.y, columnMeans(t.y, t.folds.Weights()))
	}
}

// A candidate is a result of a search. It holds the maps that were tried, and the weights of their
// columns for each training set.
type candidate struct {
	*choice.Result
	trials   *trials // of the targets or of their logarithms
	maps     trialMaps
	features FeatureOptions
	columns  [][]float64
}

// weights returns the column weights for the model, from the last training set; nil stands for ones.
func (c candidate) weights() []float64 {
	if c.columns == nil {
		return nil
	}
	return c.columns[len(c.columns)-1]
}

// search returns the best candidate among the scalings, the shrinks, the rounds of relevance, the
// steps, and the values of lambda if given is 0. It searches a coarse grid with at most trialNodes
// enhancement nodes, and then the neighboring ridges of the result with all nodes.
func (t *trials) search(ctx context.Context, opt FeatureOptions, scalings []Scaling, shrinks []float64, given, lowest float64) (candidate, error) {
	if err := t.checkMemory(opt); err != nil {
		return candidate{}, err
	}
	opt.Relevance, opt.Steps = 0, 0
	small := bounded(opt, trialNodes)
	s := t.grid(given, lowest)
	near, err := t.scale(ctx, s, small, scalings, shrinks)
	if err != nil {
		return candidate{}, err
	}
	if t.logs != nil {
		logs := t.logs.grid(given, lowest)
		byLogs, err := t.logs.scale(ctx, logs, small, scalings, shrinks)
		if err != nil {
			return candidate{}, err
		}
		if byLogs.Loss < float64(logAdvantage*near.Loss) {
			t, s, near = t.logs, logs, byLogs
		}
	}
	rounds, forced := t.rounds(near.features)
	if near, err = t.rank(ctx, s, shrinks, near, rounds, forced); err != nil {
		return candidate{}, err
	}
	if near.features.Relevance > 0 {
		s.Folds = s.Folds.ForLabels()
	}
	if near, err = t.trySteps(ctx, s, near); err != nil {
		return candidate{}, err
	}
	opt.Scaling, opt.Relevance, opt.Steps = near.features.Scaling, near.features.Relevance, near.features.Steps
	var maps choice.Maps // nil for the maps of near
	if opt.EnhancementNodes > trialNodes {
		if maps, err = t.fit(ctx, opt, near.columns); err != nil {
			return candidate{}, err
		}
	}
	best, err := s.Fine(ctx, maps, near.Result)
	return candidate{Result: best, trials: t, features: opt, columns: near.columns}, err
}

// scale returns the best candidate among the scalings and the shrinks, with the other options of small.
func (t *trials) scale(ctx context.Context, s *choice.Search, small FeatureOptions, scalings []Scaling, shrinks []float64) (candidate, error) {
	var near candidate
	for _, scaling := range scalings {
		small.Scaling = scaling
		maps, err := t.fit(ctx, small, nil)
		if unscalable(err) && near.maps != nil {
			continue
		}
		if err != nil {
			return near, err
		}
		r, err := s.Coarse(ctx, maps, shrinks, near.Result)
		if err != nil {
			return near, err
		}
		if r.Better(near.Result) {
			near = candidate{Result: r, trials: t, maps: maps, features: small}
		}
	}
	return near, nil
}

// trySteps returns near with steps among its enhancement nodes if steps reduce the loss or the options
// require them, and otherwise near itself.
func (t *trials) trySteps(ctx context.Context, s *choice.Search, near candidate) (candidate, error) {
	with, given := near.features, t.features.Steps
	with.Steps = 1
	// Without a ridge, the weights of nearly dependent steps are indeterminate.
	free := s.Given != None && (t.update.Lambda == 0 || t.features.Shrink == 0)
	canStep := with.Direct > 0 && with.Scaling.ofColumns() && with.steps() > 0
	if given == None || given == 0 && !(free && canStep) {
		return near, nil
	}
	maps, err := t.fit(ctx, with, near.columns)
	if unscalable(err) && given == 0 {
		return near, nil
	}
	if err != nil {
		return near, err
	}
	r, err := s.Coarse(ctx, maps, []float64{near.Shrink}, nil)
	if err == nil && (given > 0 || r.Better(near.Result)) {
		near.Result, near.maps, near.features = r, maps, with
	}
	return near, err
}

// rounds returns the number of rounds of relevance to try, and whether it is fixed rather than chosen.
func (t *trials) rounds(opt FeatureOptions) (n int, forced bool) {
	switch {
	case t.features.Relevance != 0:
		return max(0, t.features.Relevance), true
	case opt.Direct == 0 || !opt.Scaling.ofColumns() || t.update.Lambda != 0 && t.features.Shrink != 0:
		return 0, true
	}
	return maxRounds, false
}

func (t *trials) grid(given, lowest float64) *choice.Search {
	return &choice.Search{Folds: t.folds, Y: t.y, Log: t.log > 0, Backend: t.backend, Unit: t.unit, Given: given, Lowest: lowest, QR: t.method == 0}
}

// calibration returns calibration rows for the rows that c holds out, each with the number of the
// sample in place of its weight. It returns nil if the scores cannot be computed, if QR is chosen,
// whose ridge is too small for normal equations, or if the maps do not depend on the labels.
func (c candidate) calibration(labels []int) (out [][]float64) {
	if c.columns == nil || c.Method == blsupdate.QR {
		return nil
	}
	rows, y, scores, leverages, err := c.LeftOut()
	if err != nil {
		return nil
	}
	for i, number := range rows {
		row := []float64{float64(number), math.Sqrt(1 + max(0, leverages[i]))}
		values := scores.RawRowView(i)
		if labels != nil {
			row, values = append(row, float64(labels[number])), values[1:]
		}
		for j, v := range values {
			if labels == nil {
				v = (y.At(i, j) - v) / c.trials.factor
			}
			row = append(row, v)
		}
		out = append(out, row)
	}
	return out
}

// checkMemory returns a *MemoryError unless there is memory for a search with the options: for the
// maps, the nodes with a copy, S if relevance needs a separate S, and the normal equations.
func (t *trials) checkMemory(opt FeatureOptions) error {
	m, d := t.x.Dims()
	_, c := t.y.Dims()
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	k := opt.nodes(d)
	if t.intercept {
		k++
	}
	maps, apart := 1, int64(0)
	if rounds, _ := t.rounds(opt); rounds > 0 {
		maps = t.folds.ForLabels().Trainings()
		apart = memory.Floats(1-opt.Direct, m, d+1)
	}
	need := memory.Sum(memory.Floats(maps+1, m, k), t.folds.Bytes(k, c), apart)
	for range maps {
		need = memory.Sum(need, mapsBytes(d, n, n3))
	}
	const do = "use fewer nodes (for Tune, fewer flops), or avoid the choice: set Shrink and Lambda, and leave Validate, Relevance and LogTargets at zero"
	return memory.Check(need, "bls", do, "choosing settings with %d nodes on %d samples", k, m)
}

// trialMaps are feature maps fitted to the rows of a choice: one, or one for each training set.
type trialMaps []fittedMaps

// fittedMaps are feature maps with the nodes of the rows of a choice, without H.
type fittedMaps struct {
	features  *Features
	z         *mat.Dense // m×N, or m×(N+d) with S
	columns   []float64  // weights of the columns of S, nil for ones
	intercept bool
}

// unscalable reports whether err is a *ScaleError, which other maps might not cause.
func unscalable(err error) bool {
	var e *ScaleError
	return errors.As(err, &e)
}

// fit fits feature maps to the rows of the choice: one for each element of columns, which holds the
// column weights of a training set, or one without weights if columns is nil.
func (t *trials) fit(ctx context.Context, opt FeatureOptions, columns [][]float64) (maps trialMaps, err error) {
	if !opt.Unscaled {
		opt.Shrink = 1
	}
	if columns == nil {
		columns = [][]float64{nil}
	}
	for _, weights := range columns {
		features, z, err := fit(ctx, t.x, opt, weights, false, false)
		if err != nil {
			return nil, moved(err, t.folds.Row)
		}
		maps = append(maps, fittedMaps{features, z, weights, t.intercept})
	}
	return maps, nil
}

// Maps returns the number of maps.
func (m trialMaps) Maps() int { return len(m) }

// Nodes returns the nodes of the rows under map i with the given shrink, followed by a column of ones
// if there is an intercept.
func (m trialMaps) Nodes(ctx context.Context, i int, shrink float64) (*mat.Dense, error) {
	f := m[i].features.withShrink(shrink)
	l, n := m[i].z.Dims()
	k := f.Nodes()
	out := newRows(l, k, m[i].intercept)
	a := out.Slice(0, l, 0, k).(*mat.Dense)
	a.Slice(0, l, 0, n).(*mat.Dense).Copy(m[i].z)
	return out, f.appendEnhanced(ctx, a)
}

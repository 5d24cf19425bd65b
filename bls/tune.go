package bls

import (
	"cmp"
	"context"

	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/linalg/backend"
	"blskernel/mat"
)

// DefaultTuneFlops is the default of TuneOptions.Flops: half a minute to a minute on one core.
const DefaultTuneFlops = 1e12

// TuneOptions bound the search of Tune and hold the weights of its samples.
type TuneOptions struct {
	// Flops bounds the floating-point operations of the search, as Tune estimates them; 0 stands
	// for DefaultTuneFlops. Unlike a time limit, it gives the same result on every machine.
	Flops float64
	// Weights are the weights of the samples, as in FitContext; nil stands for ones.
	Weights []float64
}

// Tune searches more widely than Fit for the settings that are zero. It also tries ScaleSamples (unless
// Relevance or Steps exclude it) and a quarter to four times the enhancement nodes of Fit. As far as
// the flops allow, it tries Shrink and Lambda in smaller steps. It sets the fields to the settings that
// are best on rows held out from at most 4096. It also sets Validate, so that the next Fit measures
// these settings, and returns the Choice of that Fit. It does not fit a model or change nonzero fields.
//
//	shapes: X l×d, labels l, opt.Weights, as in FitContext; at least 8 samples of positive weight.
//	cost: opt.Flops bounds an estimate of the products and factorizations of the normal equations.
//	The first candidate, with the nodes of Fit, is tried whatever it costs. The maps, the nodes and
//	a search with QR are extra.
//	memory: as Fit for each candidate, checked before the trial.
//	errors: as FitContext; *OptionError for a negative or NaN Flops; *ShapeError for fewer samples.
func (c *Classifier) Tune(x *mat.Dense, labels []int, opt TuneOptions) (Choice, error) {
	return c.TuneContext(background, x, labels, opt)
}

// TuneContext is like Tune but stops when ctx is done.
func (c *Classifier) TuneContext(ctx context.Context, x *mat.Dense, labels []int, opt TuneOptions) (Choice, error) {
	s := c.options()
	s, by, err := tune(ctx, s, s.labeled(x, labels, opt.Weights), opt.Flops)
	if err != nil {
		return Choice{}, err
	}
	c.Features, c.Method, c.Update.Lambda, c.Validate = s.features, s.method, s.update.Lambda, true
	return by, nil
}

// Tune is Classifier.Tune with the targets Y (l×c).
func (r *Regressor) Tune(x, y *mat.Dense, opt TuneOptions) (Choice, error) {
	return r.TuneContext(background, x, y, opt)
}

// TuneContext is like Tune but stops when ctx is done.
func (r *Regressor) TuneContext(ctx context.Context, x, y *mat.Dense, opt TuneOptions) (Choice, error) {
	s, by, err := tune(ctx, r.options(), sampleSet{x: x, y: y, weights: opt.Weights}, opt.Flops)
	if err != nil {
		return Choice{}, err
	}
	r.Features, r.Method, r.Update.Lambda, r.Validate = s.features, s.method, s.update.Lambda, true
	r.LogTargets = s.log
	return by, nil
}

// tune returns s with the best settings in place of zeros, and the Choice of a Fit with these settings.
func tune(ctx context.Context, s settings, in sampleSet, flops float64) (settings, Choice, error) {
	y, _, weights, err := in.first(0, 0, s.classWeight)
	if err == nil {
		err = s.check(y, in.weights)
	}
	if err != nil {
		return s, Choice{}, err
	}
	if !(flops >= 0) {
		return s, Choice{}, &OptionError{Op: "bls", Option: "Flops", Value: flops, Want: "a positive number, or 0 for the default"}
	}
	x, labels := in.x, in.labels
	l, d := x.Dims()
	n := choice.Positive(l, weights)
	if n < choice.MinRows {
		return s, Choice{}, &ShapeError{Op: "bls", Matrix: "X", Rows: l, Cols: d, Want: "at least 8 rows of positive weight, so that Tune can hold some out"}
	}
	s.rows = max(n, s.rows)
	s.backend = backend.Or(s.backend)
	scalings := []Scaling{s.features.Scaling}
	if s.features.Scaling == ScaleAuto {
		scalings = []Scaling{ScaleColumns, ScaleRanks}
		if o := s.features; o.Relevance <= 0 && (o.Steps <= 0 || o.Direct > 0) {
			scalings = append(scalings, ScaleSamples)
		}
	}
	usual := prepare(s, s.rows, d)
	usual.features.Scaling = scalings[0]
	features, err := usual.features.resolve()
	if err != nil {
		return s, Choice{}, err
	}
	t := &tuning{trials: newTrials(s, x, y, labels, weights), usual: features, given: usual.update.Lambda,
		l: l, left: cmp.Or(flops, DefaultTuneFlops)}
	counts := []int{s.features.EnhancementNodes}
	if n := usual.features.EnhancementNodes; counts[0] == 0 {
		counts = []int{n, n / 2, n / 4, 2 * n, 4 * n}
	}
	for _, n := range counts {
		for _, scaling := range scalings {
			if t.best.Result != nil && n != counts[0] && scaling != t.best.features.Scaling {
				continue // the first number of nodes has decided the scaling
			}
			with := s
			with.features.Scaling, with.features.EnhancementNodes = scaling, n
			if err := t.try(ctx, prepare(with, s.rows, d).features); err != nil {
				return s, Choice{}, err
			}
		}
	}
	if err := t.refine(ctx); err != nil {
		return s, Choice{}, err
	}
	best := t.best
	if best.Result == nil || !best.Solved() {
		return s, Choice{}, blsupdate.ErrOverflow
	}
	s.features.Scaling, s.features.Shrink = best.features.Scaling, best.Shrink
	s.features.EnhancementNodes = orNone(best.features.EnhancementNodes)
	s.features.Direct, s.features.Relevance = orNone(best.features.Direct), orNone(best.features.Relevance)
	s.log = orNone(best.trials.log)
	s.features.Steps = orNone(best.features.Steps)
	if s.update.Lambda == 0 {
		s.update.Lambda = best.Lambda
		if t.given == None {
			s.update.Lambda = None
		}
	}
	s.method = s.methodFor(best.Method, t.lowest(best.features, best.features.Scaling))
	// The next Fit weights the columns with these settings from the start, which changes the score.
	with := prepare(s, s.rows, d)
	with.validate = true
	_, by, err := choose(ctx, with, x, y, labels, weights)
	return s, by.Choice, err
}

// A tuning is a search by Tune: the trials, the flops that are left, and the best candidate so far.
type tuning struct {
	*trials
	usual FeatureOptions // the options of Fit
	given float64        // Lambda, or 0 to choose it
	l     int            // samples
	left  float64        // flops
	best  candidate
}

// lowest returns the smallest ridge for which Gram is accurate with the usual feature nodes and the
// enhancement nodes of f. scaling says how large S is: see meanSquare.
func (t *tuning) lowest(f FeatureOptions, scaling Scaling) float64 {
	f.Groups, f.GroupNodes = t.usual.Groups, t.usual.GroupNodes // a candidate may have fewer
	return float64(t.unit * t.settings.lowestLambda(t.rows, scaling.meanSquare(t.x, t.folds.Weights()), f))
}

// afford subtracts the flops for trying the given numbers of shrinks and ridges with k nodes from the
// flops left. If too few are left, it subtracts none and returns false, except for the first candidate.
func (t *tuning) afford(k, shrinks, ridges int) bool {
	_, c := t.y.Dims()
	cost := float64(float64(shrinks) * t.folds.Flops(k, c, ridges))
	if cost > t.left && t.best.Result != nil {
		return false
	}
	t.left -= cost
	return true
}

// try searches with the options f, and for Shrink too if f.Shrink is 0, unless too few flops are left.
func (t *tuning) try(ctx context.Context, f FeatureOptions) error {
	opt, err := f.resolve()
	if err != nil {
		return err
	}
	shrinks := []float64{opt.Shrink}
	if f.Shrink == 0 && !f.Unscaled && opt.EnhancementNodes > 0 {
		shrinks = choice.Shrinks()
		if t.best.Result != nil && opt.EnhancementNodes != t.best.features.EnhancementNodes {
			shrinks = choice.Near(shrinks, t.best.Shrink)
		}
	}
	_, d := t.x.Dims()
	_, c := t.y.Dims()
	if !t.afford(opt.nodes(d), len(shrinks), choice.NumRidges) {
		return nil
	}
	s := t.settings
	s.features = f
	if err := checkModelMemory(s, t.l, d, c); err != nil {
		return err
	}
	opt = bounded(opt, maxNodes) // afford bounds the enhancement nodes
	best, err := t.search(ctx, opt, []Scaling{opt.Scaling}, shrinks, t.given, t.lowest(opt, ScaleColumns))
	if err != nil {
		return err
	}
	t.keep(best)
	return nil
}

func (t *tuning) keep(c candidate) {
	if c.Better(t.best.Result) {
		t.best = c
	}
}

// refine tries values of Shrink and lambda between the values that the search has tried.
func (t *tuning) refine(ctx context.Context) error {
	f, best := t.best.features, t.best.Result
	if best == nil || best.Method != blsupdate.Gram {
		return nil
	}
	shrinks := []float64{best.Shrink}
	if t.features.Shrink == 0 && !f.Unscaled && f.EnhancementNodes > 0 {
		shrinks = []float64{best.Shrink, float64(best.Shrink * 0.75), float64(best.Shrink * 1.35)}
	}
	steps := []float64{0.3, 1, 3}
	if t.given != 0 {
		steps = []float64{1}
	}
	_, d := t.x.Dims()
	if !t.afford(f.nodes(d), len(shrinks), len(steps)) {
		return nil
	}
	trials, columns := t.best.trials, t.best.columns
	maps, err := trials.fit(ctx, f, columns)
	if err != nil {
		return err
	}
	grid := trials.grid(t.given, t.lowest(f, ScaleColumns))
	if columns != nil {
		grid.Folds = grid.Folds.ForLabels()
	}
	for _, shrink := range shrinks {
		e, err := grid.Equations(ctx, maps, shrink)
		if err != nil {
			return err
		}
		for _, step := range steps {
			other := t.best
			other.Result = e.At(max(float64(best.Lambda*step), grid.Lowest))
			t.keep(other)
		}
	}
	return nil
}

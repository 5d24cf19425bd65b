package bls

import (
	"cmp"
	"context"
	"math"

	"blskernel/blsupdate"
	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// The settings that Fit chooses from.
var (
	lambdas = []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2}
	shrinks = []float64{0.3, 0.8, 1.5, 3, 6}
)

const (
	defaultLambda = 1e-2 // where no rows can be held out

	coarse      = 2    // the step in lambdas of the first search, which has at most trialNodes enhancement nodes
	trialNodes  = 400  // enough to tell one Shrink from another
	choiceNodes = 2000 // most enhancement nodes that a choice is made with
	qrAdvantage = 0.8  // the loss by QR, relative to that by Gram, from which on QR pays
)

// prepare returns the settings of a model of l rows of d columns with the choices that need no rows:
// those of Scaling and EnhancementNodes, and of no ridge for Improved and Original, which are for the
// pseudoinverse.
func prepare(s settings, l, d int) settings {
	s.features.Scaling = cmp.Or(s.features.Scaling, ScaleColumns)
	s.features.EnhancementNodes = cmp.Or(s.features.EnhancementNodes, suggestNodes(l, d))
	if s.update.Lambda == 0 && (s.method == blsupdate.Improved || s.method == blsupdate.Original) {
		s.update.Lambda = None
	}
	return s
}

// choose returns the prepared settings with the rest of what is left to Fit, and by what it was chosen.
// y begins with the constant target for a classification; labels is nil for a regression.
//
// It depends on the settings and the rows only, never on times, memory, threads or kernels.
//
//	cost: the maps and nodes of at most 4096 rows, and with k nodes about 30 Cholesky factorizations
//	of order at most 500 and 5 of order k, four times as many for up to 4096 rows.
func choose(ctx context.Context, s settings, x, y *mat.Dense, labels []int, weights []float64) (settings, Choice, float64, error) {
	opt, err := s.features.resolve()
	if err != nil {
		return s, Choice{}, 0, err
	}
	l, _ := x.Dims()
	given, lowest := s.update.Lambda, float64(unitOf(weights)*lowestLambda(max(l, s.rows), opt))
	if given == None {
		s.update.Lambda = 0
	} else if !(given >= 0) {
		return s, Choice{}, 0, nil // New refuses it
	}
	free := opt.EnhancementNodes > 0 && !opt.Unscaled && s.features.Shrink == 0
	method := blsupdate.Gram
	var choice Choice
	slope := 0.0
	if l >= fewestRows && (free || given == 0 || s.validate) {
		f := newFolds(s, x, y, labels, weights)
		if err := f.checkMemory(opt); err != nil {
			return s, Choice{}, 0, err
		}
		tries := shrinks
		if !free {
			tries = []float64{opt.Shrink}
		}
		evaluated := lowest
		if given != 0 { // it says what a model of these rows can do
			evaluated = float64(f.unit * lowestLambda(min(l, ChoiceRows), opt))
		}
		best, err := f.search(ctx, opt, tries, given, evaluated)
		if err != nil {
			return s, Choice{}, 0, err
		}
		if !math.IsInf(best.loss, 1) {
			method, s.features.Shrink, s.update.Lambda = best.method, best.features.Shrink, best.lambda
			choice = f.choice(best)
			slope = f.slope(best)
		}
	}
	if choice.Rows == 0 && given == 0 {
		s.update.Lambda = max(float64(unitOf(weights)*defaultLambda), lowest)
	}
	switch {
	case given == None:
		s.update.Lambda = 0
	case given != 0:
		s.update.Lambda = given
	}
	s.method = s.methodFor(method, lowest)
	return s, choice, slope, nil
}

// methodFor returns the method that is given, or else the one that was chosen, but QR for a ridge below
// the lowest for Gram.
func (s settings) methodFor(chosen blsupdate.Method, lowest float64) blsupdate.Method {
	if s.update.Lambda < lowest {
		chosen = blsupdate.QR
	}
	return cmp.Or(s.method, chosen)
}

// suggestNodes returns the number of enhancement nodes for rows of the given number of columns: two for
// three rows, from 200 to 2000, but at most 250 for each column, and no more than some 10¹² flops of
// the output layer allow. More rows teach more nodes, until a row more teaches what the time is not
// worth.
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

// unitOf returns the power of two next to the mean of the weights. A ridge of so many times its size
// does to weighted rows what the ridge does to others.
func unitOf(weights []float64) float64 {
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

// bounded returns the options with at most as many enhancement nodes, and at most 1000 feature nodes:
// with more, a choice would take longer than the model.
func bounded(o FeatureOptions, enhancement int) FeatureOptions {
	const features = 1000
	o.EnhancementNodes = min(o.EnhancementNodes, enhancement)
	o.GroupNodes = min(o.GroupNodes, features)
	o.Groups = min(o.Groups, features/o.GroupNodes)
	return o
}

// search returns the candidate with the smallest loss: over the shrinks, and over lambda if the given
// one is 0. The first search is coarse, and with at most trialNodes enhancement nodes; the second one
// is among the neighbours of its result.
func (f *folds) search(ctx context.Context, opt FeatureOptions, tries []float64, given, lowest float64) (*candidate, error) {
	first := 0 // of the lambdas that are tried
	for first < len(lambdas)-coarse && float64(f.unit*lambdas[first]) < lowest {
		first++
	}
	opt = bounded(opt, f.most)
	small := bounded(opt, trialNodes)
	g, err := f.newGrid(ctx, small)
	if err != nil {
		return nil, err
	}
	var best *candidate
	at := -1 // of lambdas
	try := func(p *path, i int) error {
		lambda := max(given, lowest)
		if given == 0 {
			lambda = float64(f.unit * lambdas[i])
		}
		if c := p.at(lambda); best == nil || c.loss < best.loss {
			best, at = c, i
		}
		return interrupt.Check(ctx)
	}
	for _, shrink := range tries {
		p, err := g.newPath(ctx, shrink)
		if err != nil {
			return nil, err
		}
		for i := len(lambdas) - coarse; i >= first; i -= coarse {
			if err := try(p, i); err != nil {
				return nil, err
			}
			if given != 0 {
				break
			}
		}
	}
	if small != opt {
		if g, err = f.newGrid(ctx, opt); err != nil {
			return nil, err
		}
	}
	p, err := g.newPath(ctx, best.features.Shrink)
	if err != nil {
		return nil, err
	}
	from, to := at, at
	best = nil
	if err := try(p, at); err != nil || given != 0 {
		return best, err
	}
	for {
		switch {
		case to < len(lambdas)-1 && to-at < coarse:
			to++
			err = try(p, to)
		case from > first && at-from < coarse:
			from--
			err = try(p, from)
		default:
			if f.s.method == 0 && at == first {
				return p.byQR(ctx, best)
			}
			return best, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// byQR returns the better candidate by QR with a lambda that is too small for Gram, or c, whose lambda
// is the smallest for that, if none is clearly better on the last fold.
func (p *path) byQR(ctx context.Context, c *candidate) (*candidate, error) {
	last, m := choiceFolds-1, p.ends[choiceFolds]
	_, k := p.a.Dims()
	_, cols := p.y.Dims()
	a, y := p.weighted(0, p.ends[last])
	u, err := blsupdate.NewContext(ctx, blsupdate.QR, a, y, blsupdate.Options{Lambda: c.lambda, Backend: p.s.backend})
	if err != nil {
		return nil, err
	}
	byGram := *c
	p.measure(&byGram, last)
	best, least := c, float64(qrAdvantage*byGram.loss)
	for _, lambda := range []float64{float64(c.lambda * 1e-2), float64(c.lambda * 1e-4)} {
		if err := u.SetLambda(lambda); err != nil {
			return nil, err
		}
		w, err := u.Weights()
		if err != nil {
			continue // the matrix is singular to working precision
		}
		by := &candidate{features: p.opt, method: blsupdate.QR, lambda: lambda, scores: mat.NewDense(m, cols, nil)}
		by.scores.Copy(c.scores)
		from := p.ends[last]
		mat.Mul(p.s.backend, by.scores.Slice(from, m, 0, cols).(*mat.Dense), p.a.Slice(from, m, 0, k).(*mat.Dense), w)
		p.measure(by, last)
		if by.loss < least {
			best, least = by, by.loss
		}
	}
	return best, nil
}

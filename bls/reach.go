package bls

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// FarOutside is the result of Outside above which a sample lies far outside what the model has learned.
const FarOutside = 1.1

const noReach = math.SmallestNonzeroFloat64 // the reach if all samples lie in the middle; 0 means unknown

// Outside returns, for each sample of X (l×d), how far from the middle it lies, relative to the
// farthest sample that the model has learned:
//
//	reach(x) / max_learned reach,  reach² = mean_j (s_j/size_j)²
//
// where the s_j are the scaled columns, and size_j is the root mean square of column j over the first
// training set. With ScaleSamples and ScaleNone, the mean is over (2z-1)² for the feature nodes z,
// whose range over the first training set is [0,1]. For a sample from the same distribution as n
// learned samples, the result is above 1 with probability 1/(n+1). Beyond FarOutside the model
// extrapolates. The result is 0 after WithUpdater, since the samples are unknown.
//
//	cost: the scaling, or 2l(d+1)N flops.
//	errors: as DecisionFunction.
func (m *model) Outside(x *mat.Dense) ([]float64, error) { return m.OutsideContext(background, x) }

// OutsideContext is like Outside but stops when ctx is done.
func (m *model) OutsideContext(ctx context.Context, x *mat.Dense) ([]float64, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	if err := checkSamples(x, m.inputs()); err != nil {
		return nil, err
	}
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	var out []float64
	err := m.features.eachRow(ctx, x, m.sizes != nil, func(row []float64) {
		reach := 0.0
		if m.reach > 0 {
			reach = m.reachOf(row) / m.reach
		}
		out = append(out, reach)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// farthest returns the largest reach of the rows of x of positive weight, or noReach if there are none.
// The rows of a are their nodes.
func (m *model) farthest(ctx context.Context, x, a *mat.Dense, weights []float64) (far float64, err error) {
	f := m.features
	far = noReach
	at := 0
	use := func(row []float64) {
		if floats.Weight(weights, at) > 0 {
			far = max(far, m.reachOf(row))
		}
		at++
	}
	first, end := 0, f.FeatureNodes()
	if m.sizes != nil {
		if f.opt.Direct == 0 { // S is not among the nodes
			err = f.eachRow(ctx, x, true, use)
			return far, err
		}
		first, end = end, end+f.Inputs()
	}
	l, _ := a.Dims()
	for i := range l {
		use(a.RawRowView(i)[first:end])
	}
	return far, nil
}

// reachOf returns the reach of a sample with S in row: the root mean square of S divided by the sizes.
// Without sizes, row has the feature nodes z, and the reach is the root mean square of 2z-1.
func (m *model) reachOf(row []float64) float64 {
	var squares float64
	for j, v := range row {
		if m.sizes != nil {
			v /= m.sizes[j]
		} else {
			v = float64(2*v) - 1
		}
		squares += float64(v * v)
	}
	return min(math.Sqrt(squares/float64(len(row))), math.MaxFloat64)
}

// eachRow calls use with S of each row of x if scaled is true, and otherwise with its feature nodes.
func (f *Features) eachRow(ctx context.Context, x *mat.Dense, scaled bool, use func(row []float64)) error {
	l, d := x.Dims()
	k, used := d+1, d
	if !scaled {
		k, used = f.opt.nodes(d)-f.opt.EnhancementNodes, f.FeatureNodes()
	}
	rows := min(l, panelRows(k))
	work := newNodes(rows, k)
	return interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		z := work.Slice(0, to-from, 0, k).(*mat.Dense)
		if scaled {
			if err := f.standardizeTo(z, x, from, to); err != nil {
				return err
			}
		} else {
			if err := f.project(ctx, z, x.Slice(from, to, 0, d).(*mat.Dense)); err != nil {
				return moved(err, func(row int) int { return from + row })
			}
			applyMinMax(z.Slice(0, to-from, 0, used).(*mat.Dense), f.offset, f.gain)
			if err := f.checkNodes(z); err != nil {
				return moved(err, func(row int) int { return from + row })
			}
		}
		for i := range to - from {
			use(z.RawRowView(i)[:used])
		}
		return nil
	})
}

// sizes returns the root mean square of each column of S over x, or 1 for a column of zeros. It returns
// nil unless columns are scaled one by one. Dividing by the sizes undoes the weights of columns in S,
// which must not affect distances.
func (f *Features) sizes(ctx context.Context, x *mat.Dense) ([]float64, error) {
	if !f.opt.Scaling.ofColumns() {
		return nil, nil
	}
	l, d := x.Dims()
	sizes := make([]float64, d)
	err := f.eachRow(ctx, x, true, func(row []float64) {
		for j, v := range row {
			sizes[j] += float64(v*v) / float64(l)
		}
	})
	for j, v := range sizes {
		if sizes[j] = math.Sqrt(v); !(v > 0 && v <= math.MaxFloat64) {
			sizes[j] = 1
		}
	}
	return sizes, err
}

// moved returns err or, if err is an *OverflowError for row i, a copy for row to(i), such as the row of
// X for a row of a panel. If to(i) is negative, the row is a kept sample: What of the copy then names
// it, and Row is -1.
func moved(err error, to func(row int) int) error {
	if e, ok := err.(*OverflowError); ok && e.Row >= 0 {
		at := *e
		if at.Row = to(e.Row); at.Row < 0 {
			at.What, at.Row = fmt.Sprintf("%s of kept sample %d", e.What, e.Row), -1
		}
		return &at
	}
	return err
}

// Temper makes the probabilities p less certain for samples outside what the model has learned. If
// Outside returns r > 1 for a sample, its row shrinks towards the learned shares of the classes:
//
//	p[j] = t p[j] + (1-t) share[j],  t = r⁻⁶
//
// with a larger t if another class would otherwise become most probable. With ClassWeight Balanced the
// shares of all classes with samples are equal. The power is high because the enhancement nodes are
// steep: for samples a third farther out than all learned ones, scores mean little.
//
//	shapes: p l×c, which is overwritten; outside l.
func (c *Classifier) Temper(p *mat.Dense, outside []float64) {
	shares := make([]float64, c.NumClasses())
	for i, of := range c.orEmpty().counts {
		if shares[i] = of.weight; of.weight > 0 && c.settings.classWeight == Balanced {
			shares[i] = 1
		}
	}
	shareOut(shares)
	for i, r := range outside {
		if !(r > 1) {
			continue
		}
		row, t := p.RawRowView(i), 1/float64(float64(r*r*r)*float64(r*r*r))
		top := ArgMax(p.Slice(i, i+1, 0, len(row)).(*mat.Dense))[0]
		for j, v := range row {
			if lack := shares[j] - shares[top]; lack > 0 {
				t = max(t, lack/(lack+row[top]-v))
			}
		}
		for j := range row {
			row[j] = float64(t*row[j]) + float64((1-t)*shares[j])
		}
		for j := range row { // rounding must not make another class the most probable
			if j != top {
				row[j] = min(row[j], float64(row[top]*(1-0x1p-52)))
			}
		}
	}
}

// TemperScores replaces scores of DecisionFunction, in place, with scores whose softmax, with the slope
// of PredictProba, gives the probabilities after Temper. The new scores order all samples by log odds,
// which the old scores do only if no sample lies outside. Each new row has the mean of the targets,
// 2/c - 1; far outside, the mean of an old row is rounding error.
//
//	shapes: scores l×c; outside l.
func (c *Classifier) TemperScores(scores *mat.Dense, outside []float64) {
	slope := cmp.Or(c.orEmpty().slope, DefaultSlope)
	for i, r := range outside {
		if !(r > 1) {
			continue
		}
		row := scores.RawRowView(i)
		p := mat.NewDense(1, len(row), nil)
		softmax(p.RawRowView(0), row, slope)
		c.Temper(p, outside[i:i+1])
		top := ArgMax(p)[0]
		for j, v := range p.RawRowView(0) {
			row[j] = detmath.Log(max(v, math.SmallestNonzeroFloat64)) / slope
		}
		level := 2/float64(len(row)) - 1 - mean(row)
		for j := range row {
			row[j] += level
		}
		for j := range row { // as in Temper
			if j != top {
				row[j] = min(row[j], math.Nextafter(row[top], math.Inf(-1)))
			}
		}
	}
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

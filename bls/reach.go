package bls

import (
	"context"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// FarReach is the Reach beyond which a sample lies far outside what a model has learned.
const FarReach = 1.25

// Reach returns how far the feature nodes of each sample of X (l×d) are from the middle of their ranges
// over the first training set, in half ranges:
//
//	max_j |2 z_j - 1|
//
// over the nodes that vary there. It is at most 1 for the samples of the fit, but for rounding. A larger
// number says that the model extrapolates.
//
//	cost: 2l(d+1)N flops; errors: those of Transform.
func (f *Features) Reach(x *mat.Dense) ([]float64, error) { return f.ReachContext(background, x) }

// ReachContext is Reach until ctx is done.
func (f *Features) ReachContext(ctx context.Context, x *mat.Dense) ([]float64, error) {
	if f.weights == nil {
		return nil, ErrNotFitted
	}
	if err := checkSamples(x, f.Inputs()); err != nil {
		return nil, err
	}
	l, d := x.Dims()
	k := f.opt.nodes(d) - f.opt.EnhancementNodes
	rows := min(l, panelRows(k))
	out, work := make([]float64, l), newNodes(rows, k)
	err := interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		z := work.Slice(0, to-from, 0, k).(*mat.Dense)
		if err := f.project(ctx, z, x.Slice(from, to, 0, d).(*mat.Dense)); err != nil {
			return moved(err, from)
		}
		for i := from; i < to; i++ {
			for j, v := range z.RawRowView(i - from)[:f.FeatureNodes()] {
				if f.gain[j] != 1 || f.offset[j] != 0 {
					out[i] = max(out[i], math.Abs(2*float64((v-f.offset[j])*f.gain[j])-1))
				}
			}
		}
		return nil
	})
	return out, err
}

// moved returns an error about rows of a panel as one about the rows from from on.
func moved(err error, from int) error {
	if e, ok := err.(*OverflowError); ok && e.Row >= 0 {
		at := *e
		at.Row += from
		return &at
	}
	return err
}

// Temper changes the probabilities of samples that lie far outside what the model has learned, where it
// extrapolates. With the reach r of a sample, if that is beyond FarReach, they shrink towards the shares
// of the classes in the rows learned:
//
//	p[j] = t p[j] + (1-t) share[j],  t = FarReach / r
//
// with a larger t where another class would become the most probable.
//
//	shapes: p l×c; reach l.
func (c *Classifier) Temper(p *mat.Dense, reach []float64) {
	shares := make([]float64, c.NumClasses())
	for i, of := range c.orEmpty().counts {
		shares[i] = of.weight
	}
	shareOut(shares)
	for i, r := range reach {
		if !(r > FarReach) {
			continue
		}
		row, t := p.RawRowView(i), FarReach/r
		top := ArgMax(p.Slice(i, i+1, 0, len(row)).(*mat.Dense))[0]
		for j, v := range row {
			if lack := shares[j] - shares[top]; lack > 0 {
				t = max(t, lack/(lack+row[top]-v))
			}
		}
		for j := range row {
			row[j] = float64(t*row[j]) + float64((1-t)*shares[j])
		}
		for j := range row { // rounding makes no other class the first
			if j != top {
				row[j] = min(row[j], math.Nextafter(row[top], 0))
			}
		}
	}
}

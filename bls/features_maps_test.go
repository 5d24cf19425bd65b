package bls

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// byMaps computes A as the comment of FeatureMaps says.
func byMaps(m FeatureMaps, x *mat.Dense) *mat.Dense {
	l, d := x.Dims()
	h1 := mat.NewDense(l, d+1, nil)
	for i := range l {
		row := x.RawRowView(i)
		switch m.Scaling {
		case ScaleSamples:
			standardizeRow(h1.RawRowView(i)[:d], row)
		case ScaleColumns:
			for j, v := range row {
				h1.Set(i, j, (v-m.Means[j])/m.Deviations[j])
			}
		default:
			copy(h1.RawRowView(i), row)
		}
		h1.Set(i, d, m.Bias)
	}
	z := product(h1, m.FeatureWeights)
	z.Apply(func(_, j int, v float64) float64 { return (v - m.FeatureMinimum[j]) / m.FeatureRange[j] }, z)
	if m.EnhancementWeights == nil {
		return z
	}
	bias := mat.NewDense(l, 1, nil)
	bias.Apply(func(_, _ int, _ float64) float64 { return m.Bias }, bias)
	var h2, a mat.Dense
	h2.Augment(z, bias)
	h := product(&h2, m.EnhancementWeights)
	h.Apply(func(_, _ int, v float64) float64 { return math.Tanh(m.EnhancementScale * v) }, h)
	a.Augment(z, h)
	return &a
}

// Sums in another order differ by (d+1) eps times their terms, which the weights, below 100, and the
// ranges, above 0.01, multiply; the bound has a factor 1e4 for both.
func TestMaps(t *testing.T) {
	const l, d = 60, 7
	x := samples(51, l, d, d)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, opt := range []FeatureOptions{
			{Groups: 2, GroupNodes: 3, EnhancementNodes: 9},
			{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 9, Enhancement: Uniform},
			{Scaling: ScaleNone, Groups: 2, GroupNodes: 3, EnhancementNodes: 9, Unscaled: true},
			{Scaling: ScaleColumns, Groups: 3, GroupNodes: 2},
			{Groups: 1, GroupNodes: 1},
		} {
			opt.Seed, opt.Backend = 3, bk
			f := mustFit(t, x, opt)
			m := f.Maps()
			want := mustTransform(t, f, x)
			if e := maxDiff(t, byMaps(m, x), want); !(e <= 1e4*(d+1)*eps) {
				t.Errorf("%+v: off by %g", opt, e)
			}
			// They are copies.
			m.FeatureWeights.Zero()
			clear(m.FeatureMinimum)
			clear(m.FeatureRange)
			clear(m.Means)
			clear(m.Deviations)
			if m.EnhancementWeights != nil {
				m.EnhancementWeights.Zero()
			}
			if !gonum.Equal(mustTransform(t, f, x), want) {
				t.Errorf("%+v: Maps gave away the numbers themselves", opt)
			}

			resolved := f.Options()
			g := mustFit(t, x, resolved)
			if g.Options() != resolved || !gonum.Equal(mustTransform(t, g, x), want) {
				t.Errorf("%+v: Options returns %+v, which give other maps", opt, resolved)
			}
			if resolved.Groups == 0 || resolved.Backend == nil || resolved.Unscaled != opt.Unscaled || resolved.Scaling != opt.Scaling || resolved.Seed != opt.Seed {
				t.Errorf("%+v: Options returns %+v", opt, resolved)
			}
		}
	})
}

package bls

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

const eps = 0x1p-52

// samples returns an l×d matrix of smooth, correlated numbers in (0,1), like pixels, with the given
// stride >= d and NaN in the gaps between the rows.
func samples(seed uint64, l, d, stride int) *mat.Dense {
	rnd := rand.New(rand.NewPCG(seed, 1))
	const factors = 6
	b := testutil.Random(rnd, factors, d).RawMatrix().Data
	wide := mat.NewDense(l, stride, nil)
	for i := range l {
		row := wide.RawRowView(i)
		for j := range row {
			row[j] = math.NaN()
		}
		clear(row[:d])
		for range factors {
			s := rnd.NormFloat64()
			at := rnd.IntN(factors) * d
			for j := range d {
				row[j] += s * b[at+j]
			}
		}
		for j := range d {
			row[j] = 1 / (1 + math.Exp(-row[j]/3))
		}
	}
	return wide.Slice(0, l, 0, d).(*mat.Dense)
}

// cyclic returns labels 0, 1, ..., classes-1, 0, 1, ... for l samples.
func cyclic(l, classes int) []int {
	labels := make([]int, l)
	for i := range labels {
		labels[i] = i % classes
	}
	return labels
}

func mustFit(t testing.TB, x *mat.Dense, opt FeatureOptions) *Features {
	t.Helper()
	f, err := FitFeatures(x, opt)
	must(t, err)
	return f
}

func mustTransform(t testing.TB, f *Features, x *mat.Dense) *mat.Dense {
	t.Helper()
	a, err := f.Transform(x)
	must(t, err)
	return a
}

var maxDiff = testutil.MaxDiff

func product(a, b gonum.Matrix) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	return &c
}

// plain returns o with the values of the paper for the settings that Fit would otherwise choose.
func plain(o FeatureOptions) FeatureOptions {
	if o.Scaling == ScaleAuto {
		o.Scaling = ScaleSamples
	}
	if o.EnhancementNodes == 0 {
		o.EnhancementNodes = None
	}
	if o.Shrink == 0 && !o.Unscaled {
		o.Shrink = DefaultShrink
	}
	return o
}

func firstColumn(x *mat.Dense) *mat.Dense {
	l, _ := x.Dims()
	return x.Slice(0, l, 0, 1).(*mat.Dense)
}

package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// featureNodes is the number of feature nodes; as many enhancement nodes make up -k.
const featureNodes = bls.DefaultGroups * bls.DefaultGroupNodes

// digits returns n synthetic digits, 784 pixels each, with their labels.
func digits(n int, seed uint64) (x *mat.Dense, labels []int) {
	set := dataset.Digits(n, seed)
	return set.Dense(0, n), set.LabelsInt(0, n)
}

// BenchmarkBls fits and applies the feature maps and a Classifier, with the fastest method, to -l
// samples. PartialFit adds the first number of -q.
func BenchmarkBls(b *testing.B) {
	x, labels := digits(*flagL, 1)
	ax, more := digits(added[0], 2)
	l, d := x.Dims()
	enhancement := max(0, *flagK-featureNodes)
	maps := 2*f3(l, d+1, featureNodes) + 2*f3(l, featureNodes+1, enhancement) // flops
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		opt := bls.FeatureOptions{EnhancementNodes: enhancement, Seed: 1, Backend: bk}
		features := must(bls.FitFeatures(x, opt))
		var c *bls.Classifier
		fit := func() error {
			c = &bls.Classifier{Backend: bk, Features: opt, Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: lambda}, Classes: 10}
			return c.Fit(x, labels)
		}
		check(fit())
		for _, of := range []struct {
			name string
			call
		}{
			{"FitFeatures", call{do: func() error { _, err := bls.FitFeatures(x, opt); return err }}},
			{"Transform", call{flops: maps, do: func() error { _, err := features.Transform(x); return err }}},
			{"Fit", call{do: fit}},
			{"PartialFit", call{reset: func() { check(fit()) }, do: func() error { return c.PartialFit(ax, more) }}},
			{"Predict", call{flops: maps + 2*f3(l, *flagK, 10), do: func() error { _, err := c.Predict(x); return err }}},
		} {
			b.Run("call="+of.name, of.run)
		}
	})
}

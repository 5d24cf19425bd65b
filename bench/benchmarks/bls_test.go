package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// The feature maps and models are of synthetic digits, 784 pixels each, with 100 feature nodes and as
// many enhancement nodes as make up -k, 200 with the default.
const featureNodes = bls.DefaultGroups * bls.DefaultGroupNodes

// digits returns n samples with their labels.
func digits(n int, seed uint64) (x *mat.Dense, labels []int) {
	set := dataset.Digits(n, seed)
	return set.Dense(0, n), set.LabelsInt(0, n)
}

func featureOptions(bk blskernel.Backend) bls.FeatureOptions {
	return bls.FeatureOptions{EnhancementNodes: max(0, *flagK-featureNodes), Seed: 1, Backend: bk}
}

// transformFlops are those of the maps of l samples: 2l(d+1)N + 2l(N+1)n3.
func transformFlops(x *mat.Dense) float64 {
	l, d := x.Dims()
	return 2*f3(l, d+1, featureNodes) + 2*f3(l, featureNodes+1, max(0, *flagK-featureNodes))
}

// learners runs a sub-benchmark for each backend, of -l samples.
func learners(b *testing.B, prepare func(bk blskernel.Backend, x *mat.Dense, labels []int) call) {
	x, labels := digits(*flagL, 1)
	backends(b, func(b *testing.B, bk blskernel.Backend) { prepare(bk, x, labels).run(b) })
}

func BenchmarkBlsFitFeatures(b *testing.B) {
	learners(b, func(bk blskernel.Backend, x *mat.Dense, _ []int) call {
		return call{do: func() error { _, err := bls.FitFeatures(x, featureOptions(bk)); return err }}
	})
}

func BenchmarkFeaturesTransform(b *testing.B) {
	learners(b, func(bk blskernel.Backend, x *mat.Dense, _ []int) call {
		f := must(bls.FitFeatures(x, featureOptions(bk)))
		return call{flops: transformFlops(x), do: func() error { _, err := f.Transform(x); return err }}
	})
}

// newClassifier returns a model by the method that is fastest.
func newClassifier(bk blskernel.Backend) *bls.Classifier {
	return &bls.Classifier{
		Backend: bk, Features: featureOptions(bk), Method: blsupdate.Gram,
		Update: blsupdate.Options{Lambda: lambda}, Classes: 10,
	}
}

func BenchmarkClassifierFit(b *testing.B) {
	learners(b, func(bk blskernel.Backend, x *mat.Dense, labels []int) call {
		return call{do: func() error { return newClassifier(bk).Fit(x, labels) }}
	})
}

func BenchmarkClassifierPartialFit(b *testing.B) {
	ax, more := digits(added[0], 2)
	learners(b, func(bk blskernel.Backend, x *mat.Dense, labels []int) call {
		var c *bls.Classifier
		return call{
			reset: func() {
				c = newClassifier(bk)
				check(c.Fit(x, labels))
			},
			do: func() error { return c.PartialFit(ax, more) },
		}
	})
}

func BenchmarkClassifierPredict(b *testing.B) {
	learners(b, func(bk blskernel.Backend, x *mat.Dense, labels []int) call {
		c := newClassifier(bk)
		check(c.Fit(x, labels))
		flops := transformFlops(x) + 2*f3(*flagL, *flagK, 10)
		return call{flops: flops, do: func() error { _, err := c.Predict(x); return err }}
	})
}

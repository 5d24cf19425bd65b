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

// digits returns as many samples as a model learns first, -l, with their labels and targets.
func digits() (x *mat.Dense, labels []int, y *mat.Dense) {
	set := dataset.Digits(*flagL, 1)
	labels = set.LabelsInt(0, set.Len())
	return set.Dense(0, set.Len()), labels, must(bls.OneHot(labels, set.Classes))
}

// more returns q other ones.
func more(q int) (x *mat.Dense, labels []int, y *mat.Dense) {
	set := dataset.Digits(q, 2)
	labels = set.LabelsInt(0, q)
	return set.Dense(0, q), labels, must(bls.OneHot(labels, 10))
}

func featureOptions(bk blskernel.Backend) bls.FeatureOptions {
	return bls.FeatureOptions{EnhancementNodes: max(0, *flagK-featureNodes), Seed: 1, Backend: bk}
}

// transformFlops are those of the maps of l samples: 2l(d+1)N + 2l(N+1)n3.
func transformFlops(x *mat.Dense) float64 {
	l, d := x.Dims()
	return 2*f3(l, d+1, featureNodes) + 2*f3(l, featureNodes+1, max(0, *flagK-featureNodes))
}

// learners runs a sub-benchmark for each backend.
func learners(b *testing.B, prepare func(bk blskernel.Backend) call) {
	backends(b, func(b *testing.B, bk blskernel.Backend) { prepare(bk).run(b) })
}

func BenchmarkBlsFitFeatures(b *testing.B) {
	x, _, _ := digits()
	learners(b, func(bk blskernel.Backend) call {
		return call{do: func() error { _, err := bls.FitFeatures(x, featureOptions(bk)); return err }}
	})
}

func BenchmarkBlsFitTransformFeatures(b *testing.B) {
	x, _, _ := digits()
	learners(b, func(bk blskernel.Backend) call {
		return call{do: func() error { _, _, err := bls.FitTransformFeatures(x, featureOptions(bk)); return err }}
	})
}

func BenchmarkFeaturesTransform(b *testing.B) {
	x, _, _ := digits()
	learners(b, func(bk blskernel.Backend) call {
		f := must(bls.FitFeatures(x, featureOptions(bk)))
		return call{flops: transformFlops(x), do: func() error { _, err := f.Transform(x); return err }}
	})
}

// classifier is by the method that is fastest.
func classifier(bk blskernel.Backend) *bls.Classifier {
	return &bls.Classifier{
		Backend: bk, Features: featureOptions(bk), Method: blsupdate.Gram,
		Update: blsupdate.Options{Lambda: lambda}, Classes: 10,
	}
}

func BenchmarkClassifierFit(b *testing.B) {
	x, labels, _ := digits()
	learners(b, func(bk blskernel.Backend) call {
		return call{do: func() error { return classifier(bk).Fit(x, labels) }}
	})
}

func BenchmarkClassifierPartialFit(b *testing.B) {
	ax, added, _ := more(added[0])
	learners(b, func(bk blskernel.Backend) call {
		var c *bls.Classifier
		return call{reset: func() { c = fittedClassifier(bk) }, do: func() error { return c.PartialFit(ax, added) }}
	})
}

// regressor approximates the targets of the digits.
func regressor(bk blskernel.Backend) *bls.Regressor {
	return &bls.Regressor{
		Backend: bk, Features: featureOptions(bk), Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: lambda},
	}
}

func fittedClassifier(bk blskernel.Backend) *bls.Classifier {
	x, labels, _ := digits()
	c := classifier(bk)
	check(c.Fit(x, labels))
	return c
}

func fittedRegressor(bk blskernel.Backend) *bls.Regressor {
	x, _, y := digits()
	r := regressor(bk)
	check(r.Fit(x, y))
	return r
}

func BenchmarkRegressorFit(b *testing.B) {
	x, _, y := digits()
	learners(b, func(bk blskernel.Backend) call {
		return call{do: func() error { return regressor(bk).Fit(x, y) }}
	})
}

func BenchmarkRegressorPartialFit(b *testing.B) {
	ax, _, ya := more(added[0])
	learners(b, func(bk blskernel.Backend) call {
		var r *bls.Regressor
		return call{reset: func() { r = fittedRegressor(bk) }, do: func() error { return r.PartialFit(ax, ya) }}
	})
}

// ofFitted times what a model that has learned does with the samples.
func ofFitted[M any](b *testing.B, fit func(bk blskernel.Backend) M, do func(m M, x *mat.Dense, labels []int, y *mat.Dense) error) {
	x, labels, y := digits()
	learners(b, func(bk blskernel.Backend) call {
		m := fit(bk)
		return call{flops: transformFlops(x) + 2*f3(len(labels), *flagK, 10), do: func() error { return do(m, x, labels, y) }}
	})
}

func BenchmarkClassifierPredict(b *testing.B) {
	ofFitted(b, fittedClassifier, func(c *bls.Classifier, x *mat.Dense, _ []int, _ *mat.Dense) error {
		_, err := c.Predict(x)
		return err
	})
}

func BenchmarkClassifierDecisionFunction(b *testing.B) {
	ofFitted(b, fittedClassifier, func(c *bls.Classifier, x *mat.Dense, _ []int, _ *mat.Dense) error {
		_, err := c.DecisionFunction(x)
		return err
	})
}

func BenchmarkClassifierExpand(b *testing.B) {
	ofFitted(b, fittedClassifier, func(c *bls.Classifier, x *mat.Dense, labels []int, _ *mat.Dense) error {
		_, _, err := c.Expand(x, labels)
		return err
	})
}

func BenchmarkClassifierScore(b *testing.B) {
	ofFitted(b, fittedClassifier, func(c *bls.Classifier, x *mat.Dense, labels []int, _ *mat.Dense) error {
		_, err := c.Score(x, labels)
		return err
	})
}

func BenchmarkRegressorPredict(b *testing.B) {
	ofFitted(b, fittedRegressor, func(r *bls.Regressor, x *mat.Dense, _ []int, _ *mat.Dense) error {
		_, err := r.Predict(x)
		return err
	})
}

func BenchmarkRegressorExpand(b *testing.B) {
	ofFitted(b, fittedRegressor, func(r *bls.Regressor, x *mat.Dense, _ []int, y *mat.Dense) error {
		_, _, err := r.Expand(x, y)
		return err
	})
}

func BenchmarkRegressorScore(b *testing.B) {
	ofFitted(b, fittedRegressor, func(r *bls.Regressor, x *mat.Dense, _ []int, y *mat.Dense) error {
		_, err := r.Score(x, y)
		return err
	})
}

// What follows runs on no backend.

func BenchmarkBlsOneHot(b *testing.B) {
	_, labels, _ := digits()
	call{do: func() error { _, err := bls.OneHot(labels, 10); return err }}.run(b)
}

func BenchmarkBlsArgMax(b *testing.B) {
	_, _, y := digits()
	call{bytes: 80 * int64(*flagL), do: func() error { bls.ArgMax(y); return nil }}.run(b)
}

func BenchmarkBlsAccuracy(b *testing.B) {
	_, labels, _ := digits()
	call{bytes: 16 * int64(*flagL), do: func() error { sink = bls.Accuracy(labels, labels); return nil }}.run(b)
}

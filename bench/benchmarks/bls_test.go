package benchmarks

import (
	"io"
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
func digits() (x *mat.Dense, labels []int, y *mat.Dense) { return seeded(*flagL, 1) }

// more returns q other ones.
func more(q int) (x *mat.Dense, labels []int, y *mat.Dense) { return seeded(q, 2) }

func seeded(n int, seed uint64) (x *mat.Dense, labels []int, y *mat.Dense) {
	set := dataset.Digits(n, seed)
	labels = set.LabelsInt(0, n)
	return set.Dense(0, n), labels, must(bls.OneHot(labels, set.Classes))
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

// A learner is a Classifier, of which targets are labels, or a Regressor, of which they are a matrix.
type learner[Y any] interface {
	Encode(w io.Writer) error
	Expand(x *mat.Dense, y Y) (a, ya *mat.Dense, err error)
	Fit(x *mat.Dense, y Y) error
	PartialFit(x *mat.Dense, y Y) error
	Predict(x *mat.Dense) (Y, error)
	Score(x *mat.Dense, y Y) (float64, error)
}

// A subject is a learner with the targets that it takes of the digits.
type subject[Y any, L learner[Y]] struct {
	create  func(bk blskernel.Backend) L
	targets func(labels []int, y *mat.Dense) Y
}

// Both are by the method that is fastest.
var (
	classifier = subject[[]int, *bls.Classifier]{
		func(bk blskernel.Backend) *bls.Classifier {
			return &bls.Classifier{
				Backend: bk, Features: featureOptions(bk), Method: blsupdate.Gram,
				Update: blsupdate.Options{Lambda: lambda}, Classes: 10,
			}
		},
		func(labels []int, _ *mat.Dense) []int { return labels },
	}
	regressor = subject[*mat.Dense, *bls.Regressor]{
		func(bk blskernel.Backend) *bls.Regressor {
			return &bls.Regressor{
				Backend: bk, Features: featureOptions(bk), Method: blsupdate.Gram,
				Update: blsupdate.Options{Lambda: lambda},
			}
		},
		func(_ []int, y *mat.Dense) *mat.Dense { return y },
	}
)

// samples returns what the learner learns first.
func (s subject[Y, L]) samples() (*mat.Dense, Y) {
	x, labels, y := digits()
	return x, s.targets(labels, y)
}

// fitted returns a learner that has learned them.
func (s subject[Y, L]) fitted(bk blskernel.Backend) L {
	l := s.create(bk)
	check(l.Fit(s.samples()))
	return l
}

func BenchmarkClassifierFit(b *testing.B) { fit(b, classifier) }
func BenchmarkRegressorFit(b *testing.B)  { fit(b, regressor) }

func fit[Y any, L learner[Y]](b *testing.B, s subject[Y, L]) {
	x, y := s.samples()
	learners(b, func(bk blskernel.Backend) call {
		return call{do: func() error { return s.create(bk).Fit(x, y) }}
	})
}

func BenchmarkClassifierPartialFit(b *testing.B) { partialFit(b, classifier) }
func BenchmarkRegressorPartialFit(b *testing.B)  { partialFit(b, regressor) }

func partialFit[Y any, L learner[Y]](b *testing.B, s subject[Y, L]) {
	ax, labels, ya := more(added[0])
	targets := s.targets(labels, ya)
	learners(b, func(bk blskernel.Backend) call {
		var l L
		return call{
			reset: func() { l = s.fitted(bk) },
			do:    func() error { return l.PartialFit(ax, targets) },
		}
	})
}

// ofFitted times what a model that has learned does with the samples.
func ofFitted[Y any, L learner[Y]](b *testing.B, s subject[Y, L], do func(l L, x *mat.Dense, y Y) error) {
	x, y := s.samples()
	flops := transformFlops(x) + 2*f3(*flagL, *flagK, 10)
	learners(b, func(bk blskernel.Backend) call {
		l := s.fitted(bk)
		return call{flops: flops, do: func() error { return do(l, x, y) }}
	})
}

func BenchmarkClassifierDecisionFunction(b *testing.B) {
	ofFitted(b, classifier, func(c *bls.Classifier, x *mat.Dense, _ []int) error {
		_, err := c.DecisionFunction(x)
		return err
	})
}

func BenchmarkClassifierPredict(b *testing.B) { predict(b, classifier) }
func BenchmarkRegressorPredict(b *testing.B)  { predict(b, regressor) }

func predict[Y any, L learner[Y]](b *testing.B, s subject[Y, L]) {
	ofFitted(b, s, func(l L, x *mat.Dense, _ Y) error { _, err := l.Predict(x); return err })
}

func BenchmarkClassifierExpand(b *testing.B) { expand(b, classifier) }
func BenchmarkRegressorExpand(b *testing.B)  { expand(b, regressor) }

func expand[Y any, L learner[Y]](b *testing.B, s subject[Y, L]) {
	ofFitted(b, s, func(l L, x *mat.Dense, y Y) error { _, _, err := l.Expand(x, y); return err })
}

func BenchmarkClassifierScore(b *testing.B) { score(b, classifier) }
func BenchmarkRegressorScore(b *testing.B)  { score(b, regressor) }

func score[Y any, L learner[Y]](b *testing.B, s subject[Y, L]) {
	ofFitted(b, s, func(l L, x *mat.Dense, y Y) error { _, err := l.Score(x, y); return err })
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

package bls

import (
	"math"
	"slices"
	"sync"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

var must = testutil.NoError

// predicted returns what m predicts for x.
func predicted[P any](t testing.TB, m interface{ Predict(*mat.Dense) (P, error) }, x *mat.Dense) P {
	t.Helper()
	p, err := m.Predict(x)
	must(t, err)
	return p
}

// scoresOf returns the scores of c for x.
func scoresOf(t testing.TB, c *Classifier, x *mat.Dense) *mat.Dense {
	t.Helper()
	scores, err := c.DecisionFunction(x)
	must(t, err)
	return scores
}

// weightsOf returns the weights of a model or of an output layer.
func weightsOf(t testing.TB, m interface{ Weights() (*mat.Dense, error) }) *mat.Dense {
	t.Helper()
	w, err := m.Weights()
	must(t, err)
	return w
}

// rowsOf returns rows from to to of m, without a copy.
func rowsOf(m *mat.Dense, from, to int) *mat.Dense {
	_, c := m.Dims()
	return m.Slice(from, to, 0, c).(*mat.Dense)
}

// batches are the rows at which the batches of these tests begin and end: with k = 16 or 17, one that
// starts the model, q = 1, q < k and q > 1.29 k.
var batches = []int{0, 60, 61, 68, 130}

// targetsFor returns l×c targets that depend on x smoothly, with something added that no model
// explains.
func targetsFor(x *mat.Dense, c int) *mat.Dense {
	l, _ := x.Dims()
	y := mat.NewDense(l, c, nil)
	for i := range l {
		row := x.RawRowView(i)
		for j := range c {
			y.Set(i, j, float64(3*j)+math.Sin(5*row[j])*row[j+1]+0.1*math.Sin(float64(1000*i+j)))
		}
	}
	return y
}

// withOnes returns [A, 1], or a itself where no ones are wanted.
func withOnes(a *mat.Dense, wanted bool) *mat.Dense {
	if !wanted {
		return a
	}
	l, _ := a.Dims()
	ones := mat.NewDense(l, 1, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	var out mat.Dense
	out.Augment(a, ones)
	return &out
}

// Scores over panels are A W for all rows at once; with 3 features and some nodes a panel has 4096
// rows. The rows of A and the inner products with W may differ in the order of their sums.
func TestScoresInPanels(t *testing.T) {
	const l, d = 2*4096 + 5, 3
	x := samples(22, l, d, d+1)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		re := &Regressor{Backend: bk, Features: plain(FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: 3, Seed: 1}), Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
		must(t, re.Fit(rowsOf(x, 0, 100), targetsFor(rowsOf(x, 0, 100), 2)))
		got := predicted(t, re, x)
		m := re.model
		a := withOnes(mustTransform(t, m.features, x), true)
		w, err := m.currentWeights()
		must(t, err)
		want := product(a, w)
		for i := range l {
			for j, v := range m.center {
				want.Set(i, j, want.At(i, j)+v)
			}
		}
		tol := 100 * eps * (1 + gonum.Norm(w, 1)) * max(1, gonum.Max(a), -gonum.Min(a))
		if e := maxDiff(t, got, want); !(e <= tol) {
			t.Errorf("off by %g, more than %g", e, tol)
		}
	})
}

// A tally is a backend that counts its Dgemm calls.
type tally struct {
	blskernel.Backend
	mu    sync.Mutex
	calls int
}

func (b *tally) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, bb []float64, ldb int, beta float64, c []float64, ldc int) {
	b.mu.Lock()
	b.calls++
	b.mu.Unlock()
	b.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
}

func TestOneBackendForAll(t *testing.T) {
	x, y := samples(23, 40, 6, 6), targetsFor(samples(23, 40, 6, 6), 1)
	pure, err := blskernel.Lookup("pure")
	must(t, err)
	calls := func(features, update bool) []int {
		all := []*tally{{Backend: pure}, {Backend: pure}, {Backend: pure}}
		re := &Regressor{Backend: all[0], Features: plain(FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: 3}), Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
		if features {
			re.Features.Backend = all[1]
		}
		if update {
			re.Update.Backend = all[2]
		}
		must(t, re.Fit(x, y))
		must(t, re.PartialFit(x, y))
		predicted(t, re, x)
		return []int{all[0].calls, all[1].calls, all[2].calls}
	}
	one, split := calls(false, false), calls(true, true)
	if one[0] == 0 || one[1] != 0 || one[2] != 0 {
		t.Errorf("one backend: calls %v", one)
	}
	// What is left to the first one is the product of Predict.
	if split[0] != 1 || split[1] == 0 || split[2] == 0 || split[0]+split[1]+split[2] != one[0] {
		t.Errorf("three backends: calls %v of %v", split, one)
	}
}

// TestHostileFewSamples starts from one sample, from two, and from samples of one input: what is
// learned is predicted, and all is finite.
func TestHostileFewSamples(t *testing.T) {
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		for _, size := range [][2]int{{1, 1}, {1, 6}, {2, 1}, {2, 6}, {9, 1}} {
			l, d := size[0], size[1]
			x := samples(54, l, d, d)
			y := mat.NewDense(l, 2, nil)
			labels := make([]int, l)
			for i := range l {
				labels[i] = (i + 1) % 2
				y.SetRow(i, []float64{float64(i) - 3, 1e-3})
			}
			c, r := small(bk, m, s, ridgeFor(m))
			c.Classes = 2
			must(t, c.Fit(x, labels))
			must(t, r.Fit(x, y))
			classes := predicted(t, c, x)
			p := predicted(t, r, x)
			if firstNotFinite(p) >= 0 {
				t.Fatalf("l=%d d=%d: predictions are not finite", l, d)
			}
			// One sample determines its own prediction, but for the ridge; so do two that
			// are told apart.
			if l == 1 || l == 2 && (d > 1 || s != ScaleSamples) {
				if !slices.Equal(classes, labels) {
					t.Errorf("l=%d d=%d: predicted %v, want %v", l, d, classes, labels)
				}
				if diff := maxDiff(t, p, y); !(diff <= 1e-3) {
					t.Errorf("l=%d d=%d: predictions are off by %g", l, d, diff)
				}
			}
			// With ScaleSamples one input is no information: all samples are the same, with
			// the mean for a target.
			if d == 1 && s == ScaleSamples {
				for j, mean := range columnMeans(y, nil) {
					for i := range l {
						if !(math.Abs(p.At(i, j)-mean) <= 1e-4) {
							t.Errorf("l=%d: prediction %v, want the mean %v", l, p.At(i, j), mean)
						}
					}
				}
			}
			must(t, c.PartialFit(x, labels))
			must(t, r.PartialFit(x, y))
		}
	})
}

// TestHostileSamples has samples of zeros, the same sample many times, constant inputs and inputs that
// are there twice. Samples that are the same have the mean of their targets for a prediction, and most
// votes for a class.
func TestHostileSamples(t *testing.T) {
	const l, d = 30, 4
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		same := mat.NewDense(l, d, nil)
		for i := range l {
			same.SetRow(i, []float64{0.3, -2, 0.1, 7})
		}
		labels, y := make([]int, l), mat.NewDense(l, 1, nil)
		for i := range l {
			if i%3 == 0 {
				labels[i] = 1
			}
			y.Set(i, 0, float64(i))
		}
		for name, x := range map[string]*mat.Dense{"zeros": mat.NewDense(l, d, nil), "the same": same} {
			c, r := small(bk, m, s, ridgeFor(m))
			must(t, c.Fit(rowsOf(x, 0, 21), labels[:21]))
			must(t, c.PartialFit(rowsOf(x, 21, l), labels[21:]))
			got := predicted(t, c, x)
			if !slices.Equal(got, constantly(l, 0)) {
				t.Errorf("%s: %v, want the class of two thirds of the samples", name, got)
			}
			must(t, r.Fit(rowsOf(x, 0, 21), rowsOf(y, 0, 21)))
			must(t, r.PartialFit(rowsOf(x, 21, l), rowsOf(y, 21, l)))
			p := predicted(t, r, x)
			for i := range l {
				if !(math.Abs(p.At(i, 0)-float64(l-1)/2) <= 1e-4) {
					t.Errorf("%s: prediction %v, want the mean %v", name, p.At(i, 0), float64(l-1)/2)
					break
				}
			}
		}

		// Constant inputs and copies of inputs: finite, and with ScaleColumns constants make no
		// difference.
		x := samples(55, l, d, d)
		wide := mat.NewDense(l, 2*d+2, nil)
		for i := range l {
			row := wide.RawRowView(i)
			copy(row, x.RawRowView(i))
			copy(row[d:], x.RawRowView(i))
			row[2*d+1] = 1e6
		}
		_, r := small(bk, m, s, ridgeFor(m))
		must(t, r.Fit(wide, y))
		p := predicted(t, r, wide)
		if firstNotFinite(p) >= 0 {
			t.Error("constant inputs: predictions are not finite")
		}
	})
}

package bls

import (
	"math"
	"slices"
	"sync/atomic"
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

// pureWithoutRace skips t, which measures what models learn, on backends other than pure and under the
// race detector. TestTune runs the goroutines of a choice under it.
func pureWithoutRace(t *testing.T) {
	t.Helper()
	testutil.NeedsBackend(t, "pure")
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
}

func predicted[P any](t testing.TB, m interface{ Predict(*mat.Dense) (P, error) }, x *mat.Dense) P {
	t.Helper()
	p, err := m.Predict(x)
	must(t, err)
	return p
}

func scoresOf(t testing.TB, c *Classifier, x *mat.Dense) *mat.Dense {
	t.Helper()
	scores, err := c.DecisionFunction(x)
	must(t, err)
	return scores
}

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

// batches are the rows at which the batches of these tests begin and end: with k = 16 or 17, a batch
// that starts the model, then q = 1, q < k and q > 1.29 k.
var batches = []int{0, 60, 61, 68, 130}

// targetsFor returns l×c targets that depend smoothly on x, plus something that no model explains.
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

// withOnes returns [A, 1], or a itself if no ones are needed.
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

// Scores computed in panels are A W for all rows at once; with 3 features and few nodes a panel has
// 4096 rows. The rows of A and the inner products with W may differ in the order of their sums.
func TestScoresInPanels(t *testing.T) {
	const l, d = 2*4096 + 5, 3
	x := samples(22, l, d, d+1)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		re := &Regressor{Backend: bk, Features: plain(FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: 3, Seed: 1}), Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
		must(t, re.Fit(rowsOf(x, 0, 100), targetsFor(rowsOf(x, 0, 100), 2)))
		got := predicted(t, re, x)
		m := re.model
		a := withOnes(mustTransform(t, m.features, x), true)
		w, err := m.currentWeights(background)
		must(t, err)
		want := product(a, w)
		for i := range l {
			for j, v := range m.center {
				want.Set(i, j, want.At(i, j)+v)
			}
		}
		tol := 100 * eps * (1 + gonum.Norm(w, 1)) * max(1, gonum.Max(a), -gonum.Min(a))
		if e := maxDiff(got, want); !(e <= tol) {
			t.Errorf("off by %g, more than %g", e, tol)
		}
	})
}

// A tally is a backend that counts its Dgemm calls.
type tally struct {
	blskernel.Backend
	calls atomic.Int64
}

func (b *tally) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, bb []float64, ldb int, beta float64, c []float64, ldc int) {
	b.calls.Add(1)
	b.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
}

// The backend of a model stands for the backends of its parts, unless they have their own. Then only
// the product of Predict uses it.
func TestOneBackendForAll(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	must(t, err)
	var sum int64
	for _, split := range []bool{false, true} {
		all, features, update := tally{Backend: pure}, tally{Backend: pure}, tally{Backend: pure}
		p := newPair(t, &all, blsupdate.Improved)
		if split {
			p.r.Features.Backend, p.r.Update.Backend = &features, &update
		}
		must(t, p.r.Fit(p.x, p.y))
		must(t, p.r.PartialFit(p.x, p.y))
		predicted(t, p.r, p.x)
		one, two, three := all.calls.Load(), features.calls.Load(), update.calls.Load()
		if !split {
			sum = one
		}
		if one+two+three != sum || one == 0 || split && one != 1 || split != (two > 0) || split != (three > 0) {
			t.Errorf("%d, %d and %d calls of %d", one, two, three, sum)
		}
	}
}

// TestHostileSamples learns uninformative samples in two batches, by every method with every scaling:
// one or two, all equal, of one input or of one class. Up to the ridge, predictions are what the
// samples determine: the target of one sample, or of two that differ; the mean target of equal samples
// and their most frequent class; the only class, whether or not it is the first.
func TestHostileSamples(t *testing.T) {
	const l, d = 30, 4
	wide := mat.NewDense(l, 2*d+2, nil)
	for i := range l {
		row := wide.RawRowView(i)
		copy(row, samples(55, l, d, d).RawRowView(i))
		copy(row[d:], row[:d])
		row[2*d+1] = 1e6
	}
	same := mat.NewDense(l, d, nil)
	same.Apply(func(_, j int, _ float64) float64 { return []float64{0.3, -2, 0.1, 7}[j] }, same)
	thirds := make([]int, l)
	for i := 0; i < l; i += 3 {
		thirds[i] = 1
	}
	eachMethod(t, func(t *testing.T, bk blskernel.Backend, m blsupdate.Method, s Scaling) {
		few := func(l, d int) *mat.Dense { return samples(54, l, d, d) }
		apart := s != ScaleSamples // samples of one input are: they are all the same otherwise
		for _, test := range []struct {
			name   string
			x      *mat.Dense
			labels []int
			class  int  // that all have, -1 for their labels
			itself bool // has its own target
			mean   bool // of the targets is predicted
		}{
			{"one sample of one input", few(1, 1), []int{1}, 1, true, true},
			{"one sample", few(1, 6), []int{1}, 1, true, true},
			{"two samples of one input", few(2, 1), []int{1, 0}, -1, apart, !apart},
			{"two samples", few(2, 6), []int{1, 0}, -1, true, false},
			{"one input", few(9, 1), thirds[:9], -1, false, !apart},
			{"zeros", mat.NewDense(l, d, nil), thirds, 0, false, true},
			{"the same", same, thirds, 0, false, true},
			{"the first class alone", few(l, d), constantly(l, 0), 0, false, false},
			{"class 3 alone", few(l, d), constantly(l, 3), 3, false, false},
			{"constant inputs and copies", wide, thirds, -1, false, false},
		} {
			rows, _ := test.x.Dims()
			y := mat.NewDense(rows, 2, nil)
			y.Apply(func(i, j int, _ float64) float64 { return float64(j) + float64(i*(1-j)) }, y)
			c, r := small(bk, m, s, ridgeFor(m))
			for _, part := range [][2]int{{0, max(1, rows*2/3)}, {max(1, rows*2/3), rows}} {
				from, to := part[0], part[1]
				if rows <= 2 { // all at once, and then once more
					from, to = 0, rows
				}
				must(t, c.PartialFit(rowsOf(test.x, from, to), test.labels[from:to]))
				must(t, r.PartialFit(rowsOf(test.x, from, to), rowsOf(y, from, to)))
			}
			classes, p := predicted(t, c, test.x), predicted(t, r, test.x)
			if firstNotFinite(p) >= 0 {
				t.Fatalf("%s: predictions are not finite", test.name)
			}
			if test.itself && !slices.Equal(classes, test.labels) || test.class >= 0 && !slices.Equal(classes, constantly(rows, test.class)) {
				t.Errorf("%s: predicted %v of %v", test.name, classes, test.labels)
			}
			if test.class == 3 && !slices.Equal(predicted(t, c, samples(53, 200, d, d)), constantly(200, 3)) {
				t.Errorf("%s: others have another class", test.name)
			}
			for i := range rows {
				want, tol := y.RawRowView(i), 1e-3
				if test.mean {
					want, tol = columnMeans(y, nil), 1e-4
				}
				if e := math.Hypot(p.At(i, 0)-want[0], p.At(i, 1)-want[1]); (test.itself || test.mean) && !(e <= tol) {
					t.Errorf("%s: prediction %v, want %v", test.name, p.RawRowView(i), want)
				}
			}
		}
	})
}

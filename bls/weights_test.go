package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/bls/metrics"
	"blskernel/blsupdate"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// A sample of weight n counts as n samples, a sample of weight 0 as none, and weights of one change
// nothing. Remove with the same weights unlearns them.
func TestWeightsAreRepetitions(t *testing.T) {
	ctx := context.Background()
	for _, method := range allMethods {
		p, q := newPair(t, nil, method), newPair(t, nil, method)
		p.labels, q.labels = cyclic(130, 3), cyclic(130, 3)
		p.learn(0, 60)
		q.learn(0, 60)
		c, r, in := p.c, p.r, p.given(60, 100)
		off := func(from *pair) float64 {
			return max(maxDiff(weightsOf(t, c), weightsOf(t, from.c)), maxDiff(weightsOf(t, r), weightsOf(t, from.r)))
		}
		was := p.decoded()
		in.weights = make([]float64, 40)
		for i := range in.weights {
			in.weights[i] = float64(i % 4)
			for range i % 4 {
				q.learn(60+i, 61+i)
			}
		}
		kept, keptY := gonum.DenseCopyOf(in.x), gonum.DenseCopyOf(in.y)
		must(t, c.PartialFitContext(ctx, in.x, in.labels, in.weights))
		must(t, r.PartialFitContext(ctx, in.x, in.y, in.weights))
		if e := off(q); !(e <= 1e-8) {
			t.Errorf("%v: W is off by %g from that of repeated samples", method, e)
		}
		must(t, c.RemoveContext(ctx, in.x, in.labels, in.weights))
		must(t, r.RemoveContext(ctx, in.x, in.y, in.weights))
		if e := off(was); !(e <= 1e-8) {
			t.Errorf("%v: W is off by %g after a removal", method, e)
		}
		must(t, c.Forget(0.25))
		if !slices.Equal(c.ClassCounts(), []float64{20, 20, 20}) || !slices.Equal(c.counts, slices.Repeat([]count{{20, 5}}, 3)) {
			t.Errorf("%v: counts %v", method, c.counts)
		}
		must(t, c.Relabel([]int{1, 1, 0}, 3))
		if other := *c; blsupdate.Supports(method, blsupdate.ActionMerge) {
			must(t, other.RefitContext(ctx, in.x, in.labels, in.weights)) // 60 in all
			must(t, c.Merge(&other))
			if want := []count{{20 + 14, 5 + 21}, {40 + 13, 10 + 19}, {13, 20}}; !slices.Equal(c.counts, want) {
				t.Errorf("%v: counts %v after Merge, want %v", method, c.counts, want)
			}
		}
		if !gonum.Equal(in.x, kept) || !gonum.Equal(in.y, keptY) {
			t.Errorf("%v: samples or targets were changed", method)
		}
		// nil stands for ones, to the bit.
		ones := slices.Repeat([]float64{1}, 130)
		must(t, errors.Join(p.c.FitContext(ctx, p.x, p.labels, ones), p.r.FitContext(ctx, p.x, p.y, ones)))
		must(t, errors.Join(q.c.FitContext(ctx, p.x, p.labels, nil), q.r.FitContext(ctx, p.x, p.y, nil)))
		if !bytes.Equal(p.encoded(), q.encoded()) {
			t.Errorf("%v: weights of 1 are something", method)
		}
	}
}

// The means of a Regressor and of its score are weighted, so a sample of weight 0 does not move them,
// not even the first one. The sum of the weights of a score may overflow.
func TestWeightedCenter(t *testing.T) {
	x := samples(12, 60, 5, 5)
	y, weights := mat.NewDense(60, 1, nil), slices.Repeat([]float64{1}, 60)
	y.Apply(func(i, _ int, _ float64) float64 { return float64(i) }, y)
	y.Set(0, 0, 1e20)
	y.Set(59, 0, 1e9)
	weights[0], weights[59] = 0, 0
	r := &Regressor{Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1}}
	must(t, r.FitContext(context.Background(), x, y, weights))
	if got := r.Center(); !(math.Abs(got[0]-29.5) <= 1e-12) {
		t.Errorf("the mean is %v, want 29.5", got)
	}
	want, _ := r.Score(rowsOf(x, 1, 59), rowsOf(y, 1, 59))
	for _, w := range []float64{1, 1e307} {
		copy(weights[1:], slices.Repeat([]float64{w}, 58))
		if got, err := r.ScoreContext(context.Background(), x, y, weights); err != nil || !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("with weights of %g, R² is %v, want %v: %v", w, got, want, err)
		}
	}
}

// Balanced acts as the weights n/(c n_j), from the counts so far including the rows being learned.
func TestBalanced(t *testing.T) {
	ctx := context.Background()
	x := samples(31, 130, 12, 14)
	labels, sample := make([]int, 100), make([]float64, 100)
	for i := range labels { // class 1 is rare, and class 2 comes late
		sample[i] = 0.5 + float64(i%3)
		if i%10 == 3 {
			labels[i] = 1
		} else if i >= 60 && i%10 == 4 {
			labels[i] = 2
		}
	}
	for _, method := range allMethods {
		for _, own := range [][]float64{nil, sample} {
			p := newPair(t, nil, method)
			c, got := p.c, *p.c
			got.ClassWeight = Balanced
			var counts [3]float64
			at := 0
			for _, to := range []int{60, 80, 100} {
				weights := make([]float64, to-at)
				var seen, n float64
				for i := at; i < to; i++ {
					counts[labels[i]] += floats.Weight(own, i)
				}
				for _, v := range counts {
					if n += v; v > 0 {
						seen++
					}
				}
				for i := range weights {
					weights[i] = floats.Weight(own, at+i) * (n / (seen * counts[labels[at+i]]))
				}
				var part []float64
				if own != nil {
					part = own[at:to]
				}
				learn := (*Classifier).PartialFitContext
				if at == 0 { // the maps are fixed
					learn = (*Classifier).FitContext
				}
				must(t, learn(&got, ctx, rowsOf(x, at, to), labels[at:to], part))
				must(t, learn(c, ctx, rowsOf(x, at, to), labels[at:to], weights))
				if !gonum.Equal(weightsOf(t, &got), weightsOf(t, c)) {
					t.Errorf("%v: other weights than by the same factors, rows %d to %d", method, at, to)
				}
				at = to
			}
			var option *OptionError
			if err := got.RemoveContext(ctx, rowsOf(x, 0, 100), labels, own); !errors.As(err, &option) {
				t.Errorf("%v: Remove from a balanced model: %v", method, err)
			}
			if again := decodedAgain(t, &got); again.ClassWeight != Balanced || !slices.Equal(again.ClassCounts(), got.ClassCounts()) {
				t.Errorf("%v: decoded as %v, %v", method, again.ClassWeight, again.ClassCounts())
			}
			// Counts are not known of an output layer from elsewhere.
			u, err := got.Updater().Clone()
			must(t, err)
			foreign, err := got.WithUpdater(u)
			must(t, err)
			if err := foreign.PartialFit(x, cyclic(130, 3)); !errors.As(err, &option) || foreign.ClassCounts() != nil {
				t.Errorf("%v: Balanced without counts: %v", method, err)
			}
		}
	}
}

// Weights of any size give a model that predicts, or a typed error, and never a panic. This holds for
// settings that Fit chooses, and for samples of one class.
func TestWeightsOfAnySize(t *testing.T) {
	pureWithoutRace(t)
	ctx := context.Background()
	x := samples(15, 60, 6, 6)
	y := targetsFor(x, 2)
	features := FeatureOptions{Groups: 1, GroupNodes: 5, EnhancementNodes: 10}
	for _, size := range []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-150, 1e150, 1e300, math.MaxFloat64} {
		for _, every := range []int{1, 2, 60} {
			weights := slices.Repeat([]float64{1}, 60)
			for i := 0; i < 60; i += every {
				weights[i] = size
			}
			for _, classes := range []int{1, 2, 5} {
				for _, by := range []ClassWeight{Unweighted, Balanced} {
					c := &Classifier{ClassWeight: by, Features: features}
					err := c.FitContext(ctx, x, cyclic(60, classes), weights)
					if err == nil {
						err = c.PartialFitContext(ctx, x, cyclic(60, classes+1), weights)
					}
					var p *mat.Dense
					if err == nil {
						p, err = c.PredictProba(x)
					}
					if err == nil && !(math.Abs(gonum.Sum(p)-60) <= 1e-10) {
						t.Errorf("weights of %g, %d classes, %v: probabilities sum to %v", size, classes, by, gonum.Sum(p))
					}
					var option *OptionError
					if err != nil && (errors.As(err, &option) || size < 1e100 && size != math.SmallestNonzeroFloat64) {
						t.Errorf("weights of %g, %d classes, %v: %v", size, classes, by, err)
					}
				}
			}
			r := Regressor{Features: features}
			if err := r.FitContext(ctx, x, y, weights); err == nil {
				predicted(t, &r, x)
			}
		}
	}
}

// A sample of weight n scores as n samples, and a sample of weight 0 as none.
func TestScoreWeights(t *testing.T) {
	p := newPair(t, nil, blsupdate.QR).learn(0, 60)
	in, all := p.given(60, 90), given{}
	in.labels[0] = 2 - in.labels[0]%2 // not all are right
	var xs, ys [][]float64
	for i := range 30 {
		in.weights = append(in.weights, float64(i%3))
		for range i % 3 {
			xs, ys, all.labels = append(xs, in.x.RawRowView(i)), append(ys, in.y.RawRowView(i)), append(all.labels, in.labels[i])
		}
	}
	all.x, all.y = mat.NewDense(30, 12, slices.Concat(xs...)), mat.NewDense(30, 2, slices.Concat(ys...))
	got, err1 := p.c.ScoreContext(t.Context(), in.x, in.labels, in.weights)
	want, err2 := p.c.Score(all.x, all.labels)
	gotR, err3 := p.r.ScoreContext(t.Context(), in.x, in.y, in.weights)
	wantR, err4 := p.r.Score(all.x, all.y)
	must(t, errors.Join(err1, err2, err3, err4))
	if !(math.Abs(got-want) <= 1e-14) || !(math.Abs(gotR-wantR) <= 1e-12) {
		t.Errorf("scores %v and %v, want %v and %v", got, gotR, want, wantR)
	}
	none := make([]float64, 30)
	_, err1 = p.c.ScoreContext(t.Context(), in.x, in.labels, none)
	_, err3 = p.r.ScoreContext(t.Context(), in.x, in.y, none)
	for _, err := range []error{err1, err3} {
		var option *OptionError
		if !errors.As(err, &option) {
			t.Errorf("without a weight: %v", err)
		}
	}
	if err := p.c.CalibrateContext(t.Context(), in.x, in.labels, none); !isA(err, new(*CalibrationError)) {
		t.Errorf("a calibration without a weight: %v", err)
	}
}

// If the total weight of a class is beyond float64, it is an error and changes nothing.
func TestCountsOverflow(t *testing.T) {
	ctx := context.Background()
	p := newPair(t, nil, blsupdate.QR).learn(0, 60)
	c, x, labels := p.c, rowsOf(p.x, 0, 60), p.labels[:60]
	huge := slices.Repeat([]float64{1e307}, 60)
	for i := range c.counts {
		c.counts[i].weight = 1e308
	}
	before := encoded(t, c)
	other, err := c.Clone()
	must(t, err)
	fresh, balanced := *c, *c
	balanced.ClassWeight = Balanced
	uneven := slices.Repeat([]float64{3e306, 1}, 30)
	for name, err := range map[string]error{
		"FitContext": fresh.FitContext(ctx, x, labels, huge), "PartialFitContext": c.PartialFitContext(ctx, x, labels, huge),
		"Refit": c.RefitContext(ctx, x, labels, huge), "Merge": c.Merge(other), "Relabel": c.Relabel([]int{0, 0, 0}, 1),
		"Balanced": balanced.FitContext(ctx, x, labels, uneven),
	} {
		if !errors.Is(err, blsupdate.ErrOverflow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(encoded(t, c), before) {
		t.Error("an error has changed the model")
	}
}

// TestBalancedFindsRare learns a class with 2% of the rows, which an unweighted model hardly finds.
func TestBalancedFindsRare(t *testing.T) {
	pureWithoutRace(t)
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(l int) (*mat.Dense, []int) {
		x, labels := testutil.Random(r, l, 4), make([]int, l)
		for i := range labels {
			if x.At(i, 0)*x.At(i, 1)+x.At(i, 2) > 3.1 {
				labels[i] = 1
			}
		}
		return x, labels
	}
	x, labels := draw(8000)
	test, known := draw(4000)
	recall := func(weight ClassWeight) float64 {
		c := Classifier{ClassWeight: weight, Features: FeatureOptions{EnhancementNodes: 150}}
		must(t, c.Fit(x, labels))
		if !c.Calibrated() {
			t.Error("not calibrated")
		}
		return metrics.Confuse(known, predicted(t, &c, test), 2, nil).Recall(1)
	}
	if plain, balanced := recall(Unweighted), recall(Balanced); !(balanced >= 0.95 && plain <= 0.85) {
		t.Errorf("recall %v, and %v balanced", plain, balanced)
	}
}

// TestOutlyingWeights learns a row whose weight leaves W without digits: the heaviest row is at fault
// or, if the rows before do not determine W, the lightest. A model without digits may learn any row.
func TestOutlyingWeights(t *testing.T) {
	x := samples(15, 60, 6, 6)
	y := targetsFor(x, 2)
	r := &Regressor{Method: blsupdate.Gram, Features: FeatureOptions{Groups: 1, GroupNodes: 5, EnhancementNodes: 10, Scaling: ScaleColumns, Shrink: 1}}
	learn := func(rows int, weights ...float64) error {
		to := rows + len(weights)
		return r.PartialFitContext(t.Context(), rowsOf(x, rows, to), rowsOf(y, rows, to), weights)
	}
	for _, test := range []struct {
		rows    int
		lambda  float64
		weights []float64
		row     int
	}{{40, 1e-3, []float64{1, 1e-20, 1e30, 1}, 2}, {14, None, []float64{1, 1e-20}, 1}, {14, None, []float64{1e30, 1}, 0}} {
		r.Update.Lambda = test.lambda
		must(t, r.Fit(rowsOf(x, 0, test.rows), rowsOf(y, 0, test.rows)))
		var e *OutlierError
		err := learn(test.rows, test.weights...)
		if !errors.As(err, &e) || e.Row != test.row || e.Weight != test.weights[test.row] || !strings.Contains(err.Error(), "the weight 1e") {
			t.Errorf("weights %v after %d rows: %v", test.weights, test.rows, err)
		}
	}
	for i := range 60 { // six different rows
		x.SetRow(i, x.RawRowView(i%6))
	}
	r.Update.Lambda = 1
	must(t, errors.Join(r.Fit(rowsOf(x, 0, 40), rowsOf(y, 0, 40)), r.SetLambda(0), learn(40, 1, 1e-20)))
	if _, err := r.Weights(); !isA(err, new(*blsupdate.ConditionError)) {
		t.Error(err)
	}
}

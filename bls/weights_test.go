package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel/blsupdate"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// fitted returns small models of both kinds by a method, fitted to 60 rows of the samples.
func fitted(t *testing.T, method blsupdate.Method, x *mat.Dense, labels []int, y *mat.Dense) (*Classifier, *Regressor) {
	t.Helper()
	features := plain(FeatureOptions{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 4})
	c := &Classifier{Features: features, Method: method, Update: blsupdate.Options{Lambda: 0x1p-10}}
	r := &Regressor{Features: features, Method: method, Update: c.Update}
	must(t, c.Fit(rowsOf(x, 0, 60), labels[:60]))
	must(t, r.Fit(rowsOf(x, 0, 60), rowsOf(y, 0, 60)))
	return c, r
}

// A sample of weight n counts as n samples, one of weight 0 as none, and ones as nothing at all; Remove
// with the same weights takes them back.
func TestWeightsAreRepetitions(t *testing.T) {
	ctx := context.Background()
	x := samples(11, 100, 12, 12)
	labels, y := cyclic(100, 3), targetsFor(x, 2)
	for _, method := range allMethods {
		c, r := fitted(t, method, x, labels, y)
		c2, r2 := fitted(t, method, x, labels, y)
		was, wasR := weightsOf(t, c), weightsOf(t, r)
		weights := make([]float64, 40)
		for i := range weights {
			weights[i] = float64(i % 4)
			for range i % 4 {
				must(t, c2.PartialFit(rowsOf(x, 60+i, 61+i), labels[60+i:61+i]))
				must(t, r2.PartialFit(rowsOf(x, 60+i, 61+i), rowsOf(y, 60+i, 61+i)))
			}
		}
		part, partY := rowsOf(x, 60, 100), rowsOf(y, 60, 100)
		kept, keptY := gonum.DenseCopyOf(part), gonum.DenseCopyOf(partY)
		must(t, c.PartialFitWeighted(ctx, part, labels[60:], weights))
		must(t, r.PartialFitWeighted(ctx, part, partY, weights))
		if e := max(maxDiff(t, weightsOf(t, c), weightsOf(t, c2)), maxDiff(t, weightsOf(t, r), weightsOf(t, r2))); !(e <= 1e-8) {
			t.Errorf("%v: W is off by %g from that of repeated samples", method, e)
		}
		must(t, c.Remove(ctx, part, labels[60:], weights))
		must(t, r.Remove(ctx, part, partY, weights))
		if e := max(maxDiff(t, weightsOf(t, c), was), maxDiff(t, weightsOf(t, r), wasR)); !(e <= 1e-8) {
			t.Errorf("%v: W is off by %g after a removal", method, e)
		}
		must(t, c.Forget(0.25))
		if !slices.Equal(c.ClassCounts(), []float64{20, 20, 20}) || !slices.Equal(c.counts, slices.Repeat([]count{{20, 5}}, 3)) {
			t.Errorf("%v: counts %v", method, c.counts)
		}
		must(t, c.Relabel([]int{1, 1, 0}, 3))
		if other := *c; blsupdate.Supports(method, blsupdate.ActionMerge) {
			must(t, other.Refit(ctx, part, labels[60:], weights)) // 60 in all
			must(t, c.Merge(&other))
			if want := []count{{20 + 14, 5 + 21}, {40 + 13, 10 + 19}, {13, 20}}; !slices.Equal(c.counts, want) {
				t.Errorf("%v: counts %v after Merge, want %v", method, c.counts, want)
			}
		}
		if !gonum.Equal(part, kept) || !gonum.Equal(partY, keptY) {
			t.Errorf("%v: samples or targets were changed", method)
		}
		// nil stands for ones, to the bit.
		a, b := *c, *c
		ones := slices.Repeat([]float64{1}, 100)
		must(t, a.FitWeighted(ctx, x, labels, ones))
		must(t, b.FitWeighted(ctx, x, labels, nil))
		if !bytes.Equal(encoded(t, &a), encoded(t, &b)) {
			t.Errorf("%v: weights of 1 are something", method)
		}
		q, s := *r, *r
		must(t, q.FitWeighted(ctx, x, y, ones))
		must(t, s.FitWeighted(ctx, x, y, nil))
		if !bytes.Equal(encoded(t, &q), encoded(t, &s)) {
			t.Errorf("%v: weights of 1 are something to a Regressor", method)
		}
	}
}

// The mean of a Regressor is the weighted one, so that a sample of weight 0 does not move it.
func TestWeightedCenter(t *testing.T) {
	x := samples(12, 60, 5, 5)
	y := mat.NewDense(60, 1, nil)
	weights := make([]float64, 60)
	for i := range weights {
		y.Set(i, 0, float64(i))
		weights[i] = 1
	}
	y.Set(59, 0, 1e9)
	weights[59] = 0
	r := &Regressor{Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1}}
	must(t, r.FitWeighted(context.Background(), x, y, weights))
	if got := r.Center(); !(math.Abs(got[0]-29) <= 1e-12) {
		t.Errorf("the mean is %v, want 29", got)
	}
}

// Balanced is what the same weights do when they are given: n/(c n_j) by the counts so far, with the
// rows that are learned.
func TestBalanced(t *testing.T) {
	ctx := context.Background()
	x := samples(13, 100, 12, 12)
	labels := make([]int, 100) // class 1 is rare, and class 2 comes late
	for i := range labels {
		switch {
		case i%10 == 3:
			labels[i] = 1
		case i >= 60 && i%10 == 4:
			labels[i] = 2
		}
	}
	sample := make([]float64, 100)
	for i := range sample {
		sample[i] = 0.5 + float64(i%3)
	}
	for _, method := range allMethods {
		for _, own := range [][]float64{nil, sample} {
			c, _ := fitted(t, method, x, labels, targetsFor(x, 1))
			got := *c
			got.ClassWeight = Balanced
			var counts [3]float64
			at := 0
			for _, to := range []int{60, 80, 100} {
				weights := make([]float64, to-at)
				var seen, n float64
				for i := at; i < to; i++ {
					counts[labels[i]] += weightOf(own, i)
				}
				for _, v := range counts {
					if n += v; v > 0 {
						seen++
					}
				}
				for i := range weights {
					weights[i] = weightOf(own, at+i) * (n / (seen * counts[labels[at+i]]))
				}
				var part []float64
				if own != nil {
					part = own[at:to]
				}
				fit, fit2 := got.PartialFitWeighted, c.PartialFitWeighted
				if at == 0 {
					fit, fit2 = got.FitWeighted, c.FitWeighted
				}
				must(t, fit(ctx, rowsOf(x, at, to), labels[at:to], part))
				must(t, fit2(ctx, rowsOf(x, at, to), labels[at:to], weights))
				if !gonum.Equal(weightsOf(t, &got), weightsOf(t, c)) {
					t.Errorf("%v: other weights than by the same factors, rows %d to %d", method, at, to)
				}
				at = to
			}
			var option *OptionError
			if err := got.Remove(ctx, x, labels, own); !errors.As(err, &option) {
				t.Errorf("%v: Remove from a balanced model: %v", method, err)
			}
			again, err := DecodeClassifier(bytes.NewReader(encoded(t, &got)), nil)
			must(t, err)
			if again.ClassWeight != Balanced || !slices.Equal(again.ClassCounts(), got.ClassCounts()) {
				t.Errorf("%v: decoded as %v, %v", method, again.ClassWeight, again.ClassCounts())
			}
		}
	}
}

// Weights of any size give a model that predicts, or a typed error, and never a panic: with settings
// that Fit chooses, and for samples of one class.
func TestWeightsOfAnySize(t *testing.T) {
	ctx := context.Background()
	x := samples(15, 60, 6, 6)
	y := targetsFor(x, 2)
	for _, size := range []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-150, 1e150, 1e300, math.MaxFloat64} {
		for _, every := range []int{1, 2, 60} {
			weights := slices.Repeat([]float64{1}, 60)
			for i := 0; i < 60; i += every {
				weights[i] = size
			}
			for _, classes := range []int{1, 2, 5} {
				for _, by := range []ClassWeight{Unweighted, Balanced} {
					c := &Classifier{ClassWeight: by, Features: FeatureOptions{EnhancementNodes: 10}}
					err := c.FitWeighted(ctx, x, cyclic(60, classes), weights)
					if err == nil {
						err = c.PartialFitWeighted(ctx, x, cyclic(60, classes+1), weights)
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
			r := Regressor{Features: FeatureOptions{EnhancementNodes: 10}}
			if err := r.FitWeighted(ctx, x, y, weights); err == nil {
				if _, err := r.Predict(x); err != nil {
					t.Errorf("weights of %g: %v", size, err)
				}
			}
		}
	}
}

// Weights and class weights that cannot be are errors by which nothing changes.
func TestWeightErrors(t *testing.T) {
	ctx := context.Background()
	x := samples(14, 60, 12, 12)
	labels, y := cyclic(60, 2), targetsFor(samples(14, 60, 12, 12), 1)
	c, r := fitted(t, blsupdate.Gram, x, labels, y)
	before, beforeR := encoded(t, c), encoded(t, r)
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		weights := make([]float64, 60)
		weights[7] = v
		for name, err := range map[string]error{
			"FitWeighted": c.FitWeighted(ctx, x, labels, weights), "PartialFitWeighted": c.PartialFitWeighted(ctx, x, labels, weights),
			"Remove": c.Remove(ctx, x, labels, weights), "Refit": c.Refit(ctx, x, labels, weights),
			"Regressor.FitWeighted": r.FitWeighted(ctx, x, y, weights), "Regressor.PartialFitWeighted": r.PartialFitWeighted(ctx, x, y, weights),
			"Regressor.Remove": r.Remove(ctx, x, y, weights), "Regressor.Refit": r.Refit(ctx, x, y, weights),
		} {
			var e *OptionError
			if !errors.As(err, &e) || e.Option != "the weight of sample 7" {
				t.Errorf("%s with %v: %v", name, v, err)
			}
		}
	}
	var shape *ShapeError
	if err := c.PartialFitWeighted(ctx, x, labels, make([]float64, 59)); !errors.As(err, &shape) {
		t.Errorf("59 weights for 60 samples: %v", err)
	}
	if err := c.PartialFitWeighted(ctx, with(x, 1e300), labels, slices.Repeat([]float64{1e300}, 60)); !errors.Is(err, blsupdate.ErrOverflow) {
		t.Errorf("a weighted row beyond float64: %v", err)
	}
	c.ClassWeight = 7
	var option *OptionError
	if err := c.Fit(x, labels); !errors.As(err, &option) || option.Option != "ClassWeight" {
		t.Errorf("ClassWeight 7: %v", err)
	}
	c.ClassWeight, c.ExpectedRows = Balanced, -1
	if err := c.Fit(x, labels); !errors.As(err, &option) || option.Option != "ExpectedRows" {
		t.Errorf("ExpectedRows -1: %v", err)
	}
	if !bytes.Equal(encoded(t, c), before) || !bytes.Equal(encoded(t, r), beforeR) {
		t.Error("errors have changed a model")
	}
	for _, w := range []ClassWeight{Unweighted, Balanced} {
		if got, err := ParseClassWeight(w.String()); got != w || err != nil {
			t.Errorf("%v is parsed as %v, %v", w, got, err)
		}
	}
}

// Weights of a class that are beyond float64 in all are an error, and change nothing.
func TestCountsOverflow(t *testing.T) {
	ctx := context.Background()
	x, labels := samples(16, 60, 6, 6), cyclic(60, 2)
	huge := slices.Repeat([]float64{1e307}, 60)
	c, _ := fitted(t, blsupdate.QR, x, labels, targetsFor(x, 1))
	for i := range c.counts {
		c.counts[i].weight = 1e308
	}
	before := encoded(t, c)
	fresh, balanced := *c, *c
	balanced.ClassWeight = Balanced
	uneven := slices.Repeat([]float64{3e306, 1}, 30)
	for name, err := range map[string]error{
		"FitWeighted": fresh.FitWeighted(ctx, x, labels, huge), "PartialFitWeighted": c.PartialFitWeighted(ctx, x, labels, huge),
		"Refit": c.Refit(ctx, x, labels, huge), "Merge": c.Merge(c), "Relabel": c.Relabel([]int{0, 0}, 1),
		"Balanced": balanced.FitWeighted(ctx, x, labels, uneven),
	} {
		if !errors.Is(err, blsupdate.ErrOverflow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(encoded(t, c), before) {
		t.Error("an error has changed the model")
	}
}

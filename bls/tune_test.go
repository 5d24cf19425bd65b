package bls

import (
	"context"
	"errors"
	"math"
	"testing"

	"blskernel/blsupdate"
)

// A ridge that is too small for Gram leads to QR by Tune as by Fit.
func TestTuneSmallRidge(t *testing.T) {
	x, y, _ := normalTable(7, 100, 3)
	for _, lambda := range []float64{1e-20, None} {
		r := Regressor{Update: blsupdate.Options{Lambda: lambda}, Features: FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 5}}
		_, err := r.Tune(context.Background(), x, y, TuneOptions{})
		must(t, err)
		if r.Method != blsupdate.QR || r.Update.Lambda != lambda {
			t.Errorf("%v with lambda %v; want QR with %v", r.Method, r.Update.Lambda, lambda)
		}
	}
}

// Samples of weight 0 teach and measure nothing: the scores of Tune and of a weighted Fit are alike.
func TestTuneWeights(t *testing.T) {
	ctx := context.Background()
	x, y, labels := normalTable(8, 200, 3)
	weights := make([]float64, 200)
	for i := range weights {
		if weights[i] = 1; i%2 == 1 {
			weights[i], labels[i] = 0, 1-labels[i] // wrong
			y.Set(i, 0, 1e3)
		}
	}
	f := FeatureOptions{Groups: 1, EnhancementNodes: 50, Scaling: ScaleColumns}
	c, r := Classifier{Features: f}, Regressor{Features: f}
	byClass, err := c.Tune(ctx, x, labels, TuneOptions{Weights: weights})
	must(t, err)
	must(t, c.FitWeighted(ctx, x, labels, weights))
	byTarget, err := r.Tune(ctx, x, y, TuneOptions{Weights: weights})
	must(t, err)
	must(t, r.FitWeighted(ctx, x, y, weights))
	for _, pair := range [][2]Choice{{byClass, c.Choice()}, {byTarget, r.Choice()}} {
		if !(math.Abs(pair[0].Score-pair[1].Score) <= 1e-12) || !(pair[0].Score > 0.6) {
			t.Errorf("Tune %+v, Fit %+v", pair[0], pair[1])
		}
	}
}

// Tune refuses what Fit refuses, and the fields stay.
func TestTuneErrors(t *testing.T) {
	ctx := context.Background()
	x, y, labels := normalTable(9, 20, 3)
	refused := func(want string, err error) {
		t.Helper()
		var option *OptionError
		if !errors.As(err, &option) || option.Option != want {
			t.Errorf("%v; want an error of %s", err, want)
		}
	}
	c := Classifier{ClassWeight: 7}
	_, err := c.Tune(ctx, x, labels, TuneOptions{})
	refused("ClassWeight", err)
	r := Regressor{ExpectedRows: -5}
	_, err = r.Tune(ctx, x, y, TuneOptions{})
	refused("ExpectedRows", err)
	weights := make([]float64, 20)
	weights[3] = -1
	_, err = new(Classifier).Tune(ctx, x, labels, TuneOptions{Weights: weights})
	refused("the weight of sample 3", err)
	_, err = new(Regressor).Tune(ctx, x, y, TuneOptions{Weights: weights})
	refused("the weight of sample 3", err)
	var shape *ShapeError
	if _, err := new(Regressor).Tune(ctx, x, y, TuneOptions{Weights: weights[:19]}); !errors.As(err, &shape) {
		t.Errorf("19 weights for 20 samples: %v", err)
	}
	if c.Validate || r.Validate {
		t.Error("an error has changed the fields")
	}
}

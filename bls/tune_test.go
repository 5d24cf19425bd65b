package bls

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
)

// Tune scores at least as well as Fit, sets the fields, and keeps within its bound.
func TestTune(t *testing.T) {
	testutil.NeedsBackend(t, "pure")
	x, y, labels := normalTable(6, 300, 4)
	plain := Classifier{Features: FeatureOptions{Groups: 2}}
	must(t, plain.Fit(x, labels))
	tuned := Classifier{Features: FeatureOptions{Groups: 2}}
	choice, err := tuned.TuneContext(context.Background(), x, labels, TuneOptions{Flops: 3e9})
	must(t, err)
	must(t, tuned.Fit(x, labels))
	if !(choice.Score >= plain.Choice().Score-0.01) || choice.Rows != 300 || tuned.Features.EnhancementNodes == 0 || tuned.Update.Lambda == 0 || !tuned.Validate {
		t.Errorf("%+v by %+v, and Fit by %+v", tuned, choice, plain.Choice())
	}
	if got := tuned.Choice(); !(math.Abs(got.Score-choice.Score) <= 1e-12) {
		t.Errorf("Fit has %+v, Tune %+v", got, choice)
	}
	r := Regressor{Features: FeatureOptions{Shrink: 0.5, EnhancementNodes: None}, Update: blsupdate.Options{Lambda: None}, Method: blsupdate.Improved}
	_, err = r.TuneContext(context.Background(), x, y, TuneOptions{Flops: 1})
	must(t, err)
	if r.Features.Shrink != 0.5 || r.Features.EnhancementNodes != None || r.Update.Lambda != None || r.Method != blsupdate.Improved || r.Features.Scaling != ScaleColumns {
		t.Errorf("%+v", r)
	}
}

// A ridge that is too small for Gram makes Tune choose QR, as it does Fit.
func TestTuneSmallRidge(t *testing.T) {
	x, y, _ := normalTable(7, 100, 3)
	for _, lambda := range []float64{1e-20, None} {
		r := Regressor{Update: blsupdate.Options{Lambda: lambda}, Features: FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 5}}
		_, err := r.TuneContext(context.Background(), x, y, TuneOptions{})
		must(t, err)
		if r.Method != blsupdate.QR || r.Update.Lambda != lambda {
			t.Errorf("%v with lambda %v; want QR with %v", r.Method, r.Update.Lambda, lambda)
		}
	}
}

// Samples of weight 0 teach and measure nothing: the scores of Tune and of a weighted Fit are alike.
func TestTuneWeights(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
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
	byClass, err1 := c.TuneContext(ctx, x, labels, TuneOptions{Weights: weights})
	byTarget, err2 := r.TuneContext(ctx, x, y, TuneOptions{Weights: weights})
	must(t, errors.Join(err1, err2, c.FitContext(ctx, x, labels, weights), r.FitContext(ctx, x, y, weights)))
	for _, pair := range [][2]Choice{{byClass, c.Choice()}, {byTarget, r.Choice()}} {
		if !(math.Abs(pair[0].Score-pair[1].Score) <= 1e-12) || !(pair[0].Score > 0.6) || pair[0].Rows != 100 {
			t.Errorf("Tune %+v, Fit %+v", pair[0], pair[1])
		}
	}
	even := slices.DeleteFunc(ascending(200), func(i int) bool { return i%2 == 1 })
	all, some := Regressor{Features: f}, Regressor{Features: f}
	must(t, errors.Join(all.FitContext(ctx, x, y, weights), some.Fit(block.PickRows(x, even), block.PickRows(y, even))))
	if all.Choice() != some.Choice() || all.Updater().Lambda() != some.Updater().Lambda() {
		t.Errorf("%+v with rows of weight 0, %+v without", all.Choice(), some.Choice())
	}
}

// Tune refuses what Fit refuses, and too few rows; the fields do not change. TestRefused has the rest.
func TestTuneErrors(t *testing.T) {
	ctx := context.Background()
	x, y, labels := normalTable(9, 20, 3)
	for _, f := range []FeatureOptions{{Relevance: 1}, {Steps: 1}} { // which ScaleSamples cannot have
		f.Groups, f.EnhancementNodes = 1, 9
		must(t, last((&Classifier{Features: f}).TuneContext(ctx, x, labels, TuneOptions{})))
	}
	c, r := Classifier{ClassWeight: 7}, Regressor{ExpectedRows: -5}
	for says, err := range map[string]error{
		"ClassWeight is":  last(c.TuneContext(ctx, x, labels, TuneOptions{})),
		"ExpectedRows is": last(r.TuneContext(ctx, x, y, TuneOptions{})),
		"Flops is":        last(new(Regressor).TuneContext(ctx, x, y, TuneOptions{Flops: math.NaN()})),
		"at least 8 rows": last(new(Regressor).TuneContext(ctx, rowsOf(x, 0, 7), rowsOf(y, 0, 7), TuneOptions{})),
	} {
		if !isA(err, new(*OptionError)) && !isA(err, new(*ShapeError)) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want an error of %s", err, says)
		}
	}
	if c.Validate || r.Validate {
		t.Error("an error has changed the fields")
	}
}

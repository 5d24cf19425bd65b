package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestValidateCosts takes every setting of the grid, made small, through every method and form on every
// backend: the flops counted are those of the model, and every step has a predicted and a measured
// time.
func TestValidateCosts(t *testing.T) {
	rates := blsupdate.ConstantRates(1e10, 1e9)
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		testutil.NoError(t, err)
		var grid []Setting
		for _, s := range ValidationGrid(b) {
			s.L, s.K, s.Q, s.C = s.L/40+s.K/40, max(1, s.K/40), max(1, s.Q/40), max(1, s.C/10)
			grid = append(grid, s)
		}
		var costs []Cost
		var done []float64
		err = MeasureEach(context.Background(), grid, rates, 2, 1, func(d float64) { done = append(done, d) }, func(c Cost) error { costs = append(costs, c); return nil })
		testutil.NoError(t, err)
		if len(costs) != len(grid) || len(done) != 2*len(grid) || !slices.IsSorted(done) || done[len(done)-1] != 1 {
			t.Errorf("%d settings, %d costs, progress %v", len(grid), len(costs), done)
		}
		for i, c := range costs {
			s := grid[i]
			if c.Backend != name || c.Method != s.Method.String() || c.K != s.K || c.Q != s.Q || c.C != s.C || c.L < s.L {
				t.Errorf("%+v: %+v", s, c)
			}
			if c.Total.Model != c.Total.Counted || !(c.Total.Model > 0) || !(c.Total.PredictedSeconds > 0) || !(c.Total.MeasuredSeconds > 0) {
				t.Errorf("%+v: %+v", s, c.Total)
			}
			var model, predicted float64
			for _, step := range c.Steps {
				model += step.Model
				predicted += step.PredictedSeconds
				if step.Model != step.Counted || step.Step == "" || step.Formula == "" || !(step.MeasuredSeconds > 0) {
					t.Errorf("%+v: %+v", s, step)
				}
			}
			if math.Abs(model-c.Total.Model) > 1e-9*model || math.Abs(predicted-c.Total.PredictedSeconds) > 1e-9*predicted {
				t.Errorf("%+v: the steps are not the total", s)
			}
		}
		if a := Agree(costs); a.Settings != len(grid) || a.Unequal != 0 || !(a.Median <= a.P95 && a.P95 <= a.Worst) {
			t.Errorf("%+v", a)
		}
	}
}

func TestValidateStops(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	grid := []Setting{{Method: blsupdate.Gram, Options: blsupdate.Options{Backend: b}, L: 10, K: 3, Q: 2, C: 1}}
	rates := blsupdate.ConstantRates(1e10, 1e9)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := MeasureEach(ctx, grid, rates, 1, 1, nil, func(Cost) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	stop := errors.New("stop")
	if err := MeasureEach(context.Background(), grid, rates, 1, 1, nil, func(Cost) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
	grid[0].L, grid[0].Method = 2, blsupdate.RidgeInverse
	var rank *blsupdate.RankError
	if err := MeasureEach(context.Background(), grid, rates, 1, 1, nil, func(Cost) error { return nil }); !errors.As(err, &rank) {
		t.Errorf("too few rows: %v", err)
	}
}

// TestAgree has deviations that are known.
func TestAgree(t *testing.T) {
	var costs []Cost
	for i := range 21 {
		c := Cost{Total: CostStep{PredictedSeconds: 1 + float64(i-5)/100, MeasuredSeconds: 1, Model: 3, Counted: 3}}
		if i == 4 {
			c.Steps = []CostStep{{Model: 1, Counted: 2}}
		}
		costs = append(costs, c)
	}
	// The magnitudes are 0, 1, 1, 2, 2, ..., 5, 5, 6, ..., 15 per cent.
	a := Agree(costs)
	for _, v := range []struct{ got, want float64 }{{a.Median, 0.05}, {a.P95, 0.14}, {a.Worst, 0.15}} {
		if math.Abs(v.got-v.want) > 1e-12 {
			t.Errorf("%+v", a)
		}
	}
	if a.Settings != 21 || a.Unequal != 1 || Agree(nil) != (Agreement{}) {
		t.Errorf("%+v", a)
	}
}

// TestValidationGrid holds the grid to what it is for: every method, at least 30 settings, all of which
// can start.
func TestValidationGrid(t *testing.T) {
	grid := ValidationGrid(nil)
	seen := map[blsupdate.Method]bool{}
	for _, s := range grid {
		seen[s.Method] = true
		if err := blsupdate.CheckStart(s.Method, s.Options, s.L, s.K); err != nil {
			t.Error(err)
		}
	}
	if len(grid) < 30 || len(seen) != len(blsupdate.Methods()) {
		t.Errorf("%d settings of %d methods", len(grid), len(seen))
	}
}

// TestMeasure updates three models in turn.
func TestMeasure(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	settings := []Setting{
		{Method: blsupdate.Original, L: 40, K: 10, Q: 30, C: 2}, {Method: blsupdate.Improved, L: 40, K: 10, Q: 30, C: 2}, {Method: blsupdate.Gram, L: 40, K: 10, Q: 30, C: 2},
	}
	for i := range settings {
		if i > 0 { // nil is the default
			settings[i].Options.Backend = b
		}
	}
	updates := 0
	m, err := Measure(context.Background(), settings, blsupdate.ConstantRates(1e10, 1e9), 4, 1, func() { updates++ })
	testutil.NoError(t, err)
	if none, err := Measure(context.Background(), nil, blsupdate.ConstantRates(1e10, 1e9), 4, 1, nil); err != nil || none.Rounds != 0 {
		t.Errorf("no settings: %+v, %v", none, err)
	}
	if m.Costs[0].Seed != 1 {
		t.Errorf("%+v", m.Costs[0])
	}
	if m.Rounds != 4 || updates != 5*3 || len(m.Costs) != 3 || m.Speed[0] != 1 || m.Flops[0] != 1 {
		t.Errorf("%+v after %d updates", m, updates)
	}
	for i := range settings {
		if !(m.Speed[i] > 0) || i > 0 && !(m.Flops[i] > m.Flops[i-1]) {
			t.Errorf("%+v", m)
		}
	}
}

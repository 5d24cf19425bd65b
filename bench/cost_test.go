package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestValidateCosts takes every setting of the grid, made small, through every method and form on every
// backend. The counted flops are the model's, and every step has a predicted and a measured time.
func TestValidateCosts(t *testing.T) {
	rates := blsupdate.ConstantRates(1e10, 1e9)
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		testutil.NoError(t, err)
		var grid []Setting
		seen := map[blsupdate.Method]bool{}
		for _, s := range ValidationGrid(b) {
			testutil.NoError(t, blsupdate.CheckStart(s.Method, s.Options, s.L, s.K))
			seen[s.Method] = true
			s.L, s.K, s.Q, s.C = s.L/40+s.K/40, max(1, s.K/40), max(1, s.Q/40), max(1, s.C/10)
			s.Stream = testutil.Long() || len(grid)%8 == 0 // a Stream warms up for 50 ms
			grid = append(grid, s)
		}
		if len(grid) < 30 || len(seen) != len(blsupdate.Methods()) {
			t.Errorf("%d settings of %d methods", len(grid), len(seen))
		}
		var done []float64
		v, err := measure(context.Background(), grid, rates, 2, 3, 1, func(d float64) { done = append(done, d) }, steady)
		testutil.NoError(t, err)
		costs := v.Costs
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
		if v.Updates != 2*3*len(grid) || v.LeftOut != 0 || v.Unknown != "" {
			t.Errorf("%d updates, %d left out, %q", v.Updates, v.LeftOut, v.Unknown)
		}
		if a := Agree(costs); a.Settings != len(grid) || a.Unequal != 0 || !(a.Median <= a.P95 && a.P95 <= a.Worst) {
			t.Errorf("%+v", a)
		}
	}
}

// steady returns the FMA peak of a machine that does nothing else.
func steady() float64 { return 1e11 }

func gramAndQR(t *testing.T) []Setting {
	t.Helper()
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	opt := blsupdate.Options{Lambda: 1, Backend: b}
	return []Setting{
		{Method: blsupdate.Gram, Options: opt, L: 10, K: 3, Q: 2, C: 1},
		{Method: blsupdate.QR, Options: opt, L: 10, K: 3, Q: 2, C: 1},
	}
}

// TestValidateLeavesOut moves the FMA peak during some updates: they are left out and tried again, as
// long as they are few.
func TestValidateLeavesOut(t *testing.T) {
	const wanted = 10
	for _, tc := range []struct {
		name             string
		moves            func(update int) float64 // the factor, for updates from 0 on; each method starts with one
		updates, leftOut int
		costs            int
		unknown          string
	}{
		{"a little", func(int) float64 { return 1.04 }, 2 * wanted, 0, 2, ""},
		{"down", func(int) float64 { return 0.9 }, 6 * wanted, 6 * wanted, 0, "during 60 of 60 updates"},
		{"not a number", func(int) float64 { return math.NaN() }, 6 * wanted, 6 * wanted, 0, "during 60 of 60 updates"},
		{"at times", func(u int) float64 { return 1 + float64(u%10/9) }, 22, 2, 2, ""},
		{"often", func(u int) float64 { return 1 + float64(u%2) }, 39, 19, 2, "during 19 of 39 updates"},
		{"in one method", func(u int) float64 { return 1 + float64(min(u/(wanted+1), 1)) }, 4 * wanted, 3 * wanted, 1, "during 30 of 40 updates"},
	} {
		looks := 0
		peak := func() float64 {
			looks++
			if looks%2 == 1 {
				return 1e11
			}
			return 1e11 * tc.moves(looks/2-1)
		}
		grid := gramAndQR(t)
		v, err := measure(context.Background(), grid, blsupdate.ConstantRates(1e10, 1e9), 1, wanted, 1, nil, peak)
		testutil.NoError(t, err)
		good := slices.DeleteFunc(slices.Clone(v.Costs), Cost.Disturbed)
		if v.Updates != tc.updates || v.LeftOut != tc.leftOut || len(v.Costs) != len(grid) || len(good) != tc.costs || !strings.Contains(v.Unknown, tc.unknown) || (v.Unknown == "") != (tc.unknown == "") {
			t.Errorf("%s: %d updates, %d left out, %d costs, %q; want %+v", tc.name, v.Updates, v.LeftOut, len(good), v.Unknown, tc)
		}
	}
	// Few are left out, but they are all updates of one method.
	looks := 0
	grid := gramAndQR(t)
	for range 9 {
		grid = append([]Setting{grid[0]}, grid...)
	}
	v, err := measure(context.Background(), grid, blsupdate.ConstantRates(1e10, 1e9), 1, wanted, 1, nil, func() float64 {
		looks++
		return 1 + float64(looks%2*max(0, min(1, looks-20*(wanted+1))))
	})
	testutil.NoError(t, err)
	if want := "during every update of qr"; v.LeftOut*4 > v.Updates || !strings.Contains(v.Unknown, want) {
		t.Errorf("%d of %d updates are left out, %q; want %q", v.LeftOut, v.Updates, v.Unknown, want)
	}
}

func TestValidateStops(t *testing.T) {
	grid := gramAndQR(t)
	rates := blsupdate.ConstantRates(1e10, 1e9)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, grid, rates, 1, 1, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	grid[0].L, grid[0].Method, grid[0].Options.Lambda = 2, blsupdate.RidgeInverse, 0
	var rank *blsupdate.RankError
	if _, err := Measure(context.Background(), grid, rates, 1, 1, 1, nil); !errors.As(err, &rank) {
		t.Errorf("too few rows: %v", err)
	}
}

// TestAgree summarizes known deviations.
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

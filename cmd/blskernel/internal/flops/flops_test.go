package flops

import (
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestValidation prints the figures of long and short updates separately, and none if too many updates
// were left out.
func TestValidation(t *testing.T) {
	cost := func(measured float64) bench.Cost {
		return bench.Cost{Method: "gram", Backend: "pure", Total: bench.CostStep{Model: 5, Counted: 5, PredictedSeconds: 1.1e-3, MeasuredSeconds: measured}}
	}
	v := bench.Measured{Costs: []bench.Cost{cost(1e-3), cost(1e-4), cost(1e-3)}, Updates: 40, LeftOut: 7}
	const leftOut = "pure: left out 7 of 40 updates, since the FMA peak moved by more than 5% during them\n"
	for _, tc := range []struct {
		grid, json bool
		unknown    string
		want       []string
	}{
		{true, false, "", []string{leftOut, "\nall of at least 0.5 ms        2    10.0             10.0    10.0  ", "\nall below 0.5 ms              1  1000.0           1000.0  1000.0 "}},
		{true, true, "", []string{`"kind":"cost"`}},
		{true, false, "of noise", []string{leftOut}},
		{false, false, "of noise", []string{"gram: l = 0", "the times of pure are unreliable, since of noise"}},
	} {
		x := flopsFlags{validate: tc.grid}
		x.JSON, v.Unknown = tc.json, tc.unknown
		var out strings.Builder
		testutil.NoError(t, x.Begin(ui.Streams{Out: &out, Err: &out}))
		err := x.measured(v, new(result.Machine), "pure")
		if tc.unknown == "" || !tc.grid {
			testutil.NoError(t, err)
		} else if err == nil || err.Error() != "pure: no figures, since of noise: repeat the measurement on a quieter machine" || strings.Contains(out.String(), "worst") {
			t.Errorf("error %v after %q", err, out.String())
		}
		testutil.Contains(t, out.String(), tc.want...)
		if _, err := result.Read("stdout", strings.NewReader(out.String())); tc.json && err != nil {
			t.Error(err) // the results cannot be read again
		}
	}
}

// TestValidateGrid checks that the grid has the settings of the requested methods.
func TestValidateGrid(t *testing.T) {
	x := flopsFlags{methods: []string{"gram", "original"}, validate: true}
	grid, err := x.settings(nil)
	testutil.NoError(t, err)
	for _, s := range grid {
		if s.Method != blsupdate.Gram && s.Method != blsupdate.Original {
			t.Errorf("%v is not asked for", s.Method)
		}
	}
	if all := len(bench.ValidationGrid(nil)); len(grid) == 0 || len(grid) >= all {
		t.Errorf("%d of %d settings", len(grid), all)
	}
}

// TestCostTable prints a made-up cost.
func TestCostTable(t *testing.T) {
	text := costTable(bench.Cost{
		Backend: "pure", Method: "improved", Form: "small", Solve: true, L: 4000, K: 1000, Q: 500, C: 10,
		Steps: []bench.CostStep{{Step: "inner product", Formula: "q²k", Model: 2.5e8, Counted: 2.5e8, PredictedSeconds: 0.011, MeasuredSeconds: 0.01}},
		Total: bench.CostStep{Step: "total", Model: 2.5e8, Counted: 2.5e8, PredictedSeconds: 0.011, MeasuredSeconds: 0.01},
	})
	testutil.Contains(t, text, "improved/small/solve: l = 4000", "inner product", "q²k", "0.250", "0.011", "25.00")
}

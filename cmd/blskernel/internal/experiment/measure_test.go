package experiment

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestMeasure prints small updates, measured with constant rates, as text and JSON.
func TestMeasure(t *testing.T) {
	testutil.NotUnderRace(t, "pure computing")
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	for _, tc := range []struct {
		json bool
		want []string
	}{
		{false, []string{"gram: l = ", "qr: l = ", ", k = 8, q = 4, c = 2", "measured, s"}},
		{true, []string{`"kind":"cost"`}},
	} {
		x := flopsFlags{methods: []string{"gram", "qr"}, l: 30, k: 8, q: 4, c: 2, anyLambda: true}
		grid, err := x.settings(b)
		testutil.NoError(t, err)
		x.JSON = tc.json
		printed := printing(t, &x.Reporter)
		m, err := bench.Measure(context.Background(), grid, blsupdate.ConstantRates(1e9, 1e9), 1, 2, 1, nil)
		testutil.NoError(t, err)
		testutil.NoError(t, x.measured(m, new(result.Machine), "pure"))
		readable(t, printed(), tc.json, tc.want)
	}
}

// printing begins a report, and returns a function for what it has printed.
func printing(t *testing.T, r *ui.Reporter) (printed func() string) {
	t.Helper()
	var out strings.Builder
	testutil.NoError(t, r.Begin(ui.Streams{Out: &out, Err: io.Discard}))
	return out.String
}

// readable checks what was printed, and that results as JSON can be read again.
func readable(t *testing.T, printed string, json bool, want []string) {
	t.Helper()
	testutil.Contains(t, printed, want...)
	if _, err := result.Read("stdout", strings.NewReader(printed)); json && err != nil {
		t.Error(err)
	}
}

// TestValidation prints the figures of long and short updates apart, and none where too many updates
// were left out.
func TestValidation(t *testing.T) {
	cost := func(measured float64) bench.Cost {
		return bench.Cost{Method: "gram", Backend: "pure", Total: bench.CostStep{Model: 5, Counted: 5, PredictedSeconds: 1.1e-3, MeasuredSeconds: measured}}
	}
	v := bench.Measured{Costs: []bench.Cost{cost(1e-3), cost(1e-4), cost(1e-3)}, Updates: 40, LeftOut: 7}
	const leftOut = "pure: 7 of 40 updates are left out, during which the FMA peak moved by more than 5%\n"
	for _, tc := range []struct {
		json    bool
		unknown string
		want    []string
	}{
		{false, "", []string{leftOut, "\nall of at least 0.5 ms        2    10.0             10.0    10.0  ", "\nall below 0.5 ms              1  1000.0           1000.0  1000.0 "}},
		{true, "", []string{`"kind":"cost"`}},
		{false, "of noise", []string{leftOut}},
	} {
		x := flopsFlags{validate: true}
		x.JSON, v.Unknown = tc.json, tc.unknown
		printed := printing(t, &x.Reporter)
		err := x.measured(v, new(result.Machine), "pure")
		if tc.unknown == "" {
			testutil.NoError(t, err)
		} else if err == nil || err.Error() != "pure: no figures, since of noise: repeat it on a quieter machine" || strings.Contains(printed(), "worst") {
			t.Errorf("error %v after %q", err, printed())
		}
		readable(t, printed(), tc.json, tc.want)
	}
}

// TestValidateGrid takes the settings of the methods that are asked for.
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

// TestNewStart takes the time of an SVD where a method without a ridge starts with fewer samples than
// nodes.
func TestNewStart(t *testing.T) {
	rates := blsupdate.ConstantRates(1e9, math.Inf(1))
	x := blsupdate.Candidate{Method: blsupdate.Improved}
	choice, shape := blsupdate.Choice{Candidates: []blsupdate.Candidate{x}}, blsupdate.Shape{L: 40, K: 80, C: 2}
	method, got := newStart(choice, rates, shape)
	shape.Start, shape.Rank = blsupdate.StartSVD, 40
	want := blsupdate.Total(blsupdate.Model(x.Method, blsupdate.ActionStart, x.Options, shape)) +
		blsupdate.Total(blsupdate.Model(x.Method, blsupdate.ActionWeights, x.Options, shape))
	if method != "improved" || !(math.Abs(got-want/1e9) <= 1e-12*got) {
		t.Errorf("%s takes %v s, want %v", method, got, want/1e9)
	}
}

// TestNewPlanned has a choice that is not the first candidate, and none.
func TestNewPlanned(t *testing.T) {
	form := func(f blsupdate.Form) blsupdate.Candidate {
		return blsupdate.Candidate{Method: blsupdate.RidgeInverse, Options: blsupdate.Options{Form: f}, Flops: float64(f)}
	}
	c := blsupdate.Choice{Candidates: []blsupdate.Candidate{form(blsupdate.Small), form(blsupdate.Large)}, Method: blsupdate.RidgeInverse}
	c.Options.Form = blsupdate.Large
	if p := newPlanned(c, blsupdate.ConstantRates(1, 1)); p["form"] != "large" || p["flops"] != p["candidates"].([]any)[1].(map[string]any)["flops"] {
		t.Errorf("%+v", p)
	}
	c.Candidates[1].WhyNot = "no"
	if p := newPlanned(c, blsupdate.ConstantRates(1, 1)); p["form"] != nil {
		t.Errorf("%+v", p)
	}
}

// TestPlan prints a plan as text and JSON, with the time of a new start, and one that has no method.
func TestPlan(t *testing.T) {
	const flopsPerSecond = 1e9
	needs := blsupdate.Needs{Lambda: 1e-3, Rates: blsupdate.ConstantRates(flopsPerSecond, math.Inf(1))}
	shape := blsupdate.Shape{L: 44, K: 8, C: 2}
	start := 0.0
	for _, action := range []blsupdate.Action{blsupdate.ActionStart, blsupdate.ActionWeights} {
		start += blsupdate.Total(blsupdate.Model(blsupdate.Gram, action, blsupdate.Options{}, shape)) / flopsPerSecond
	}
	for _, tc := range []struct {
		json bool
		most int64 // bytes
		want []string
		err  string
	}{
		{false, 0, []string{"fastest that does all that is needed", "\nA new start from 44 samples would take " + seconds(start) + " s, by gram.\n"}, ""},
		{true, 0, []string{`"method":"`, `"rates":"constant rates"`, `"measured":false`, `"start_method":"gram"`, `"why_not"`}, ""},
		{false, 1, []string{"No method does all that is needed.\n"}, "no method meets all needs"},
	} {
		x := planFlags{l: 40, k: 8, q: 4, c: 2}
		x.JSON, needs.Memory = tc.json, tc.most
		printed := printing(t, &x.Reporter)
		if err := x.show(needs); tc.err == "" && err != nil || tc.err != "" && (err == nil || err.Error() != tc.err) {
			t.Errorf("error %v; want %q", err, tc.err)
		}
		testutil.Contains(t, printed(), tc.want...)
	}
}

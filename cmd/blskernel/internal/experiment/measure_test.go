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

// TestMeasure measures small updates in turn with constant rates, as text and JSON.
func TestMeasure(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	for _, tc := range []struct {
		json bool
		want []string
	}{
		{false, []string{"gram: l = 3", "k = 8, q = 4, c = 2", "measured, s", "times the speed of gram"}},
		{true, []string{`"kind":"comparison"`}},
	} {
		x := flopsFlags{methods: []string{"gram", "qr"}, ls: []int{30}, ks: []int{8}, qs: []int{4}, cs: []int{2}, anyLambda: true, rounds: 2, seed: 1}
		grid, err := x.settings(b)
		testutil.NoError(t, err)
		x.JSON = tc.json
		printed := printing(t, &x.Reporter)
		if err := x.measure(context.Background(), grid, blsupdate.ConstantRates(1e9, 1e9), "pure"); err != nil || x.unequal != 0 {
			t.Fatal(err, x.unequal)
		}
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
	v := bench.Validation{Costs: []bench.Cost{cost(1e-3), cost(1e-4), cost(1e-3)}, Updates: 40, LeftOut: 7}
	const leftOut = "pure: 7 of 40 updates are left out, during which the FMA peak moved by more than 5%\n"
	for _, tc := range []struct {
		json    bool
		unknown string
		want    []string
	}{
		{false, "", []string{leftOut, "pure, updates of at least 0.5 ms: 2 settings, the predicted time differs from the measured one by 10.0%",
			"pure, updates below 0.5 ms: 1 settings", "by 1000.0% in the median", "flops counted equal the model's in 1\n"}},
		{true, "", []string{`"kind":"cost"`, `"kind":"agreement","backend":"pure","part":"of at least 0.5 ms","updates":40,"left_out":7,"settings":2`}},
		{false, "of noise", []string{leftOut}},
	} {
		x := flopsFlags{}
		x.JSON, v.Unknown = tc.json, tc.unknown
		printed := printing(t, &x.Reporter)
		err := x.validation(v, "pure")
		if tc.unknown == "" {
			testutil.NoError(t, err)
		} else if err == nil || err.Error() != "pure: no figures, since of noise: repeat it on a quieter machine" || strings.Contains(printed(), "differs") {
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
		{true, 0, []string{`"method":"`, `"rates":"constant rates","measured":false`, `"start_method":"gram"`, `"why_not"`}, ""},
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

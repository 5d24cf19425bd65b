package plan

import (
	"io"
	"math"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// printing begins a report, and returns a function for what it has printed.
func printing(t *testing.T, r *ui.Reporter) (printed func() string) {
	t.Helper()
	var out strings.Builder
	testutil.NoError(t, r.Begin(ui.Streams{Out: &out, Err: io.Discard}))
	return out.String
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
		{false, 0, []string{"fastest that meets all needs", "\nA new start from 44 samples would take " + experiment.Seconds(start) + " s, by gram.\n"}, ""},
		{true, 0, []string{`"method":"`, `"rates":"constant rates"`, `"measured":false`, `"start_method":"gram"`, `"why_not"`}, ""},
		{false, 1, []string{"No method meets all needs.\n"}, "no method meets all needs"},
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

package experiment

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"blskernel"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestMeasure measures small updates with constant rates, in turn and as a grid, as text and JSON.
func TestMeasure(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	rates := blsupdate.ConstantRates(1e9, 1e9)
	for _, tc := range []struct {
		grid, json bool
		want       []string
	}{
		{false, false, []string{"gram: l = 3", "k = 8, q = 4, c = 2", "measured, s", "times the speed of gram"}},
		{true, false, []string{"pure: 2 settings", "flops counted equal the model's in 2"}},
		{true, true, []string{`"kind":"cost"`, `"kind":"agreement"`}},
		{false, true, []string{`"kind":"comparison"`}},
	} {
		var out strings.Builder
		x := flopsFlags{methods: []string{"gram", "qr"}, ls: []int{30}, ks: []int{8}, qs: []int{4}, cs: []int{2}, anyLambda: true, rounds: 2, seed: 1}
		grid, err := x.settings(b)
		testutil.NoError(t, err)
		x.JSON = tc.json
		testutil.NoError(t, x.Begin(ui.Streams{Out: &out, Err: io.Discard}))
		measure := x.measure
		if tc.grid {
			measure = x.measureGrid
		}
		if err := measure(context.Background(), grid, rates, "pure"); err != nil || x.unequal != 0 {
			t.Fatal(err, x.unequal)
		}
		testutil.Contains(t, out.String(), tc.want...)
		if tc.json {
			if _, err := result.Read("stdout", strings.NewReader(out.String())); err != nil {
				t.Error(err)
			}
		}
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
		{true, 0, []string{`"method":"`, `"start_method":"gram"`, `"why_not"`}, ""},
		{false, 1, []string{"No method does all that is needed.\n"}, "no method meets all needs"},
	} {
		var out strings.Builder
		x := planFlags{l: 40, k: 8, q: 4, c: 2}
		x.JSON, needs.Memory = tc.json, tc.most
		testutil.NoError(t, x.Begin(ui.Streams{Out: &out, Err: io.Discard}))
		if err := x.show(needs); tc.err == "" && err != nil || tc.err != "" && (err == nil || err.Error() != tc.err) {
			t.Errorf("error %v; want %q", err, tc.err)
		}
		testutil.Contains(t, out.String(), tc.want...)
	}
}

package experiment

import (
	"context"
	"encoding/json"
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

// TestPlanJSON has a plan as JSON.
func TestPlanJSON(t *testing.T) {
	choice, err := blsupdate.Plan(4, 8, 40, 2, blsupdate.Needs{Lambda: 1e-3, Batches: 1, Rates: blsupdate.ConstantRates(1e9, 1e9)})
	testutil.NoError(t, err)
	text, err := json.Marshal(newPlanned(choice, true))
	testutil.NoError(t, err)
	testutil.Contains(t, string(text), `"method":"`+choice.Method.String()+`"`, `"why_not"`)
	shape := blsupdate.Shape{L: 44, K: 8, C: 2}
	flops := 0.0
	for _, action := range []blsupdate.Action{blsupdate.ActionStart, blsupdate.ActionWeights} {
		flops += blsupdate.Total(blsupdate.Model(blsupdate.Gram, action, choice.Options, shape))
	}
	method, got := newStart(choice, blsupdate.ConstantRates(1e9, math.Inf(1)), shape)
	if want := flops / 1e9; method != "gram" || !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("a new start by %s takes %v s; want gram, %v s", method, got, want)
	}
	if err := failure(&blsupdate.PlanError{}); err.Error() != "no method meets all needs" {
		t.Error(err)
	}
}

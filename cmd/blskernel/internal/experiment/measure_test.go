package experiment

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"blskernel"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
)

// TestMeasure measures small updates with constant rates, in turn and as a grid, as tables, lines and
// JSON.
func TestMeasure(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	rates := blsupdate.ConstantRates(1e9, 1e9)
	for _, tc := range []struct {
		grid    bool
		printer func(w io.Writer) costPrinter
		want    []string
	}{
		{false, func(w io.Writer) costPrinter { return costTables{w} }, []string{"gram: l = 3", "k = 8, q = 4, c = 2", "measured, s", "times the speed of gram"}},
		{true, func(w io.Writer) costPrinter { return &costLines{w: w} }, []string{"differ", "pure: 2 settings", "flops counted equal the model's in 2"}},
		{true, func(w io.Writer) costPrinter { return costJSON{w} }, []string{`"kind":"cost"`, `"kind":"agreement"`}},
		{false, func(w io.Writer) costPrinter { return costJSON{w} }, []string{`"kind":"comparison"`}},
	} {
		var out strings.Builder
		x := flopsFlags{methods: []string{"gram", "qr"}, ls: []int{30}, ks: []int{8}, qs: []int{4}, cs: []int{2}, anyLambda: true, rounds: 2, seed: 1}
		grid, err := x.settings(b)
		if err != nil {
			t.Fatal(err)
		}
		x.printer, x.bar = tc.printer(&out), ui.NewProgress(io.Discard, false)
		measure := x.measure
		if tc.grid {
			measure = x.measureGrid
		}
		err = ui.Attend(context.Background(), x.bar, func(ctx context.Context, p *ui.Printer) error { return measure(ctx, p, grid, rates, "pure") })
		if err != nil || x.unequal != 0 {
			t.Fatal(err, x.unequal)
		}
		for _, want := range tc.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s\nhas no %q", out.String(), want)
			}
		}
		if _, isJSON := x.printer.(costJSON); isJSON {
			if _, err := result.Read("stdout", strings.NewReader(out.String())); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPlanMeasure compares the planned method with the others, and has the plan as JSON.
func TestPlanMeasure(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	x := planFlags{l: 40, k: 8, q: 4, c: 2}
	rates := blsupdate.ConstantRates(1e9, 1e9)
	choice, err := blsupdate.Plan(x.q, x.k, x.l, x.c, blsupdate.Needs{Lambda: 1e-3, Batches: 1, Backend: b, Rates: rates})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := x.compare(context.Background(), choice, rates, ui.NewProgress(io.Discard, true), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Measured, median of ", "predicted, s", choice.Method.String(), "The choice takes "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nhas no %q", out.String(), want)
		}
	}
	text, err := json.Marshal(newPlanned(choice, true))
	if err != nil || !strings.Contains(string(text), `"method":"`+choice.Method.String()+`"`) || !strings.Contains(string(text), `"why_not"`) {
		t.Errorf("%s, %v", text, err)
	}
	if err := failure(&blsupdate.PlanError{}); err.Error() != "no method meets all needs" {
		t.Error(err)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"blskernel/bench"
)

func runCommand(t *testing.T, args string) (status int, out, errors string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(context.Background(), strings.Fields(args), streams{out: &o, err: &e})
	return status, o.String(), e.String()
}

// TestFlopsModel prints the model of the last update of the paper's Table 2, whose sums are known, with one dash
// and with two.
func TestFlopsModel(t *testing.T) {
	for _, dash := range []string{"-", "--"} {
		args := "flops " + strings.ReplaceAll("-model -method original,improved/paper -k 5100 -q 10000 -l 50000 -c 1", "-", dash)
		status, out, errs := runCommand(t, args)
		if status != 0 || errs != "" {
			t.Fatalf("%s: status %d, %s", args, status, errs)
		}
		for _, want := range []string{"original: l = 50000, k = 5100, q = 10000, c = 1", "improved/large", "inverse", "22320.2", "16605.9"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s prints\n%s\nwithout %q", args, out, want)
			}
		}
	}
	status, out, _ := runCommand(t, "flops --model --json --method gram")
	var c bench.Cost
	if err := json.Unmarshal([]byte(out), &c); status != 0 || err != nil || c.Method != "gram" || len(c.Steps) != 5 || strings.Contains(out, "seconds") || strings.Contains(out, "counted") {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
}

// TestCostPrinters prints a cost that is made up.
func TestCostPrinters(t *testing.T) {
	c := bench.Cost{
		Backend: "pure", Method: "improved", Form: "small", Solve: true, L: 4000, K: 1000, Q: 500, C: 10,
		Steps: []bench.CostStep{{Step: "inner product", Formula: "q²k", Model: 2.5e8, Counted: 2.5e8, PredictedSeconds: 0.011, MeasuredSeconds: 0.01}},
		Total: bench.CostStep{Step: "total", Model: 2.5e8, Counted: 2.5e8, PredictedSeconds: 0.011, MeasuredSeconds: 0.01},
	}
	a := bench.Agreement{Settings: 1, Median: 0.1, P95: 0.1, Worst: 0.1}
	var table, lines bytes.Buffer
	for _, p := range []costPrinter{costTables{&table}, &costLines{w: &lines}} {
		if err := p.print(c); err != nil {
			t.Fatal(err)
		}
		if err := p.sum("pure", a); err != nil {
			t.Fatal(err)
		}
		if err := p.compare(bench.Measured{Costs: []bench.Cost{c, c}, Speed: []float64{1, 1.5}, Flops: []float64{1, 2}, Rounds: 3}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"improved/small/solve: l = 4000", "inner product", "q²k", "0.250", "0.011", "25.000", "1.500 times the speed of improved/small/solve", "0.500 of its flops"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("%s\nhas no %q", table.String(), want)
		}
	}
	for _, want := range []string{"improved/small/solve", "equal", "+10.0%", "pure: 1 settings", "10.0% in the median"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("%s\nhas no %q", lines.String(), want)
		}
	}
}

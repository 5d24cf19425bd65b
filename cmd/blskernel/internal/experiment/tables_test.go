package experiment

import (
	"testing"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestCostTable prints a cost that is made up.
func TestCostTable(t *testing.T) {
	text := costTable(bench.Cost{
		Backend: "pure", Method: "improved", Form: "small", Solve: true, L: 4000, K: 1000, Q: 500, C: 10,
		Steps: []bench.CostStep{{Step: "inner product", Formula: "q²k", Model: 2.5e8, Counted: 2.5e8, PredictedSeconds: 0.011, MeasuredSeconds: 0.01}},
		Total: bench.CostStep{Step: "total", Model: 2.5e8, Counted: 2.5e8, PredictedSeconds: 0.011, MeasuredSeconds: 0.01},
	})
	testutil.Contains(t, text, "improved/small/solve: l = 4000", "inner product", "q²k", "0.250", "0.011", "25.000")
}

// TestPaperTablePrint has times that are made up: Table 7 at full size, where the paper's figures are
// of improved/small.
func TestPaperTablePrint(t *testing.T) {
	h := bench.TableHead{
		Table: 7, Data: bench.RandomImages, Scale: 1, Initial: 9900, Batch: 3600, Updates: 4, Nodes: 3500,
		Methods: []string{"original", "improved/paper", "improved/small", "gram"}, Planner: "gram", Repeat: "gram", Seeds: []uint64{1},
	}
	row := func(step int) bench.TableRow {
		r := bench.TableRow{
			Table: 7, Seed: 1, Step: step, Samples: 9900 + 3600*step, FeatureSeconds: 0.5, FeatureFlops: 1e9, Peak: 4e9,
		}
		for i, m := range h.Methods {
			s := []float64{12, 10, 8, 2}[i]
			r.Cells = append(r.Cells, bench.TableCell{
				Method: m, Seconds: s, TotalSeconds: s * float64(step+1), FlopsModel: 1e9 * s,
				Steps: []bench.StepTime{{Step: "W", Seconds: 1, Flops: 3e9}},
			})
		}
		return r
	}
	table := newPaperTable(h)
	testutil.Contains(t, ui.Heads(table.groups), "improved/paper over original      improved/small over original")
	table.row(row(0))
	testutil.Contains(t, table.row(row(1)), "1.20    1.20       -    1.20", "1.50    1.50    1.09    1.50")
	testutil.Contains(t, table.foot(), "improved/paper over original: 1.20 in total training time, 1.20",
		"improved/small over original: 1.50 in total training time (paper: 1.10), 1.50",
		"Steps of gram, FMA peak 4.000 GFLOP/s:", "features  1.000      25.0    2.0    2.000     0.50",
		"W         2.000      50.0    6.0    3.000     0.75", "other     1.000      25.0    0.0    0.000     0.00",
		"all       4.000     100.0    8.0    2.000     0.50")
	testutil.Contains(t, table.row(row(2)), "17100", "1.50    1.50    1.10    1.50")
	for _, tc := range []struct {
		table, batch, nodes int
		methods             []string
		want                []bool
	}{
		{7, 3600, 3500, []string{"improved/paper", "improved/small", "improved/large", "improved"}, []bool{false, true, false, false}},
		{2, 10000, 5100, []string{"improved/paper", "improved/small", "improved/large", "improved"}, []bool{true, false, true, false}},
		{4, 5000, 5100, []string{"improved/paper", "improved/small", "improved/large", "improved/small/solve"}, []bool{true, true, false, false}},
	} {
		for i, want := range tc.want {
			p := &paperTable{h: bench.TableHead{Table: tc.table, Batch: tc.batch, Nodes: tc.nodes, Methods: tc.methods}}
			if p.isPaper(i) != want {
				t.Errorf("table %d, %s: %v", tc.table, tc.methods[i], !want)
			}
		}
	}
}

func TestAgreement(t *testing.T) {
	for _, tc := range []struct {
		rows []bench.Row
		want string
	}{
		{[]bench.Row{{FlopsModel: 5, FlopsCounted: 5}, {FlopsModel: 7, FlopsCounted: 7}}, "equal"},
		{[]bench.Row{{FlopsModel: 5, FlopsCounted: 5}, {FlopsModel: 7e6, FlopsCounted: 5e6}}, "-2e+06"},
		{[]bench.Row{{FlopsModel: 5, FlopsCounted: 8}, {FlopsModel: 7, FlopsCounted: 5}}, "+3e+00"},
	} {
		if got := agreement(tc.rows); got != tc.want {
			t.Errorf("%+v: %s; want %s", tc.rows, got, tc.want)
		}
	}
}

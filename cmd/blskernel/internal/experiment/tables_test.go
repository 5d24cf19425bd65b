package experiment

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"blskernel"
	"blskernel/bench"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
)

// quickCrossover returns a small experiment with constant rates, so that none are measured.
func quickCrossover(t *testing.T) *bench.Crossover {
	t.Helper()
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	return &bench.Crossover{
		L: 60, K: 12, C: 2, Q: []int{1, 5, 30}, Variants: []bench.Variant{{Method: blsupdate.Original}, {Method: blsupdate.Improved, Form: blsupdate.Large}},
		Lambda: 0x1p-30, Rounds: 2, Backend: b, Rates: blsupdate.ConstantRates(1e10, 1e9),
	}
}

// TestCrossoverTable has points that are made up.
func TestCrossoverTable(t *testing.T) {
	c := quickCrossover(t)
	table := newCrossoverTable(c)
	for _, q := range c.Q {
		s := float64(q)
		got := table.line(bench.CrossoverPoint{
			Q: q, Rounds: 3, Planner: "gram",
			Methods:              []bench.CrossoverTiming{{Series: "original", Seconds: s, Flops: 1e9 * s}, {Series: "improved/large", Seconds: 2, Flops: 2e9}, {Series: bench.PlannerSeries, Seconds: 0.5, Flops: 1e9}},
			RetrainPseudoinverse: bench.CrossoverTiming{Seconds: 5, Flops: 10e9}, RetrainWeights: bench.CrossoverTiming{Seconds: 1, Flops: 7e9},
		})
		if q == 5 {
			want := "      5    5.0000   5.000    2.0000   2.000    0.5000   1.000                   gram    5.0000  10.000    1.0000   7.000         3\n"
			if got != want {
				t.Errorf("%q; want\n%q", got, want)
			}
		}
	}
	want := `
Retraining takes less than an update from this q on:

                 A+ from scratch     W from scratch
                 by flops measured   by flops measured
      original         10      5.0        7.0     <= 1
improved/large       > 30     > 30       > 30     <= 1
       planner       > 30     > 30       > 30     > 30
`
	if got := table.foot(); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got := table.q(math.Sqrt(2)); got != "1.4" {
		t.Errorf("%s for the root of 2", got)
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

// TestSearchTable has accuracies that are made up.
func TestSearchTable(t *testing.T) {
	var s search
	accuracy := func(v float64) *float64 { return &v }
	h := bench.TableHead{Initial: 100, Batch: 50, Updates: 2, Planner: "qr", Repeat: "gram"}
	for i, pair := range [][]float64{{97, 98}, {99, 98.5}, {98}} {
		rows := []bench.TableRow{{Step: 1, Cells: []bench.TableCell{{Method: "gram", Accuracy: accuracy(100)}}}}
		for _, a := range pair {
			rows = append(rows, bench.TableRow{Step: 2, Cells: []bench.TableCell{{Method: "qr", Accuracy: accuracy(1)}, {Method: "gram", Accuracy: accuracy(a)}}})
		}
		s.add(trial{lambda: 0x1p-18, shrink: float64(i)}, h, rows)
	}
	want := `Accuracy at 200 samples, %, best first:
  lambda  s  method  runs   mean  std. dev.  least   most
   2^-18  1    gram     2  98.75       0.35  98.50  99.00
   2^-18  2    gram     1  98.00          -  98.00  98.00
   2^-18  0    gram     2  97.50       0.71  97.00  98.00

`
	if got := s.table(); got != want {
		t.Errorf("%s; want\n%s", got, want)
	}
}

// TestPaperTablePrint has times that are made up: Table 7 at full size, where the paper's figures are
// of improved/small.
func TestPaperTablePrint(t *testing.T) {
	h := bench.TableHead{
		Table: 7, Data: bench.RandomImages, Scale: 1, Initial: 9900, Batch: 3600, Updates: 4, Nodes: 3500,
		Methods: []string{"original", "improved/paper", "improved/small", "gram"}, Planner: "gram", Repeat: "gram", Seeds: []uint64{1},
	}
	row := func(step int, rebuilt bool) bench.TableRow {
		r := bench.TableRow{Table: 7, Seed: 1, Step: step, Samples: 9900 + 3600*step, Rebuilt: rebuilt}
		for i, m := range h.Methods {
			s := []float64{12, 10, 8, 2}[i]
			r.Cells = append(r.Cells, bench.TableCell{Method: m, Seconds: s, TotalSeconds: s * float64(step+1), FlopsModel: 1e9 * s})
		}
		return r
	}
	table := newPaperTable(h)
	if got, want := ui.Heads(table.groups), "improved/paper over original   improved/small over original      gram over improved/paper"; !strings.Contains(got, want) {
		t.Errorf("%s\nhas no %q", got, want)
	}
	table.row(row(0, false))
	if got := table.row(row(1, false)); !strings.Contains(got, "1.20    1.20    1.20") || !strings.Contains(got, "1.50    1.50    1.09    1.50") {
		t.Errorf("%q", got)
	}
	foot := table.foot()
	for _, want := range []string{"improved/paper over original: 1.20 in total training time, 1.20", "improved/small over original: 1.50 in total training time (paper: 1.10), 1.50", "gram over improved/paper: 5.0 in"} {
		if !strings.Contains(foot, want) {
			t.Errorf("%s\nhas no %q", foot, want)
		}
	}
	if got := table.row(row(2, true)); !strings.Contains(got, "17100*") || !strings.Contains(got, "1.50    1.50    1.10       -") {
		t.Errorf("%q", got)
	}
	if foot := table.foot(); !strings.HasPrefix(foot, "\n* The run was interrupted") || strings.Contains(foot, "over original") {
		t.Errorf("%s", foot)
	}
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

package report

import (
	"errors"
	"io"
	"math"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// TestCrossoverFindings checks the sentences against numbers that are plain to see.
func TestCrossoverFindings(t *testing.T) {
	point := func(q int, update, inverse, weights float64) sampleLine {
		return sampleLine{"crossover", bench.CrossoverPoint{
			Backend: "pure", L: 1000, K: 100, Q: q, C: 1, Rounds: 3, Planner: "gram",
			Methods: []bench.CrossoverTiming{
				{Series: "improved", Method: "improved", Seconds: update, Flops: update},
				{Series: bench.PlannerSeries, Method: "gram", Seconds: weights / 4, Flops: 1},
			},
			RetrainPseudoinverse: bench.CrossoverTiming{By: "cholesky", Seconds: inverse, Flops: inverse},
			RetrainWeights:       bench.CrossoverTiming{Seconds: weights, Flops: weights},
		}}
	}
	// log(1/4) to log(4) crosses 0 at the geometric mean of 10 and 1000.
	says(t, pageText(t, []sampleLine{point(10, 1, 4, 16), point(1000, 64, 16, 256)}), []string{
		"updating A⁺ by improved wins over A⁺ by the ridge formula and W from scratch up to q ≈ 1.00 k (by flops up to 1.00 k), and loses beyond: at q = 1000 it takes 4.00 times as long.",
		"updating A⁺ by improved still wins over W alone from scratch at q = 1000, where it takes 0.25 of the time.",
		"the planner's choice is 4.00 times as fast as W from scratch and 0.25 to 1.00 times as fast as improved.",
	})
	says(t, pageText(t, []sampleLine{point(10, 8, 4, 2), point(1000, 64, 16, 8)}), []string{
		"updating A⁺ by improved loses to A⁺ by the ridge formula and W from scratch at every q from 10 to 1000: it takes 2.00 to 4.00 times as long.",
	})
}

// TestMissing has what a page may lack: everything, all kinds but one, rows of a table, labels.
func TestMissing(t *testing.T) {
	for _, files := range [][]*result.File{nil, {readSample(t, "x", []sampleLine{sampleMachine("x", "pure")})}, {readSample(t, "x", sampleTable(2, "mnist", 1, []string{"gram"}, nil, 1))}} {
		if _, err := New(files); !errors.Is(err, ErrNoResults) {
			t.Errorf("a page of nothing: %v", err)
		}
	}
	all := sampleFiles(t)
	for _, f := range all[3:] {
		p, err := New([]*result.File{f})
		testutil.NoError(t, err)
		if len(p.Sections) != 1 {
			t.Errorf("%s has %d sections", f.Name, len(p.Sections))
		}
	}
	page := parse(t, html(t, all...)).text.String()
	says(t, page, []string{"No pass is whole, so there is no total.", "This run was interrupted: seed 1 ends after update 3 of 5."})
}

// TestNasty draws what measurements never are, or hardly: nothing may panic or spoil the page.
func TestNasty(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 5e-324, 1e-300, 1e300, math.MaxFloat64} {
		accuracy := v
		head := bench.TableHead{Table: 2, Title: `<b>"&'`, Scale: 1, Updates: 1, Methods: []string{`<i>&"`, "original", "improved/x", "improved/y", "improved/z"}, Planner: "gone", Seeds: []uint64{1}}
		row := bench.TableRow{Table: 2, Seed: 1, Step: 1, Samples: int(min(math.Abs(v), 1e9)), FeatureSeconds: v, Retraining: &bench.Retraining{PseudoinverseSeconds: v}}
		for _, m := range head.Methods {
			row.Cells = append(row.Cells, bench.TableCell{Method: m, Seconds: v, FlopsModel: v, Accuracy: &accuracy})
		}
		n := int(min(math.Abs(v), 1e9))
		cost := bench.Cost{Backend: "<u>", Method: "gram", K: n, Total: bench.CostStep{PredictedSeconds: v, MeasuredSeconds: v, Model: v}}
		f := readSample(t, `<a href="x">`, []sampleLine{
			{"table", head}, {"row", row}, {"cost", cost},
			{"cell", speed.Result{Op: "<s>", M: n, N: n, K: n, Peak: v, Backends: []speed.Timing{{Backend: "<p>", GFLOPS: v, Ratio: v}}}},
			{"cell", speed.Result{Op: "none"}},
			{"crossover", bench.CrossoverPoint{Backend: "<u>", Q: n, K: n, L: n, Methods: []bench.CrossoverTiming{{Series: "improved", Seconds: v, Flops: v}, {Series: bench.PlannerSeries, Seconds: v}}}},
		})
		root := parse(t, html(t, f))
		if n := len(root.all("i", "b", "u", "s")); n > 0 {
			t.Errorf("%g: %d texts have become elements", v, n)
		}
		p, err := New([]*result.File{f})
		testutil.NoError(t, err)
		for _, plot := range p.Plots() {
			if err := plot.WriteSVG(io.Discard); err != nil {
				t.Errorf("%g: %v", v, err)
			}
		}
	}
}

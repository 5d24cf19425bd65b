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

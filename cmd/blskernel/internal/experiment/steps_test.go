package experiment

import (
	"testing"

	"blskernel/bench"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestStepTable formats made-up times.
func TestStepTable(t *testing.T) {
	table := StepTable{Variants: bench.Variants(blsupdate.Original, blsupdate.Gram)}
	line := ""
	for step := range 2 {
		r := bench.TableRow{Step: step, Samples: 100 + 10*step, FeatureSeconds: 0.5, FeatureFlops: 1e9, Peak: 4e9}
		for i, v := range table.Variants {
			seconds, accuracy := []float64{8, 2}[i], float64(90+i)
			r.Cells = append(r.Cells, bench.TableCell{
				Method: v.String(), Seconds: seconds, TotalSeconds: seconds * float64(step+1), FlopsModel: 3e9, FlopsCounted: 3e9, Accuracy: &accuracy,
				Difference: 1e-9 * float64(i*step), Steps: []bench.StepTime{{Step: "W", Seconds: 1, Flops: 3e9}},
			})
		}
		line = table.Lines(r)
		if step == 0 { // the start is not an update
			testutil.Contains(t, line, "    100  gram                         91.00     2.000     2.000     3.000    equal         -         -\n")
		}
	}
	testutil.Contains(t, table.Heads(), "samples  method                 accuracy, %   step, s")
	testutil.Contains(t, line, "    110  original                     90.00     8.000     16.00     3.000    equal         -         -\n",
		"    110  gram                         91.00     2.000     4.000     3.000    equal      4.00      4.00\n")
	testutil.Contains(t, table.Compared(),
		"updates: gram 2.000 s, original 8.000 s (speed-up 4.00); accuracies within 1.00 points, W within 1e-09\n")
}

func TestAgreement(t *testing.T) {
	for _, tc := range []struct {
		model, counted float64
		want           string
	}{{5, 5, "equal"}, {7e6, 5e6, "-2e+06"}, {5, 8, "+3e+00"}} {
		if got := agreement(bench.TableCell{FlopsModel: tc.model, FlopsCounted: tc.counted}); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

package main

import (
	"encoding/csv"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// table returns the cells of CSV text without its first line, from a column on.
func table(t *testing.T, text string, from int) (labels []string, values *mat.Dense) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	testutil.NoError(t, err)
	values = mat.NewDense(len(records)-1, len(records[0])-from, nil)
	for i, record := range records[1:] {
		labels = append(labels, record[0])
		for j, cell := range record[from:] {
			v, err := strconv.ParseFloat(cell, 64)
			testutil.NoError(t, err)
			values.Set(i, j, v)
		}
	}
	return labels, values
}

// TestWeightColumn compares an update and a score with weights with those of rows repeated as often.
// The first batch has no weights, so that the feature maps are the same.
func TestWeightColumn(t *testing.T) {
	for _, tc := range []struct{ target, task, scores string }{{"color", "classification", "--scores"}, {"y1", "regression", "--json=false"}} {
		dir := t.TempDir()
		first := writeText(t, dir, "first.csv", csvText(samples(200, 1), true, "a", "b", "c", "d", tc.target))
		test := writeText(t, dir, "test.csv", csvText(samples(50, 3), true, "a", "b", "c", "d", tc.target))
		once := writeText(t, dir, "once.csv", csvText(samples(150, 2), true, "a", "b", "c", "d", tc.target, "w"))
		var again []sample
		for i, row := range samples(150, 2) {
			again = append(again, slices.Repeat([]sample{row}, weightOf(i))...)
		}
		repeated := writeText(t, dir, "repeated.csv", csvText(again, true, "a", "b", "c", "d", tc.target))
		predicted := map[string][]float64{}
		for name, update := range map[string][]string{"w": {"--weight", "w", once}, "r": {repeated}, "u": {once}} {
			model := filepath.Join(dir, name)
			succeed(t, small("--target", tc.target, "--task", tc.task, "--out", model, first)...)
			succeed(t, append([]string{"update", model}, update...)...)
			_, values := table(t, succeed(t, "predict", model, tc.scores, test), strings.Count(tc.scores, "--scores"))
			predicted[name] = values.RawMatrix().Data
		}
		var worst, least float64
		for i, v := range predicted["w"] {
			worst = max(worst, math.Abs(v-predicted["r"][i]))
			least = max(least, math.Abs(v-predicted["u"][i]))
		}
		if !(worst <= 1e-6 && least > 1e-3) {
			t.Errorf("%s: weights differ by %g from repeated rows, and by %g from none", tc.task, worst, least)
		}
		evaluate := func(args ...string) map[string]any {
			return object[map[string]any](t, succeed(t, append([]string{"evaluate", "--json", filepath.Join(dir, "w")}, args...)...))
		}
		weights, rows := evaluate("--weight", "w", once), evaluate(repeated)
		for _, name := range []string{"accuracy", "correct", "macro_f1", "macro_recall", "auc", "log_loss", "calibration_error"} {
			a, _ := weights[name].(float64)
			if b, _ := rows[name].(float64); tc.task == "classification" && !(math.Abs(a-b) <= 1e-12*max(1, b)) {
				t.Errorf("%s is %v with weights, and %v of the repeated rows", name, a, b)
			}
		}
	}
}

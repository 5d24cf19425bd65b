package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/bls/metrics"
	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// weighted returns the CSV text of rows with a column of weights 0 to 3, and of rows repeated by them.
func weighted(rows []sample, target string) (once, repeated string) {
	var b strings.Builder
	var again []sample
	fmt.Fprintf(&b, "a,b,c,d,%s,w\n", target)
	for i, line := range strings.Split(strings.TrimSuffix(csvText(rows, false, "a", "b", "c", "d", target), "\n"), "\n") {
		w := (i*i + i/3) % 4
		fmt.Fprintf(&b, "%s,%d\n", line, w)
		for range w {
			again = append(again, rows[i])
		}
	}
	return b.String(), csvText(again, true, "a", "b", "c", "d", target)
}

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
		text, again := weighted(samples(150, 2), tc.target)
		once, repeated := writeText(t, dir, "once.csv", text), writeText(t, dir, "repeated.csv", again)
		model := func(name string) string { return filepath.Join(dir, name) }
		predict := func(name string) *mat.Dense {
			from := 0
			if tc.task == "classification" {
				from = 1
			}
			_, values := table(t, succeed(t, "predict", model(name), tc.scores, test), from)
			return values
		}
		for _, name := range []string{"w.bls", "r.bls", "u.bls"} {
			succeed(t, small("--target", tc.target, "--task", tc.task, "--out", model(name), first)...)
		}
		succeed(t, "update", model("w.bls"), "--weight", "w", once)
		succeed(t, "update", model("r.bls"), repeated)
		succeed(t, "update", model("u.bls"), once)
		got, want, without := predict("w.bls"), predict("r.bls"), predict("u.bls")
		var worst, least float64
		for i, v := range got.RawMatrix().Data {
			worst = max(worst, math.Abs(v-want.RawMatrix().Data[i]))
			least = max(least, math.Abs(v-without.RawMatrix().Data[i]))
		}
		if !(worst <= 1e-6 && least > 1e-3) {
			t.Errorf("%s: weights differ by %g from repeated rows, and by %g from none", tc.task, worst, least)
		}
		evaluate := func(args ...string) map[string]any {
			return object[map[string]any](t, succeed(t, append([]string{"evaluate", "--json", model("w.bls")}, args...)...))
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

// TestWeightsNoted has a model trained with weights, and an update without, which is told.
func TestWeightsNoted(t *testing.T) {
	dir := t.TempDir()
	text, _ := weighted(samples(300, 1), "color")
	data, model := writeText(t, dir, "x.csv", text), filepath.Join(dir, "m.bls")
	succeed(t, small("--target", "color", "--weight", "w", "--out", model, data)...)
	if f := object[learn.Inspection](t, succeed(t, "inspect", "--json", model)); strings.Join(f.Metadata.Inputs, "") != "abcd" {
		t.Errorf("%q", f.Metadata.Inputs)
	}
	silent(t, "predict", model, data)
	silent(t, "update", model, "--weight", "w", "--again", data)
	if _, _, stderr := inProcess("evaluate", model, data); !strings.Contains(stderr, "note: the model was trained with --weight w, and here all rows count alike") {
		t.Errorf("%q", stderr)
	}
	// Weights 1 are no weights, to the bit.
	ones := writeText(t, dir, "ones.csv", strings.ReplaceAll(csvText(samples(300, 1), true, "a", "b", "c", "d", "color"), "\n", ",1\n"))
	succeed(t, small("--target", "color", "--weight", "6", "--header", "present", "--out", model, ones)...)
	want := filepath.Join(dir, "n.bls")
	succeed(t, small("--target", "color", "--exclude", "6", "--header", "present", "--out", want, ones)...)
	if !bytes.Equal(state(t, model), state(t, want)) {
		t.Error("weights of 1 make another model")
	}
}

// TestClassWeight finds more rows of a rare class with --class-weight balanced.
func TestClassWeight(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("x,y,kind\n")
	for i := range 1000 {
		x, y := math.Mod(float64(i)*0.618, 1), math.Mod(float64(i)*0.414, 1)
		kind := "common"
		if x+y > 1.7 && i%3 > 0 {
			kind = "rare"
		}
		fmt.Fprintf(&b, "%g,%g,%s\n", x, y, kind)
	}
	data, model := writeText(t, dir, "x.csv", b.String()), filepath.Join(dir, "m.bls")
	recall := func(weight string) float64 {
		succeed(t, small("--target", "kind", "--class-weight", weight, "--out", model, data)...)
		q := object[learn.Classification](t, succeed(t, "evaluate", "--json", model, data))
		return *q.Classes[1].Recall
	}
	if plain, balanced := recall("unweighted"), recall("balanced"); !(balanced > 0.95 && plain < 0.8) {
		t.Errorf("recall %v, and %v balanced", plain, balanced)
	}
	silent(t, "update", model, "--again", data) // as balanced as before
	for weight, first := range map[string]int{"unweighted": 240, "balanced": 960} {
		_, _, stderr := inProcess("train", "--target", "kind", "--enhancement", "20", "--batch", "50", "--class-weight", weight, "--verbose", "--out", model, data)
		testutil.Contains(t, stderr, fmt.Sprintf("feature maps fitted to the first %d rows", first))
	}
	fail(t, ui.ExitUsage, "--class-weight is about classes, and the task is a regression",
		small("--target", "x", "--inputs", "y", "--task", "regression", "--class-weight", "balanced", "--out", model, data)...)
}

// TestProbabilities compares predict --probabilities with the scores, and evaluate with what follows
// from them.
func TestProbabilities(t *testing.T) {
	dir, data, model := colored(t, 400)
	succeed(t, small("--target", "color", "--out", model, data)...)
	rows := samples(100, 2)
	test := writeText(t, dir, "test.csv", csvText(rows, true, "a", "b", "c", "d", "color"))
	text := succeed(t, "predict", model, "--probabilities", test)
	testutil.Contains(t, text, "color,probability:dark blue,probability:green,probability:red\n")
	labels, p := table(t, text, 1)
	_, scores := table(t, succeed(t, "predict", model, "--scores", test), 1)
	known := make([]int, len(rows))
	for i, row := range rows {
		var sum float64
		best := 0
		for j, v := range p.RawRowView(i) {
			sum += v
			if scores.At(i, j) > scores.At(i, best) {
				best = j
			}
			if !(v > 0 && v <= p.At(i, best)+1e-15) {
				t.Errorf("row %d: probabilities %v of scores %v", i, p.RawRowView(i), scores.RawRowView(i))
			}
		}
		names := []string{"dark blue", "green", "red"}
		if !(math.Abs(sum-1) <= 1e-12) || labels[i] != names[best] {
			t.Errorf("row %d: %v sum to %v, and %s is predicted", i, p.RawRowView(i), sum, labels[i])
		}
		for j, name := range names {
			if row.label == name {
				known[i] = j
			}
		}
	}
	q := object[learn.Classification](t, succeed(t, "evaluate", "--json", model, test))
	if loss, off := metrics.LogLoss(known, p, nil), metrics.CalibrationError(known, p, nil); !(math.Abs(*q.LogLoss-loss) <= 1e-12) || !(math.Abs(*q.Calibration-off) <= 1e-12) {
		t.Errorf("log loss %v, calibration error %v; want %v and %v", *q.LogLoss, *q.Calibration, loss, off)
	}
	lines := strings.Split(strings.TrimSuffix(succeed(t, "predict", model, "--json", "--probabilities", test), "\n"), "\n")
	for i, line := range lines {
		if o := object[learn.Prediction](t, line); o.Scores != nil || o.Probabilities["red"] != p.At(i, 2) {
			t.Fatalf("%s; want %v", line, p.RawRowView(i))
		}
	}
	array := filepath.Join(dir, "p.npy")
	succeed(t, "predict", model, "--probabilities", "--out", array, test)
	var got mat.Dense
	if readNPY(t, array, &got); len(lines) != 100 || !slices.Equal(got.RawMatrix().Data, p.RawMatrix().Data) {
		t.Errorf("%d lines, and another array", len(lines))
	}
	fail(t, ui.ExitUsage, "--scores and --probabilities exclude each other", "predict", model, "--scores", "--probabilities", test)
}

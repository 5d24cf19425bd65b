package main

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	npyformat "blskernel/internal/npy"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"github.com/sbinet/npyio/npy"
)

// trained trains a model on generated samples and returns its path and that of a file of test samples
// with the targets.
func trained(t *testing.T, flags ...string) (model, test string) {
	t.Helper()
	dir := t.TempDir()
	columns := []string{"a", "b", "c", "d", "color"}
	if slices.Contains(flags, "regression") {
		columns = []string{"a", "b", "c", "d", "y1", "y2"}
	}
	data := writeText(t, dir, "train.csv", csvText(samples(400, 1), true, columns...))
	test = writeText(t, dir, "test.csv", csvText(samples(100, 2), true, columns...))
	model = filepath.Join(dir, "m.bls")
	succeed(t, small(append(flags, "--out", model, data)...)...)
	return model, test
}

// testX returns the inputs of the test samples.
func testX() *mat.Dense {
	rows := samples(100, 2)
	x := mat.NewDense(len(rows), 4, nil)
	for i, s := range rows {
		x.SetRow(i, s.x[:])
	}
	return x
}

// TestPredictForms writes predictions as CSV, JSON and NumPy arrays, which are those of the library.
func TestPredictForms(t *testing.T) {
	model, test := trained(t, "--target", "color")
	f, err := modelfile.Load(model, nil)
	testutil.NoError(t, err)
	scores, err := f.Classifier.DecisionFunction(testX())
	testutil.NoError(t, err)
	classes := bls.ArgMax(scores)
	out := filepath.Join(t.TempDir(), "p.csv")
	if stdout := succeed(t, "predict", model, "--scores", "--out", out, "--batch", "7", test); stdout != "" {
		t.Errorf("%q", stdout)
	}
	text, err := os.ReadFile(out)
	testutil.NoError(t, err)
	if direct := succeed(t, "predict", model, "--scores", "--batch", "7", test); direct != string(text) {
		t.Error("the file is not what standard output has")
	}
	lines := strings.Split(string(text), "\n")
	if lines[0] != "color,score:dark blue,score:green,score:red" || len(lines) != 102 {
		t.Errorf("%q, %d lines", lines[0], len(lines))
	}
	for i, line := range strings.Split(strings.TrimSuffix(succeed(t, "predict", model, "--json", "--scores", test), "\n"), "\n") {
		p := object[learn.Prediction](t, line)
		label := f.Metadata.Classes[classes[i]]
		if p.Row != int64(i)+1 || *p.Class != label || !strings.HasPrefix(lines[i+1], label+",") || len(p.Scores) != 3 || !(math.Abs(p.Scores[label]-scores.At(i, classes[i])) <= 1e-12) {
			t.Errorf("row %d: %+v, %q; want %s with %v", i, p, lines[i+1], label, scores.RawRowView(i))
		}
	}
	array := filepath.Join(t.TempDir(), "p.npy")
	succeed(t, "predict", model, "--scores", "--out", array, test)
	var got mat.Dense
	readNPY(t, array, &got)
	if r, c := got.Dims(); r != 100 || c != 3 {
		t.Fatalf("%d x %d scores", r, c)
	}
	for i := range 100 {
		for j, v := range scores.RawRowView(i) {
			if !(math.Abs(v-got.At(i, j)) <= 1e-12) { // batches of other sizes are other products
				t.Errorf("score (%d,%d) is %v; want %v", i, j, got.At(i, j), v)
			}
		}
	}
	succeed(t, "predict", model, "--out", array, test)
	var labels []string
	readNPY(t, array, &labels)
	for i, label := range labels {
		if label = plain(label); label != f.Metadata.Classes[classes[i]] {
			t.Errorf("row %d: %q", i, label)
		}
	}
	fail(t, ui.ExitUsage, "since --json is given", "predict", model, "--json", "--out", array, test)
}

// readNPY reads an array by another implementation of the format.
func readNPY(t *testing.T, path string, v any) {
	t.Helper()
	f, err := os.Open(path)
	testutil.NoError(t, err)
	defer f.Close()
	if err := npy.Read(f, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestArrays trains on a NumPy array with the targets in another.
func TestArrays(t *testing.T) {
	dir := t.TempDir()
	rows := samples(400, 1)
	var x, y []float64
	var labels []string
	for _, s := range rows {
		x, y = append(x, s.x[:]...), append(y, s.y1)
		labels = append(labels, s.label)
	}
	numbers := func(v []float64, shape ...int) string {
		return string(npyformat.AppendFloats(npyformat.AppendHeader(nil, npyformat.Float64, shape...), v))
	}
	descr := npyformat.LabelType(labels)
	texts := npyformat.AppendHeader(nil, descr, len(rows))
	for _, label := range labels {
		texts = npyformat.AppendLabel(texts, descr, label)
	}
	xPath := writeText(t, dir, "X.npy", numbers(x, len(rows), 4))
	yPath := writeText(t, dir, "y.npy", numbers(y, len(rows), 1))
	labelPath := writeText(t, dir, "labels.npy", string(texts))
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--out", model, "--targets-file", yPath, xPath)...)
	if q := object[learn.Regression](t, succeed(t, "evaluate", "--json", model, "--targets-file", yPath, xPath)); !(*q.Targets[0].R2 > 0.9) || q.Targets[0].Name != "y1" {
		t.Errorf("%+v", q)
	}
	succeed(t, "update", model, "--again", "--targets-file", yPath, xPath)
	y[1], y[3] = math.Trunc(y[1]), math.Trunc(y[3])
	// A column of fractions and whole numbers.
	some := writeText(t, dir, "some.npy", numbers(y, len(rows), 1))
	for _, skip := range []string{"0", "10"} {
		out := succeed(t, small("--out", filepath.Join(dir, skip+".bls"), "--skip-bad", skip, "--targets-file", some, xPath)...)
		testutil.Contains(t, out, "regression, 1 target")
	}
	if n := strings.Count(succeed(t, "predict", model, xPath), "\n"); n != 401 {
		t.Errorf("%d lines", n)
	}
	fail(t, ui.ExitUsage, "--target is missing: the columns have no names", "update", model, "--again", xPath)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, text := range map[string]string{"X": numbers(x, len(rows), 4), "color": string(texts)} {
		entry, err := w.Create(name + ".npy")
		testutil.NoError(t, err)
		if _, err := io.WriteString(entry, text); err != nil {
			t.Fatal(err)
		}
	}
	testutil.NoError(t, w.Close())
	both := writeText(t, dir, "both.npz", archive.String())
	succeed(t, small("--out", model, "--target", "color", both)...)
	for _, args := range [][]string{{"evaluate", "--json", model, both}, {"evaluate", "--json", "--target", "color", model, both}} {
		if q := object[learn.Classification](t, succeed(t, args...)); !(q.Accuracy > 0.9) || q.Rows != int64(len(rows)) {
			t.Errorf("%+v", q)
		}
	}
	if n := strings.Count(succeed(t, "predict", model, both), "\n"); n != 401 {
		t.Errorf("%d lines", n)
	}
	succeed(t, small("--out", model, "--targets-file", labelPath, xPath)...)
	if q := object[learn.Classification](t, succeed(t, "evaluate", "--json", model, "--targets-file", labelPath, xPath)); !(q.Accuracy > 0.9) {
		t.Errorf("%+v", q)
	}
}

// plain returns an ASCII string of an array, of which the other implementation returns the bytes, four
// a character.
func plain(s string) string { return strings.ReplaceAll(s, "\x00", "") }

package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/metrics"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/predict"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"github.com/sbinet/npyio/npy"
)

// trained trains a model on generated samples. It returns its path and the path of a file of test
// samples with the targets.
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

// TestPredictForms checks predictions as CSV, JSON and NumPy arrays against the library's numbers, with
// which evaluate scores too.
func TestPredictForms(t *testing.T) {
	model, test := trained(t, "--target", "color")
	f, err := modelfile.Load(model, nil)
	testutil.NoError(t, err)
	rows := samples(100, 2)
	x, known := mat.NewDense(len(rows), 4, nil), make([]int, len(rows))
	for i, s := range rows {
		x.SetRow(i, s.x[:])
		known[i] = slices.Index(f.Metadata.Classes, s.label)
	}
	scores, err := f.Classifier.DecisionFunction(x)
	testutil.NoError(t, err)
	probabilities, err := f.Classifier.PredictProba(x)
	testutil.NoError(t, err)
	classes, array := bls.ArgMax(scores), filepath.Join(t.TempDir(), "p.npy")
	for _, tc := range []struct {
		flag, title string
		want        *mat.Dense
	}{{"--scores", "score:", scores}, {"--probabilities", "probability:", probabilities}} {
		// Batches of other sizes use other products.
		same := func(what string, i int, got []float64) {
			for j, v := range tc.want.RawRowView(i) {
				if !(math.Abs(v-got[j]) <= 1e-12) {
					t.Errorf("%s as %s, row %d: %v; want %v", tc.flag, what, i, got, tc.want.RawRowView(i))
				}
			}
		}
		text := succeed(t, "predict", model, tc.flag, "--batch", "7", test)
		testutil.Contains(t, text, strings.ReplaceAll("color,*dark blue,*green,*red\n", "*", tc.title))
		labels, values := table(t, text, 1)
		succeed(t, "predict", model, tc.flag, "--out", array, test)
		var stored mat.Dense
		readNPY(t, array, &stored)
		if r, c := stored.Dims(); r != len(rows) || c != 3 || len(labels) != r {
			t.Fatalf("%d x %d numbers, %d labels", r, c, len(labels))
		}
		lines := strings.Split(strings.TrimSuffix(succeed(t, "predict", model, "--json", tc.flag, test), "\n"), "\n")
		for i, line := range lines {
			p := object[predict.Prediction](t, line)
			label, named := f.Metadata.Classes[classes[i]], p.Scores
			if tc.flag == "--probabilities" {
				named = p.Probabilities
			}
			if p.Row != int64(i)+1 || *p.Class != label || labels[i] != label || len(p.Scores)+len(p.Probabilities) != 3 {
				t.Errorf("row %d: %+v, %q; want %s", i, p, labels[i], label)
			}
			same("CSV", i, values.RawRowView(i))
			same("array", i, stored.RawRowView(i))
			same("JSON", i, []float64{named["dark blue"], named["green"], named["red"]})
		}
	}
	succeed(t, "predict", model, "--out", array, test)
	var labels []string
	readNPY(t, array, &labels)
	for i, label := range labels { // ASCII strings, for which the other implementation returns four bytes a character
		if label = strings.ReplaceAll(label, "\x00", ""); label != f.Metadata.Classes[classes[i]] {
			t.Errorf("row %d: %q", i, label)
		}
	}
	q := object[score.Classification](t, succeed(t, "evaluate", "--json", model, test))
	loss, off := metrics.LogLoss(known, probabilities, nil), metrics.CalibrationError(known, probabilities, nil)
	right := metrics.Confuse(known, classes, 3, nil).Correct()
	if !(math.Abs(*q.LogLoss-loss) <= 1e-12) || !(math.Abs(*q.Calibration-off) <= 1e-12) || q.Correct != right {
		t.Errorf("%+v; want %v right, the log loss %v, the calibration error %v", q, right, loss, off)
	}
}

// readNPY reads an array with another implementation of the format.
func readNPY(t *testing.T, path string, v any) {
	t.Helper()
	f, err := os.Open(path)
	testutil.NoError(t, err)
	defer f.Close()
	if err := npy.Read(f, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// table returns the first cells and the cells from a column on, of CSV text without its first line.
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

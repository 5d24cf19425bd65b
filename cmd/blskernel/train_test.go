package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestClassification trains on CSV, looks at what it says, and lets the other commands use the model.
func TestClassification(t *testing.T) {
	dir := t.TempDir()
	train := writeText(t, dir, "train.csv", csvText(samples(400, 1), true, "id", "a", "b", "c", "d", "color"))
	test := writeText(t, dir, "test.csv", csvText(samples(200, 2), true, "d", "color", "a", "id", "c", "b"))
	model := filepath.Join(dir, "m.bls")
	out := succeed(t, small("--out", model, "--target", "color", "--inputs", "2-5", train)...)
	testutil.Contains(t, out, "classification, 3 classes, 4 inputs, k = 30 nodes by ", "400 samples in all\n",
		"learned 400 rows in ", "rows/s: ")
	// The columns are found by their names, in any order and among others.
	q := object[learn.Classification](t, succeed(t, "evaluate", model, "--json", test))
	if !(q.Accuracy > 0.9) || q.Rows != 200 || q.Unknown != 0 || len(q.Classes) != 3 || q.Classes[0].Label != "dark blue" {
		t.Errorf("%+v", q)
	}
	var right float64
	predictions := strings.Split(strings.TrimSuffix(succeed(t, "predict", model, test), "\n"), "\n")
	if len(predictions) != 201 || predictions[0] != "color" {
		t.Fatalf("%d lines, %q", len(predictions), predictions[0])
	}
	for i, s := range samples(200, 2) {
		if predictions[i+1] == s.label {
			right++
		}
	}
	if right != q.Correct {
		t.Errorf("%v predictions are right; evaluate says %v", right, q.Correct)
	}
	testutil.Contains(t, succeed(t, "evaluate", model, test), "rows               200\naccuracy           ", "\nAUC                ",
		"\nclass      rows  predicted", "\nis \\ predicted  dark blue  green  red\n")
}

// TestOneRunOrTwo finds the same output layer to the bit by one training, and by a training and an
// update at the end of a batch, with the ridge given: its choice goes by the rows to come, which the
// model keeps.
func TestOneRunOrTwo(t *testing.T) {
	rows := samples(400, 1)
	for _, tc := range []struct {
		name    string
		columns []string
		flags   []string
	}{
		{"classification", []string{"a", "b", "c", "d", "color"}, []string{"--target", "color", "--lambda", "1e-3"}},
		{"regression", []string{"a", "b", "c", "d", "y1", "y2"}, []string{"--target", "y1,y2", "--task", "regression", "--lambda", "1e-3"}},
		{"gram", []string{"a", "b", "c", "d", "y1"}, []string{"--target", "y1", "--method", "gram", "--lambda", "0.5"}},
		{"improved", []string{"a", "b", "c", "d", "y1"}, []string{"--target", "y1", "--method", "improved", "--enhancement", "0", "--groups", "1", "--group-nodes", "3", "--lambda", "0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			first := writeText(t, dir, "1.csv", csvText(rows[:250], true, tc.columns...))
			second := writeText(t, dir, "2.csv", csvText(rows[250:], true, tc.columns...))
			one, two := filepath.Join(dir, "one.bls"), filepath.Join(dir, "two.bls")
			succeed(t, small(append(tc.flags, "--out", one, first, second)...)...)
			succeed(t, small(append(tc.flags, "--out", two, first)...)...)
			kept := unchanged(t, two)
			out := filepath.Join(dir, "three.bls")
			succeed(t, "update", two, "--out", out, second)
			kept()
			testutil.Contains(t, succeed(t, "update", two, second), "400 samples in all\n")
			layer := func(path string) []byte {
				f, err := modelfile.Load(path, nil)
				testutil.NoError(t, err)
				var b bytes.Buffer
				if f.Classifier != nil {
					err = blsupdate.Encode(&b, f.Classifier.Updater())
				} else {
					err = blsupdate.Encode(&b, f.Regressor.Updater())
				}
				testutil.NoError(t, err)
				return b.Bytes()
			}
			want := layer(one)
			if !bytes.Equal(layer(two), want) || !bytes.Equal(layer(out), want) {
				t.Error("a training and an update are not the training on all")
			}
		})
	}
}

// TestRegression has two targets, whose names are those of the predictions.
func TestRegression(t *testing.T) {
	dir := t.TempDir()
	train := writeText(t, dir, "train.csv", csvText(samples(600, 1), true, "a", "y2", "b", "c", "d", "y1"))
	test := writeText(t, dir, "test.csv", csvText(samples(200, 2), true, "a", "b", "c", "d", "y1", "y2"))
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--out", model, "--target", "y1,y2", "--quiet", train)...)
	q := object[learn.Regression](t, succeed(t, "evaluate", model, "--json", test))
	if len(q.Targets) != 2 || q.Targets[0].Name != "y1" || q.Targets[1].Name != "y2" || q.Rows != 200 {
		t.Fatalf("%+v", q)
	}
	for _, target := range q.Targets {
		if target.R2 == nil || !(*target.R2 > 0.9) || !(*target.MAE <= *target.RMSE) {
			t.Errorf("%+v", target)
		}
	}
	testutil.Contains(t, succeed(t, "evaluate", model, test), "target", "R2\n")
	lines := strings.Split(succeed(t, "predict", model, test), "\n")
	if lines[0] != "y1,y2" || len(lines) != 202 {
		t.Errorf("%q, %d lines", lines[0], len(lines))
	}
	if got := object[learn.Prediction](t, succeed(t, "predict", model, "--json", test)); got.Row != 1 || len(got.Values) != 2 || got.Class != nil {
		t.Errorf("%+v", got)
	}
	fail(t, ui.ExitUsage, "--scores are those of classes", "predict", model, "--scores", test)
}

// TestImages trains on a folder with MNIST's names, and evaluates its test set.
func TestImages(t *testing.T) {
	dir := writeIDX(t, 600)
	model := filepath.Join(t.TempDir(), "m.bls")
	succeed(t, "train", "--out", model, "--enhancement", "60", "--first", "400", "--batch", "100", "--data", dir)
	f, err := modelfile.Load(model, nil)
	testutil.NoError(t, err)
	if got := f.Classifier.FittedFeatures().Options().Scaling.String(); got != "samples" || len(f.Metadata.Classes) != 10 {
		t.Errorf("scaled by %s, classes %v", got, f.Metadata.Classes)
	}
	q := object[learn.Classification](t, succeed(t, "evaluate", model, "--json", dir))
	if q.Rows != 200 || !(q.Accuracy > 0.7) {
		t.Errorf("%d rows, accuracy %v", q.Rows, q.Accuracy)
	}
	if q := object[learn.Classification](t, succeed(t, "evaluate", model, "--json", "--part", "training", dir)); q.Rows != 600 {
		t.Errorf("%d rows of the training set", q.Rows)
	}
	if lines := strings.Count(succeed(t, "predict", model, dir), "\n"); lines != 201 {
		t.Errorf("%d lines", lines)
	}
}

// TestTask guesses what is certain and asks for what is not.
func TestTask(t *testing.T) {
	dir := t.TempDir()
	train := []string{"train", "--out", filepath.Join(dir, "m"), "--target", "n", "--groups", "1", "--group-nodes", "2", "--enhancement", "0"}
	var data string
	for _, n := range [][]any{{1, "b", 2}, {1.5, "b", 1.5}} {
		data = writeText(t, dir, "x.csv", fmt.Sprintf("a,b,n\n1,2,%v\n2,3,%v\n3,1,%v\n", n...))
		fail(t, ui.ExitUsage, "--task is missing: the targets could be numbers of classes", append(train, data)...)
	}
	// Whole numbers are classes if few differ, a quantity if most do, and else nobody knows.
	numbers := func(different, rows int) string {
		text := "a,b,n\n"
		for i := range rows {
			text += fmt.Sprintf("%d,%d,%d\n", i%7, i%5, 10*(i%different))
		}
		return writeText(t, dir, "x.csv", text)
	}
	testutil.Contains(t, succeed(t, append(train, numbers(20, 100))...), "classification, 20 classes")
	testutil.Contains(t, succeed(t, append(train, numbers(21, 41))...), "regression, 1 target")
	fail(t, ui.ExitUsage, "--task is missing", append(train, numbers(21, 42))...)
	data = writeText(t, dir, "x.csv", "a,b,n\n1,2,0\n2,3,1\n3,1,0\n")
	for task, want := range map[string]string{"classification": "classification, 2 classes", "regression": "regression, 1 target"} {
		testutil.Contains(t, succeed(t, append(train, "--task", task, data)...), want)
	}
	testutil.Contains(t, succeed(t, append(train, "--target", "b", data)...), "regression, 2 targets")
	// Words are classes, and numbers with fractions targets of a regression.
	for _, tc := range [][]string{{"blue", "red", "classification, 2 classes"}, {"1.5", "2", "regression, 1 target"}} {
		data = writeText(t, dir, "x.csv", fmt.Sprintf("a,b,n\n1,2,%s\n2,3,%s\n3,1,%s\n", tc[0], tc[1], tc[0]))
		testutil.Contains(t, succeed(t, append(train, data)...), tc[2])
	}
}

// TestClasses has a class that comes late.
func TestClasses(t *testing.T) {
	rows := samples(300, 1)
	var sorted []sample
	for _, label := range []string{"red", "green", "dark blue"} {
		for _, s := range rows {
			if s.label == label {
				sorted = append(sorted, s)
			}
		}
	}
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(sorted, true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	train := func(flags ...string) []string {
		return small(append(flags, "--first", "150", "--out", model, "--target", "color", data)...)
	}
	fail(t, ui.ExitFailure, `is none of the 2 classes of the model ("red", "green"): --classes lists all of them`, train("--classes", "red,green")...)
	left(t, 0, model)
	testutil.Contains(t, succeed(t, train("--classes", "green,red,dark blue")...), "3 classes")
	want := state(t, model)
	status, out, stderr := inProcess(train()...)
	if status != 0 || !strings.Contains(stderr, `: the label "dark blue" is new to the model, which has 3 classes now`) {
		t.Errorf("status %d, %q", status, stderr)
	}
	testutil.Contains(t, out, "3 classes")
	// OpenBLAS sums in another order for another number of targets.
	if pure := strings.HasPrefix(blskernel.Default().Name(), "pure"); pure && !bytes.Equal(state(t, model), want) {
		t.Error("a class that comes late makes another model")
	}
	other := writeText(t, dir, "y.csv", "a,b,c,d,color\n1,2,3,4,black\n")
	fail(t, ui.ExitFailure, `y.csv:2: the label "black" is none of the 3 classes of the model ("green", "red", "dark blue"): leave the row out`, "update", "--known-labels", model, other)
	if q := object[learn.Classification](t, succeed(t, "evaluate", "--json", model, other)); q.Unknown != 1 || q.Accuracy != 0 {
		t.Errorf("%+v", q)
	}
	if _, _, stderr := inProcess("update", model, other); !strings.Contains(stderr, `y.csv:2: the label "black" is new to the model, which has 4 classes now`) {
		t.Errorf("%q", stderr)
	}
	if m := object[learn.Inspection](t, succeed(t, "inspect", "--json", model)).Metadata; !slices.Equal(m.Classes, []string{"green", "red", "dark blue", "black"}) {
		t.Errorf("the classes are %q", m.Classes)
	}
	if q := object[learn.Classification](t, succeed(t, "evaluate", "--json", model, data)); !(q.Accuracy > 0.9) {
		t.Errorf("%+v", q)
	}
	many := "a,b,c,d,color\n"
	for i := range 60 {
		many += fmt.Sprintf("1,2,3,4,class %d\n", i)
	}
	fail(t, ui.ExitUsage, `many.csv:2: 50 classes of 50 rows have labels that are new to the model, such as "class 0": is --target the right column?`,
		"update", model, writeText(t, dir, "many.csv", many))
}

// TestClassesOfVersion1 gives a model file of version 1 a new label.
func TestClassesOfVersion1(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "bls", "modelfile", "testdata", "v1-gram.bls"))
	testutil.NoError(t, err)
	model := writeText(t, dir, "v1.bls", string(text))
	more := writeText(t, dir, "more.csv", "a <b>,größe,color\n1,2,red\n1,2,violet\n")
	fail(t, ui.ExitFailure, `more.csv:3: the label "violet" is none of the 3 classes of the model ("red", "green", "blue"): a model file of an earlier version cannot gain classes: train it anew`,
		"update", model, more)
	testutil.Contains(t, succeed(t, "update", model, writeText(t, dir, "red.csv", "a <b>,größe,color\n1,2,red\n")), "21 samples in all")
}

// TestWideBatches has a batch of the same number of bytes for any number of columns, so that memory
// does not grow with them, and keeps its rows in the model.
func TestWideBatches(t *testing.T) {
	const d, rows = 20000, 240
	dir := t.TempDir()
	line := strings.Repeat("0,", d-4)
	var text strings.Builder
	for i, s := range strings.SplitAfter(csvText(samples(rows, 1), false, "a", "b", "c", "d", "color"), "\n")[:rows] {
		text.WriteString(line[:2*i%7] + line[2*i%7:] + s)
	}
	data := writeText(t, dir, "wide.csv", text.String())
	model := filepath.Join(dir, "m.bls")
	out := succeed(t, "train", "--out", model, "--groups", "1", "--group-nodes", "3", "--enhancement", "2", "--target", "20001", "--scale", "none", "--checkpoint", "1", data)
	// The first batch, of the larger of 209 and twice the nodes, and the rest.
	testutil.Contains(t, out, "checkpoint after 240 rows\n", "learned 240 rows")
	f, err := modelfile.Load(model, nil)
	if err != nil || f.Metadata.Batch != 209 {
		t.Errorf("batches of %d rows (%v)", f.Metadata.Batch, err)
	}
}

// TestQuiet prints no notes.
func TestQuiet(t *testing.T) {
	dir, data, model := colored(t, 400)
	stopAfter(t, 1, small("--target", "color", "--checkpoint", "100", "--out", model, data)...)
	for _, args := range [][]string{{"predict", model, data}, {"evaluate", model, data}, {"export", model, "--out", filepath.Join(dir, "m.npz")}} {
		if status, _, stderr := inProcess(args...); status != 0 || !strings.Contains(stderr, "note: ") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
		if status, _, stderr := inProcess(append(args, "--quiet")...); status != 0 || stderr != "" {
			t.Errorf("%q --quiet: status %d, %q", args, status, stderr)
		}
	}
	out := succeed(t, "inspect", model, "--quiet", "--backend", "pure", "--threads", "1")
	testutil.Contains(t, out, "a checkpoint of a training")
}

// TestSourceDate trains a model twice with the time of SOURCE_DATE_EPOCH, on one thread and on two: the
// files are equal.
func TestSourceDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	model, _ := trained(t, "--target", "color", "--backend", "pure", "--threads", "1")
	again, _ := trained(t, "--target", "color", "--backend", "pure", "--threads", "2")
	first, err := os.ReadFile(model)
	testutil.NoError(t, err)
	second, err := os.ReadFile(again)
	testutil.NoError(t, err)
	if !bytes.Equal(first, second) {
		t.Error("the files differ")
	}
	testutil.Contains(t, string(first), `"created":"2001-09-09T01:46:40Z","changed":"2001-09-09T01:46:40Z"`)
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	data := writeText(t, t.TempDir(), "train.csv", csvText(samples(40, 1), true, "a", "b", "c", "d", "color"))
	fail(t, 2, `SOURCE_DATE_EPOCH is "yesterday"`, small("--target", "color", "--out", filepath.Join(t.TempDir(), "m.bls"), data)...)
}

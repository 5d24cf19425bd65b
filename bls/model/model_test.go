package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// batch returns the rows of a text of two inputs and a target, with places in rows.csv.
func batch(t *testing.T, classes bool, text string) *stream.Batch {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	testutil.NoError(t, os.WriteFile(path, []byte("a,b,y\n"+text), 0o666))
	r, err := stream.Open(t.Context(), []string{path}, stream.Options{Targets: []string{"y"}, Classes: classes})
	testutil.NoError(t, err)
	defer r.Close()
	b, err := r.Next(1 << 20)
	testutil.NoError(t, err)
	return b
}

// rows returns the lines of n rows, numbered from a given number on, with the names as labels in turn.
func rows(from, n int, names ...string) string {
	var b strings.Builder
	for i := from; i < from+n; i++ {
		fmt.Fprintf(&b, "%d,%d,%s\n", i*7%31, i*i%17, names[i%len(names)])
	}
	return b.String()
}

// learned returns a model with the given classes that has learned 60 rows from a given number on.
func learned(t *testing.T, from int, classes ...string) *Model {
	t.Helper()
	m := New(&modelfile.File{
		Classifier: &bls.Classifier{
			Features: bls.FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4, Scaling: bls.ScaleColumns, Shrink: 1, Seed: 1},
			Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-3}, Classes: len(classes),
		},
		Metadata: modelfile.Metadata{Classes: classes, Inputs: []string{"a", "b"}, Targets: []string{"y"}},
	})
	m.FixMaps = true
	testutil.NoError(t, m.Learn(t.Context(), batch(t, true, rows(from, 60, classes...))))
	return m
}

// TestGains learns a label that comes up late: the weights equal the weights of a model that knew it
// from the start, and Gained gets the place and the label.
func TestGains(t *testing.T) {
	m := learned(t, 0, "red", "green")
	var told string
	m.Gained = func(place string, added []string) { told = fmt.Sprint(filepath.Base(place), added) }
	late := rows(60, 3, "red") + rows(63, 30, "blue", "red")
	testutil.NoError(t, m.Learn(t.Context(), batch(t, true, late)))
	if told != "rows.csv:6[blue]" || !slices.Equal(m.Labels(), []string{"red", "green", "blue"}) || !slices.Equal(m.Metadata.Classes, m.Labels()) {
		t.Errorf("told is %q, and the classes are %q", told, m.Labels())
	}
	if n, ok := m.Class("blue"); n != 2 || !ok {
		t.Errorf("blue is class %d, %v", n, ok)
	}
	other := learned(t, 0, "red", "green")
	testutil.NoError(t, other.Classifier.Relabel([]int{0, 1}, 3))
	other = New(&modelfile.File{Classifier: other.Classifier, Metadata: modelfile.Metadata{Classes: []string{"red", "green", "blue"}}})
	testutil.NoError(t, other.Learn(t.Context(), batch(t, true, late)))
	if got, want := weights(t, m), weights(t, other); !slices.Equal(got.RawMatrix().Data, want.RawMatrix().Data) {
		t.Error("the weights are not those of a model with all classes")
	}
}

func weights(t *testing.T, m *Model) *mat.Dense {
	t.Helper()
	w, err := m.Weights()
	testutil.NoError(t, err)
	return w
}

// TestFirstLabels learns labels with a model that is not fitted and knows none of them.
func TestFirstLabels(t *testing.T) {
	m := New(&modelfile.File{Classifier: learned(t, 0, "red").Classifier.Unfitted()})
	testutil.NoError(t, m.Learn(t.Context(), batch(t, true, rows(0, 60, "red", "green"))))
	if !slices.Equal(m.Labels(), []string{"red", "green"}) || m.Classifier.NumClasses() != 2 {
		t.Errorf("classes %q", m.Labels())
	}
	c := learned(t, 0, "red", "green").Classifier.Unfitted() // and one whose nodes later rows do not determine
	c.Features, c.Update.Lambda = bls.FeatureOptions{Groups: 2, EnhancementNodes: bls.None, Direct: bls.None}, bls.None
	m = New(&modelfile.File{Classifier: c, Metadata: modelfile.Metadata{Classes: []string{"red", "green"}}})
	testutil.NoError(t, m.Learn(t.Context(), batch(t, true, rows(0, 6, "red", "green"))))
	var singular *blsupdate.ConditionError
	if err := m.Learn(t.Context(), batch(t, true, rows(60, 60, "blue", "red"))); !errors.As(err, &singular) || m.Classifier.NumClasses() != len(m.Labels()) || !m.KnowsRows() {
		t.Errorf("%v; classes %q", err, m.Labels())
	}
}

// TestRefuses checks rows that a model refuses, each with a remedy, while it stays unchanged.
func TestRefuses(t *testing.T) {
	many := "0,0,x0\n"
	for i := 1; i <= FewLabels; i++ {
		many += fmt.Sprintf("%d,0,x%d\n", i, i)
	}
	for _, tc := range []struct {
		text, want string
		closed     bool
		row        int
		do         Remedy
	}{
		{"1,2,red\n3,4,blue\n", `rows.csv:3: the label "blue" is not a class of the model ("red", "green"): add the class`, true, -1, AddClass},
		{"1,2,\xff\n", `rows.csv:2: the label "\xff" is not UTF-8: save the file`, false, -1, SaveUTF8},
		{many, `rows.csv:2: 21 rows would add 21 classes to the model, such as "x0": is this the`, false, -1, OtherTarget},
		{"1,2,red\n1e200,2,blue\n", "rows.csv:3: the nodes are beyond ±1e+140", false, 1, DropRow},
		{"1,2,red\n1e12,2,red\n", "rows.csv:3: the nodes, times the square root of the sample weight, are as large as 3e+10", false, 1, DropRow},
	} {
		m := learned(t, 0, "red", "green")
		m.Closed = tc.closed
		before := weights(t, m)
		var e *Error
		err := m.Learn(t.Context(), batch(t, true, tc.text))
		if !errors.As(err, &e) || e.Row != tc.row || e.Do != tc.do || !strings.Contains(e.Error(), tc.want) || e.Many != (tc.text == many) {
			t.Errorf("%.40q: %v, %+v", tc.text, err, e)
		}
		if len(m.Labels()) != 2 || m.Updater().Samples() != 60 || !slices.Equal(weights(t, m).RawMatrix().Data, before.RawMatrix().Data) {
			t.Errorf("%.40q: the model has changed", tc.text)
		}
	}
	m := learned(t, 0, "red", "green")
	if err := m.Learn(t.Context(), &stream.Batch{X: mat.NewDense(1, 2, nil)}); err != ErrNoTargets {
		t.Error(err)
	}
	heavy := m.Located(batch(t, true, "1,2,red\n"), &bls.OutlierError{Weight: 1e30})
	if want := "rows.csv:2: the weight of the row is 1e+30, so the model's weights would have no correct digits: give the row a weight closer"; !strings.Contains(heavy.Error(), want) {
		t.Error(heavy)
	}
	err := m.Located(batch(t, true, "1,2,red\n"), &bls.OverflowError{What: "the distance", Row: 0, Col: 1})
	if want := `rows.csv:2: the distance in column "b" would overflow: ` +
		"remove the row if it is an outlier, or scale the values down, or leave the column out"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Error(err)
	}
}

// TestMerge merges models of different classes and lists of files: the weights equal the weights of one
// model of all rows, and the classes of the first come first.
func TestMerge(t *testing.T) {
	m := learned(t, 0, "red", "green")
	like := learned(t, 0, "red", "green")
	like.Refit = true
	testutil.NoError(t, like.Learn(t.Context(), batch(t, true, rows(7, 40, "blue", "green"))))
	if like.Refit {
		t.Error("the next batch would replace this one")
	}
	whole := learned(t, 0, "red", "green")
	testutil.NoError(t, whole.Learn(t.Context(), batch(t, true, rows(7, 40, "blue", "green"))))
	one := modelfile.Learned{Name: "one.csv", Size: 1, Hash: "1", Rows: 60}
	m.AddLearned(one)
	like.AddLearned(one)
	var twice *TwiceError
	if err := m.Merge(like, false); !errors.As(err, &twice) || twice.Name != "one.csv" || m.Updater().Samples() != 60 {
		t.Fatal(err)
	}
	testutil.NoError(t, m.Merge(like, true))
	if !slices.Equal(m.Labels(), []string{"red", "green", "blue"}) || len(m.Metadata.Learned) != 2 || m.Updater().Samples() != 100 {
		t.Errorf("classes %q, files %v, %d samples", m.Labels(), m.Metadata.Learned, m.Updater().Samples())
	}
	got, want := weights(t, m).RawMatrix().Data, weights(t, whole).RawMatrix().Data
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= 1e-9) {
			t.Errorf("weight %d differs by %g", i, d)
		}
	}
	for _, one := range []*Model{m, like} {
		one.AddLearned(modelfile.Learned{Size: 8, Hash: "8", Rows: 40, Removed: true})
	}
	m.AddLearned(modelfile.Learned{Size: 9, Hash: "9", Rows: 40, Removed: true}) // the other has it
	like.AddLearned(modelfile.Learned{Size: 9, Hash: "9", Rows: 40})
	testutil.NoError(t, m.Merge(like, true))
	m.AddLearned(modelfile.Learned{Size: 8, Hash: "8", Rows: 40})
	if m.FindLearned(9, "9", true) >= 0 || m.FindLearned(9, "9", false) < 0 || m.FindLearned(8, "8", true) >= 0 {
		t.Errorf("a file with rows in the model counts as removed: %v", m.Metadata.Learned)
	}
	line := New(&modelfile.File{Regressor: &bls.Regressor{}})
	other := learned(t, 0, "red", "green")
	other.Metadata.Inputs = []string{"b", "a"}
	seed, qr := learned(t, 0, "red", "green"), learned(t, 0, "red", "green")
	seed.Classifier.Features.Seed, qr.Classifier.Method = 7, blsupdate.QR
	for _, o := range []*Model{seed, qr} {
		testutil.NoError(t, o.Classifier.Fit(batch(t, true, rows(0, 60, "red", "green")).X, slices.Repeat([]int{0, 1}, 30)))
	}
	for what, o := range map[string]*Model{"kinds": line, `inputs ("a" and "b")`: other, "values of Seed (1 and 7)": seed, "values of Method (gram and qr)": qr} {
		var differ *MergeError
		if err := m.Merge(o, false); !errors.As(err, &differ) || differ.What != what {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRemove unlearns rows, and refuses more than there are.
func TestRemove(t *testing.T) {
	m, want := learned(t, 0, "red", "green"), learned(t, 0, "red", "green")
	more := batch(t, true, rows(60, 20, "red", "green"))
	testutil.NoError(t, m.Learn(t.Context(), more))
	testutil.NoError(t, m.Remove(t.Context(), more))
	for i, v := range weights(t, m).RawMatrix().Data {
		if d := math.Abs(v - weights(t, want).RawMatrix().Data[i]); !(d <= 1e-9) {
			t.Errorf("weight %d differs by %g", i, d)
		}
	}
	late := batch(t, true, "1,2,blue\n")
	for _, err := range []error{m.Remove(t.Context(), late), m.Calibrate(t.Context(), late, NewRows)} {
		if e, ok := err.(*Error); !ok || e.Do != AddClass || len(m.Labels()) != 2 {
			t.Errorf("a label that it lacks: %v; classes %q", err, m.Labels())
		}
	}
	none := 0.0
	if testutil.NoError(t, m.Reweigh(1, &none)); m.GivenLambda() != bls.None || m.Updater().Lambda() != 0 {
		t.Errorf("the given ridge is %v", m.GivenLambda())
	}
	err := m.Remove(t.Context(), batch(t, true, rows(0, 61, "red")))
	if err == nil || !strings.Contains(err.Error(), "rows.csv:2: the model has only 60 samples left") {
		t.Error(err)
	}
}

// TestLearnedList lists files, drops the oldest from the list, and takes a removed file off it.
func TestLearnedList(t *testing.T) {
	m := &Model{File: &modelfile.File{}}
	for i := range MaxLearned + 1 {
		m.AddLearned(modelfile.Learned{Size: int64(i), Hash: "h"})
	}
	if m.FindLearned(0, "h", false) != -1 || m.FindLearned(1, "h", false) != 0 || len(m.Metadata.Learned) != MaxLearned {
		t.Error("the oldest is still there, or too many left")
	}
	m.AddLearned(modelfile.Learned{Size: 5, Hash: "h", Removed: true})
	if m.FindLearned(5, "h", false) != -1 || m.FindLearned(5, "h", true) != MaxLearned-1 {
		t.Error("a file that was removed counts as learned")
	}
	for range 2 {
		m.AddLearned(modelfile.Learned{Size: -1, Hash: "h"})
	}
	m.AddLearned(modelfile.Learned{Size: -1, Hash: "h", Removed: true})
	if m.FindLearned(-1, "h", false) < 0 || m.FindLearned(-1, "h", true) >= 0 {
		t.Error("a file that was learned twice and removed once counts as removed")
	}
}

// TestArgMax refuses scores that are NaN.
func TestArgMax(t *testing.T) {
	b := &stream.Batch{X: mat.NewDense(1, 1, nil)}
	if _, err := ArgMax(mat.NewDense(1, 2, []float64{math.NaN(), math.NaN()}), b); err == nil || !strings.Contains(err.Error(), "the scores are NaN") {
		t.Error(err)
	}
	if i := FirstLarge(mat.NewDense(3, 1, []float64{MaxNode, math.NaN(), math.Inf(1)})); i != 1 {
		t.Errorf("row %d", i)
	}
}

// TestRegression learns targets by name, and refuses rows without them.
func TestRegression(t *testing.T) {
	m := New(&modelfile.File{Regressor: &bls.Regressor{Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-3},
		Features: bls.FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4, Scaling: bls.ScaleColumns, Shrink: 1}}})
	b := batch(t, false, rows(0, 40, "1", "2.5"))
	testutil.NoError(t, m.Learn(context.Background(), b))
	if m.Kind() != Regression || m.Labels() != nil || !slices.Equal(m.TargetNames(), []string{"y1"}) {
		t.Errorf("%s, %q, %q", m.Kind(), m.Labels(), m.TargetNames())
	}
	if cells, names := m.Columns(); len(cells) != 2 || names != nil {
		t.Errorf("%v, %q", cells, names)
	}
	if err := m.Learn(t.Context(), batch(t, true, "1,2,3\n")); err != ErrNoTargets {
		t.Error(err)
	}
}

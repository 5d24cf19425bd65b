package model

import (
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// TestCrossValidate scores each row once, by a model trained on all rows of the other folds.
func TestCrossValidate(t *testing.T) {
	const folds, n = 4, 240
	l := &lab{t, t.TempDir(), true}
	path := l.file("a.csv", 0, n)
	m := l.unfitted(blsupdate.Gram)
	l.run(m, modelfile.Operation{Kind: modelfile.OpTrain}, path)
	op := &m.Metadata.Log[0]
	op.Classes, op.First, op.Batch = 1, n, n
	seen := map[int64]int{}
	err := m.CrossValidate(t.Context(), op, []string{path}, folds, func(fold int, one *Model, b *stream.Batch) error {
		rows := b.X.RawMatrix().Rows
		if share := float64(rows) / n; !(math.Abs(share-1./folds) < 0.1) {
			t.Errorf("fold %d has %d rows of %d", fold, rows, n)
		}
		if got := one.Updater().Samples(); got != n-rows {
			t.Errorf("fold %d is learned by %d rows; want %d", fold, got, n-rows)
		}
		whole := batch(t, true, lines(n))
		rest, held := whole.Split(func(i int) bool { return int(place(int64(i))*folds) == fold })
		again := l.unfitted(blsupdate.Gram)
		testutil.NoError(t, again.Learn(t.Context(), rest))
		if !slices.Equal(held.Labels, b.Labels) || !slices.Equal(weights(t, again).RawMatrix().Data, weights(t, one).RawMatrix().Data) {
			t.Errorf("fold %d is not learned by the rows of the others", fold)
		}
		for i := range rows {
			seen[b.Number(i)]++
		}
		return nil
	})
	testutil.NoError(t, err)
	if len(seen) != n {
		t.Errorf("%d rows of %d were scored", len(seen), n)
	}
	for row, times := range seen {
		if times != 1 {
			t.Errorf("row %d was scored %d times", row, times)
		}
	}
	err = m.CrossValidate(t.Context(), op, []string{path}, folds, func(int, *Model, *stream.Batch) error { return io.EOF })
	if err != io.EOF {
		t.Errorf("io.EOF from score becomes %v", err)
	}
	for kind, folds := range map[string]int{modelfile.OpLike: folds, modelfile.OpTrain: 1} {
		if op.Kind = kind; m.CrossValidate(t.Context(), op, []string{path}, folds, nil) == nil {
			t.Errorf("%s is validated in %d folds", kind, folds)
		}
	}
}

// lines returns the lines of the rows of a lab's file.
func lines(n int) string { return rows(0, n, "1", "2", "4") }

// TestImportanceOfWords permutes the inputs of a column of words together, leaves out rows of weight 0,
// and counts a label that the model does not know as a miss.
func TestImportanceOfWords(t *testing.T) {
	m := learned(t, 0, "red", "green")
	m.Metadata.Inputs = []string{"a=x", "a=y"}
	m.Metadata.Columns = stream.Columns{{Levels: []string{"x", "y"}}}
	b := batch(t, true, rows(0, 60, "red", "green"))
	opt := bls.ImportanceOptions{Repeats: 3, Seed: 1}
	names, all, err := m.Importance(t.Context(), b, opt)
	testutil.NoError(t, err)
	labels := make([]int, 60)
	for i := range labels {
		labels[i] = i % 2
	}
	opt.Groups = [][]int{{0, 1}}
	want, err := m.Classifier.Importance(b.X, labels, opt)
	testutil.NoError(t, err)
	if fmt.Sprint(names) != "[a]" || fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("%q: %+v; want %+v", names, all, want)
	}
	b.Weights = slices.Repeat([]float64{0, 1, 2}, 20)
	some, _ := b.Split(func(i int) bool { return b.Weights[i] == 0 })
	_, all, err1 := m.Importance(t.Context(), b, opt)
	_, want, err2 := m.Importance(t.Context(), some, opt)
	if err1 != nil || err2 != nil || fmt.Sprintf("%.12f", *all) != fmt.Sprintf("%.12f", *want) {
		t.Errorf("rows of weight 0 count: %+v, %v; want %+v, %v", all, err1, want, err2)
	}
	for i := range b.Labels {
		b.Labels[i] = "black"
	}
	if _, all, err = m.Importance(t.Context(), b, opt); err != nil || all.Score != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	b.Labels = nil
	if _, _, err = m.Importance(t.Context(), b, opt); err != ErrNoTargets {
		t.Error(err)
	}
}

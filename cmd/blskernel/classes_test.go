package main

import (
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/internal/io/memory"
	"blskernel/internal/io/npy"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// TestManyClasses checks that a small model file with many classes takes little memory to use. A batch,
// or pairs, for which there is no memory are refused before the work.
func TestManyClasses(t *testing.T) {
	testutil.NotUnderRace(t, "counts bytes")
	const classes = 6000
	c := bls.Classifier{Classes: classes, Features: bls.FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: bls.None, Shrink: 0.8}}
	c.Update.Lambda = 1e-3
	testutil.NoError(t, c.Fit(mat.NewDense(4, 2, []float64{1, 2, 4, 3, 5, 8, 7, 6}), []int{0, 1, 2, classes - 1}))
	dir := t.TempDir()
	model := filepath.Join(dir, "m.bls")
	testutil.NoError(t, modelfile.Save(model, &modelfile.File{Classifier: &c}))
	few := writeText(t, dir, "few.csv", "1,2,0\n4,3,7\n4,3,7\n5,8,5999\n")
	many := writeText(t, dir, "many.csv", strings.Repeat("1,2\n", 4096))

	defer memory.Limit(64 << 20)() // of which a batch of 4096 rows takes 200 MB
	var out string
	used := faults.Allocated(func() { out = silent(t, "evaluate", model, "--header", "absent", "--target", "3", "--json", few) })
	if used > 40<<20 {
		t.Errorf("4 rows of %d classes: %d bytes", classes, used)
	}
	q := object[score.Classification](t, out)
	if q.Confusion != nil || len(q.Classes) != classes || len(q.Confused) != 2 || !strings.Contains(out, `{"label":"7","prediction":"1","rows":2}`) {
		t.Errorf("confused: %v, and %d classes", q.Confused, len(q.Classes))
	}
	if text := silent(t, "evaluate", model, "--header", "absent", "--target", "3", few); !strings.Contains(text, "with 6000 classes, only --json prints which classes are confused") {
		t.Error(text)
	}
	if out := silent(t, "predict", model, "--header", "absent", many); strings.Count(out, "\n") != 1+4096 {
		t.Errorf("%.100q", out)
	}
	status, _, stderr := inProcess("predict", model, "--header", "absent", "--batch", "4096", many)
	if status != 1 || !strings.Contains(stderr, "a 4096×6000 matrix of scores needs at least 197 MB") {
		t.Errorf("a batch of all rows: status %d, %q", status, stderr)
	}

	defer memory.Limit(1 << 20)()
	array := npy.AppendFloats(npy.AppendHeader(nil, npy.Float64, 30000, 3), make([]float64, 3*30000))
	status, _, stderr = inProcess("evaluate", model, "--batch", "1", "--target", "3", writeText(t, dir, "x.npy", string(array)))
	if status != 1 || !strings.Contains(stderr, "counting up to 30000 pairs of a class and a wrong prediction needs at least 1.2 MB") {
		t.Errorf("more pairs than memory: status %d, %q", status, stderr)
	}
}

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestPredicted predicts by a model of a pipeline and updates it, with the command blskernel.
func TestPredicted(t *testing.T) {
	testutil.NotUnderRace(t, "the command is built without the detector")
	p := newProblem(t)
	out := p.out(t)
	reported(t, runCommand(t, p.args(out)...))
	p.check(t, blsupdate.Gram, out)

	program := filepath.Join(t.TempDir(), "blskernel")
	build := exec.Command("go", "build", "-o", program, "./cmd/blskernel")
	build.Dir = filepath.Join("..", "..", "..") // the module of the command, beside that of the test
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	blskernel := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "BLSKERNEL_BACKEND=pure")
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("blskernel %s: %v\n%s", strings.Join(args, " "), err, said)
		}
		return string(said)
	}
	f, err := modelfile.Load(out, nil)
	testutil.NoError(t, err)
	classes, err := f.Classifier.Predict(p.x.Slice(0, shardRows, 0, inputs).(*mat.Dense))
	testutil.NoError(t, err)
	want := []string{"class"} // the heading
	for _, class := range classes {
		want = append(want, labels[class])
	}
	if got := strings.Fields(blskernel("predict", "--quiet", out, p.shard(0))); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the predictions are %q; want %q", got, want)
	}
	blskernel("update", "--quiet", out, p.shard(0))
	if f, err = modelfile.Load(out, nil); err != nil || f.Classifier.Updater().Samples() != (shardCount+1)*shardRows {
		t.Errorf("the model has not gone on learning: %v", err)
	}
}

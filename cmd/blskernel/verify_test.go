package main

import (
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestVerifyOther changes the weights of a model without a log entry: the exit status is 1, and the
// message tells the difference.
func TestVerifyOther(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(300, 1), true, "a", "b", "c", "d", "color"))
	path := filepath.Join(dir, "m.bls")
	succeed(t, small("--target", "color", "--out", path, data)...)
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	testutil.NoError(t, f.Classifier.SetLambda(1))
	testutil.NoError(t, modelfile.Save(path, f))
	const says = "m.bls does not match its log: the weights differ (relative difference of the weights: "
	if status, stdout, stderr := inProcess("verify", path, data); status != 1 || stdout != "" || !strings.Contains(stderr, says) {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestVerifyOther changes a model without a log entry, by itself and before train --like.
func TestVerifyOther(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(300, 1), true, "a", "b", "c", "d", "color"))
	path := filepath.Join(dir, "m.bls")
	succeed(t, small("--target", "color", "--out", path, data)...)
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	testutil.NoError(t, f.Classifier.SetLambda(1))
	testutil.NoError(t, modelfile.Save(path, f))
	testutil.NoError(t, f.Classifier.Forget(0.5)) // the ridge, too, but not of a model like it
	testutil.NoError(t, modelfile.Save(filepath.Join(dir, "forgot.bls"), f))
	succeed(t, "train", "--like", filepath.Join(dir, "forgot.bls"), "--out", filepath.Join(dir, "like.bls"), data)
	succeed(t, "verify", filepath.Join(dir, "like.bls"), data)
	const says = "m.bls does not match its log: the weights differ (relative difference of the weights: "
	if status, stdout, stderr := inProcess("verify", path, data); status != 1 || stdout != "" || !strings.Contains(stderr, says) {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// outputWeights returns the output weights of a model, and its ridge.
func outputWeights(t *testing.T, path string) (*mat.Dense, float64) {
	t.Helper()
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	m := interface {
		Weights() (*mat.Dense, error)
	}(f.Classifier)
	lambda := 0.0
	if f.Classifier == nil {
		m, lambda = f.Regressor, f.Regressor.Updater().Lambda()
	} else {
		lambda = f.Classifier.Updater().Lambda()
	}
	w, err := m.Weights()
	testutil.NoError(t, err)
	return w, lambda
}

// closeTo fails the test unless the matrices are equal but for rounding.
func closeTo(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	var d mat.Dense
	d.Sub(got, want)
	if e := gonum.Norm(&d, 2) / gonum.Norm(want, 2); !(e <= 1e-8) {
		t.Errorf("%s: the weights differ by %.2g", what, e)
	}
}

// TestForgetAndLambda compares update --forget with a training by sample weights, and --lambda with a
// training by that ridge.
func TestForgetAndLambda(t *testing.T) {
	dir := t.TempDir()
	columns := []string{"a", "b", "c", "d", "color"}
	old := writeText(t, dir, "old.csv", csvText(samples(200, 1), true, columns...))
	recent := writeText(t, dir, "recent.csv", csvText(samples(100, 2), true, columns...))
	for _, method := range []string{"gram", "qr", "ridge-inverse", "inverse-cholesky"} {
		model, forgets, both := filepath.Join(dir, "m.bls"), filepath.Join(dir, "f.bls"), filepath.Join(dir, "b.bls")
		succeed(t, small("--method", method, "--lambda", "0.5", "--target", "color", "--out", model, old)...)
		succeed(t, "update", model, "--forget", "0.5", "--out", forgets, recent)
		// Rows that are learned twice count as rows of the other file that count half.
		succeed(t, "update", model, "--out", both, "--batch", "100", recent)
		before, ridge := outputWeights(t, both)
		succeed(t, "update", "--again", both, recent)
		got, lambda := outputWeights(t, forgets)
		if method == "gram" || method == "qr" { // whose ridge stays: it is twice that of the others
			if lambda != 0.5 {
				t.Errorf("%s: lambda is %v", method, lambda)
			}
			alone := writeText(t, dir, "alone.csv", csvText(samples(1, 3), true, columns...))
			succeed(t, "update", forgets, alone)
			succeed(t, "update", both, "--lambda", "1", alone)
			succeed(t, "update", "--again", both, alone)
			got, _ = outputWeights(t, forgets)
			want, is := outputWeights(t, both)
			if is != 1 {
				t.Errorf("%s: lambda is %v after --lambda 1", method, is)
			}
			closeTo(t, method, got, want)
			continue
		}
		if lambda != 0.25 || ridge != 0.5 {
			t.Errorf("%s: lambda is %v, and %v without --forget", method, lambda, ridge)
		}
		// lambda and the old rows count half: the weights are those of both as they were and
		// the recent rows twice.
		want, _ := outputWeights(t, both)
		closeTo(t, method, got, want)
		if gonum.Equal(before, want) {
			t.Errorf("%s: rows that are learned again make no difference", method)
		}
		was := state(t, model)
		fail(t, ui.ExitFailure, "the method "+method+" has no SetLambda; start the model by gram or qr", "update", model, "--lambda", "1", recent)
		if !bytes.Equal(was, state(t, model)) {
			t.Errorf("%s: a refused update has changed the model", method)
		}
	}
	model := filepath.Join(dir, "m.bls")
	for _, wrong := range []string{"0", "1.5", "NaN", "-1", "x"} {
		fail(t, ui.ExitUsage, "want a number above 0 and at most 1", "update", model, "--forget", wrong, recent)
	}
}

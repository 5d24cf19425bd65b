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
func outputWeights(path string) (w *mat.Dense, lambda float64, err error) {
	f, err := modelfile.Load(path, nil)
	if err != nil {
		return nil, 0, err
	}
	if f.Classifier != nil {
		w, err = f.Classifier.Weights()
		return w, f.Classifier.Updater().Lambda(), err
	}
	w, err = f.Regressor.Weights()
	return w, f.Regressor.Updater().Lambda(), err
}

// weightsOf returns what outputWeights does.
func weightsOf(t *testing.T, path string) (*mat.Dense, float64) {
	t.Helper()
	w, lambda, err := outputWeights(path)
	testutil.NoError(t, err)
	return w, lambda
}

// difference returns the norm of the difference of two matrices, as a share of that of the second.
func difference(got, want *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(got, want)
	return gonum.Norm(&d, 2) / gonum.Norm(want, 2)
}

// closeTo fails the test unless the matrices are equal but for rounding.
func closeTo(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	if e := difference(got, want); !(e <= 1e-8) {
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
		before, ridge := weightsOf(t, both)
		succeed(t, "update", "--again", both, recent)
		got, lambda := weightsOf(t, forgets)
		if method == "gram" || method == "qr" { // whose ridge stays: it is twice that of the others
			if lambda != 0.5 {
				t.Errorf("%s: lambda is %v", method, lambda)
			}
			alone := writeText(t, dir, "alone.csv", csvText(samples(1, 3), true, columns...))
			succeed(t, "update", forgets, alone)
			succeed(t, "update", both, "--lambda", "1", alone)
			succeed(t, "update", "--again", both, alone)
			got, _ = weightsOf(t, forgets)
			want, is := weightsOf(t, both)
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
		want, _ := weightsOf(t, both)
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

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/numpytest"
)

// documentedPrediction returns the program in docs/export.md that computes predictions.
func documentedPrediction(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "export.md"))
	testutil.NoError(t, err)
	_, program, found := strings.Cut(string(text), "```python\n")
	program, _, end := strings.Cut(program, "```")
	if !found || !end {
		t.Fatal("docs/export.md has no program")
	}
	return program
}

// TestExportInNumPy computes predictions from exported models by the program that the documentation
// has.
func TestExportInNumPy(t *testing.T) {
	program := documentedPrediction(t) + `
import sys
x = np.loadtxt("x.csv", delimiter=",", skiprows=1, usecols=range(4))
got = predict(x)
if m["kind"] == "regression":
    want = np.loadtxt("p.csv", delimiter=",", skiprows=1, ndmin=2)
    assert want.shape == got.shape and np.abs(got - want).max() <= 1e-9 * np.abs(want).max(), np.abs(got - want).max()
else:
    want = np.loadtxt("p.csv", delimiter=",", skiprows=1, dtype=str)
    assert want.shape == (len(got), 4) and (want[:, 0] == got.astype(str)).all(), (want, got)
    # A regression by the same weights gives the scores.
    weights = np.vstack([m["weights"], np.zeros(3)])
    m = {**m, "kind": "regression", "weights": weights, "center": 0}
    want, scores = want[:, 1:].astype(float), predict(x)
    # Weights of dependent nodes are large against the scores, and so is the rounding.
    assert (np.abs(scores - want) <= 1e-6 * (1 + np.abs(want))).all(), np.abs(scores - want).max()
print(len(got))
`
	for name, flags := range map[string][]string{
		"classes":                {"--target", "color"},
		"classes, by sample":     {"--target", "color", "--scale", "samples"},
		"classes, linear":        {"--target", "color", "--enhancement", "0", "--scale", "none"},
		"regression":             {"--target", "y1,y2", "--task", "regression"},
		"regression, not scaled": {"--target", "y1", "--task", "regression", "--inputs", "a,b,c,d", "--scale", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			model, test := trained(t, flags...)
			dir := t.TempDir()
			succeed(t, "export", model, "--out", filepath.Join(dir, "model.npz"))
			args := []string{"predict", model, "--out", filepath.Join(dir, "p.csv"), test}
			if flags[1] == "color" {
				args = append(args, "--scores")
			}
			succeed(t, args...)
			text, err := os.ReadFile(test)
			testutil.NoError(t, err)
			writeText(t, dir, "x.csv", string(text))
			if out := numpytest.Run(t, dir, program); out != "100\n" {
				t.Errorf("%q", out)
			}
		})
	}
}

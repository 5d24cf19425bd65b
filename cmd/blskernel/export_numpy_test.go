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
got = predict(np.loadtxt("x.csv", delimiter=",", skiprows=1, usecols=range(4)))
if m["kind"] == "regression":
    want = np.loadtxt("p.csv", delimiter=",", skiprows=1, ndmin=2)
    assert want.shape == got.shape and np.abs(got - want).max() <= 1e-9 * np.abs(want).max(), np.abs(got - want).max()
else:
    want = np.loadtxt("p.csv", delimiter=",", skiprows=1, dtype=str)
    assert want.shape == got.shape and (want == got.astype(str)).all(), (want, got)
print(len(got))
`
	for name, flags := range map[string][]string{
		"classes":                {"--target", "color"},
		"classes, by sample":     {"--target", "color", "--scale", "samples"},
		"classes, linear":        {"--target", "color", "--enhancement", "0"},
		"regression":             {"--target", "y1,y2", "--task", "regression"},
		"regression, not scaled": {"--target", "y1", "--task", "regression", "--inputs", "a,b,c,d", "--scale", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			model, test := trained(t, flags...)
			dir := t.TempDir()
			succeed(t, "export", model, "--out", filepath.Join(dir, "model.npz"))
			succeed(t, "predict", model, "--out", filepath.Join(dir, "p.csv"), test)
			text, err := os.ReadFile(test)
			testutil.NoError(t, err)
			writeText(t, dir, "x.csv", string(text))
			if out := numpytest.Run(t, dir, program); out != "100\n" {
				t.Errorf("%q", out)
			}
		})
	}
}

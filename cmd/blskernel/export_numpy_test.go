package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/numpytest"
)

// TestExportInNumPy computes predictions from exported models with the program in the documentation.
func TestExportInNumPy(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "interchange.md"))
	testutil.NoError(t, err)
	_, program, found := strings.Cut(string(text), "```python\n")
	program, _, end := strings.Cut(program, "```")
	if !found || !end {
		t.Fatal("docs/interchange.md has no program")
	}
	dir := t.TempDir()
	writeText(t, dir, "program.py", program+`
x = np.loadtxt("x.csv", delimiter=",", skiprows=1, usecols=range(len(m["feature_weights"]) - 1))
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
    assert m["scaling"] != "samples" or (predict(np.full((1, 3), 0.1)) == predict(np.zeros((1, 3)))).all()
    # Weights of dependent nodes are large against the scores, and so is the rounding.
    assert (np.abs(scores - want) <= 1e-6 * (1 + np.abs(want))).all(), np.abs(scores - want).max()
print(len(got))
`)
	var folders []string
	for name, flags := range map[string][]string{
		"classes":                {"--target", "color", "--steps", "yes"},
		"classes, by sample":     {"--target", "color", "--scale", "samples", "--inputs", "a,b,c"},
		"classes, linear":        {"--target", "color", "--enhancement", "0", "--scale", "none"},
		"regression":             {"--target", "y1,y2", "--task", "regression"},
		"regression, not scaled": {"--target", "y1", "--task", "regression", "--inputs", "a,b,c,d", "--scale", "none"},
	} {
		model, test := trained(t, flags...)
		folder := filepath.Join(dir, name)
		folders = append(folders, folder)
		testutil.NoError(t, errors.Join(os.Mkdir(folder, 0o777), os.Link(test, filepath.Join(folder, "x.csv"))))
		succeed(t, "export", model, "--out", filepath.Join(folder, "model.npz"))
		args := []string{"predict", model, "--out", filepath.Join(folder, "p.csv"), test}
		if flags[1] == "color" {
			args = append(args, "--scores")
		}
		succeed(t, args...)
	}
	const each = `
import os, sys
program = open("program.py").read()
for folder in sys.argv[1:]:
    print(folder, file=sys.stderr)
    os.chdir(folder)
    exec(program, {})
`
	if out := numpytest.Run(t, dir, each, folders...); out != strings.Repeat("100\n", len(folders)) {
		t.Errorf("%q", out)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestOutputKeepsInput refuses results in the place of what is read, and of any model.
func TestOutputKeepsInput(t *testing.T) {
	model, test := trained(t, "--target", "color")
	other, _ := trained(t, "--target", "color")
	dir := t.TempDir()
	same := filepath.Join(dir, "same.csv")
	testutil.NoError(t, os.Link(test, same))
	named := filepath.Join(dir, "model.csv")
	testutil.NoError(t, os.Rename(other, named))
	archive := filepath.Join(dir, "model.npz")
	testutil.NoError(t, os.Link(named, archive))
	linked := filepath.Join(dir, "linked.csv")
	testutil.NoError(t, os.Link(model, linked))
	defer unchanged(t, model, test, named)()
	for _, out := range []string{test, same, linked} {
		fail(t, ui.ExitUsage, "which is read: give another name", "predict", model, "--out", out, test)
	}
	fail(t, ui.ExitUsage, "which is a model: give another name", "predict", model, "--out", named, test)
	fail(t, ui.ExitUsage, "which is a model: give another name", "export", model, "--out", archive)
	fail(t, ui.ExitUsage, "which is read: give another name", "export", named, "--out", archive)
}

// TestOutputName has names that say another format than the one that would be written, and standard
// output.
func TestOutputName(t *testing.T) {
	model, test := trained(t, "--target", "color")
	dir := t.TempDir()
	for _, name := range []string{"x.npz", "x.tsv", "x.bls", "x.jsonl"} {
		fail(t, ui.ExitUsage, "want a name that ends in .csv, .txt or .npy", "predict", model, "--out", filepath.Join(dir, name), test)
	}
	fail(t, ui.ExitUsage, "want a name that ends in .jsonl", "predict", model, "--json", "--out", filepath.Join(dir, "x.csv"), test)
	for _, name := range []string{"x", "x.CSV", "x.txt"} {
		succeed(t, "predict", model, "--out", filepath.Join(dir, name), test)
	}
	succeed(t, "predict", model, "--json", "--out", filepath.Join(dir, "x.jsonl"), test)
	if want, got := succeed(t, "predict", model, test), succeed(t, "predict", model, "--out", "-", test); got != want || strings.Count(got, "\n") != 101 {
		t.Errorf("--out - prints %q", got)
	}
	fail(t, ui.ExitUsage, "a model cannot be written to standard output", "train", "--out", "-", "--target", "color", test)
	fail(t, ui.ExitUsage, "a model cannot be written to standard output", "update", model, "--out", "-", test)
}

// TestOutputUnreadable replaces files that the user may write, but not read.
func TestOutputUnreadable(t *testing.T) {
	model, test := trained(t, "--target", "color")
	dir := t.TempDir()
	for _, args := range [][]string{
		{"predict", model, test, "--out", writeText(t, dir, "x.csv", "old")},
		{"export", model, "--out", writeText(t, dir, "x.npz", "old")},
	} {
		out := args[len(args)-1]
		testutil.NoError(t, os.Chmod(out, 0o200))
		if file, err := os.Open(out); err == nil {
			testutil.NoError(t, file.Close())
			t.Skip("this user may read every file")
		}
		succeed(t, args...)
		testutil.NoError(t, os.Chmod(out, 0o600))
		if text, err := os.ReadFile(out); err != nil || string(text) == "old" {
			t.Errorf("%q: the file has %q (%v)", args, text, err)
		}
	}
}

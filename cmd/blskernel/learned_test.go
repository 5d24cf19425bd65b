package main

import (
	"os"
	"path/filepath"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestLearnedFiles has a model know the files that it has learned by their bytes, under any name.
func TestLearnedFiles(t *testing.T) {
	dir := t.TempDir()
	columns := []string{"a", "b", "c", "d", "color"}
	first := writeText(t, dir, "first.csv", csvText(samples(150, 1), true, columns...))
	more := writeText(t, dir, "more.csv", csvText(samples(150, 2), true, columns...))
	other := writeText(t, dir, "other.csv", csvText(samples(60, 3), true, columns...))
	model := filepath.Join(dir, "m.bls")
	learned := func() []modelfile.Learned {
		return object[learn.Inspection](t, succeed(t, "inspect", "--json", model)).Metadata.Learned
	}
	check := func(names ...string) {
		t.Helper()
		list := learned()
		if len(list) != len(names) {
			t.Fatalf("%+v, want %q", list, names)
		}
		for i, l := range list {
			info, err := os.Stat(filepath.Join(dir, l.Name))
			testutil.NoError(t, err)
			rows := int64(150)
			if l.Name == "other.csv" {
				rows = 60
			}
			if l.Name != names[i] || l.Size != info.Size() || l.Rows != rows || l.Hash == "" {
				t.Errorf("%+v, want %s with %d rows in %d bytes", l, names[i], rows, info.Size())
			}
		}
	}
	succeed(t, small("--target", "color", "--out", model, first, more)...)
	check("first.csv", "more.csv")
	data, err := os.ReadFile(more)
	testutil.NoError(t, err)
	renamed := writeText(t, dir, "renamed.csv", string(data))
	before := state(t, model)
	fail(t, ui.ExitUsage, `m.bls has learned the 150 rows of "`+renamed+`" before, as "more.csv": learn them once more by --again`, "update", model, other, renamed)
	if string(state(t, model)) != string(before) {
		t.Error("a refused update has changed the model")
	}
	succeed(t, "update", model, other)
	check("first.csv", "more.csv", "other.csv")
	succeed(t, "update", "--again", model, renamed)
	check("first.csv", "more.csv", "other.csv", "renamed.csv")
	testutil.Contains(t, succeed(t, "inspect", model), "has learned ", "first.csv (150 rows), more.csv (150 rows), other.csv (60 rows), renamed.csv (150 rows)")

	// A file of the same size with other bytes is another file.
	changed := []byte(csvText(samples(150, 2), true, columns...))
	for i, c := range changed {
		if c >= '1' && c <= '8' {
			changed[i]++
			break
		}
	}
	succeed(t, "update", model, writeText(t, dir, "changed.csv", string(changed)))
	check("first.csv", "more.csv", "other.csv", "renamed.csv", "changed.csv")
}

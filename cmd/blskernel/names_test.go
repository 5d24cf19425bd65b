package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestControlCharacters has labels and names that would move the cursor.
func TestControlCharacters(t *testing.T) {
	dir := t.TempDir()
	evil := strings.NewReplacer("red", "re\x1b[2Jd", "color", "co\x1blor").Replace(csvText(samples(150, 1), true, "a", "b", "c", "d", "color"))
	data := writeText(t, dir, "x.csv", evil)
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--out", model, "--target", "5", data)...)
	for _, args := range [][]string{{"inspect", model}, {"evaluate", model, data}} {
		if out := succeed(t, args...); strings.Contains(out, "\x1b") || !strings.Contains(out, `"re\x1b[2Jd"`) {
			t.Errorf("%q: %q", args, out)
		}
	}
	more := writeText(t, dir, "more.csv", "a,b,c,d,co\x1blor\n1,2,3,4,x\n")
	if _, _, stderr := inProcess("update", "--known-labels", model, more); strings.Contains(stderr, "\x1b") || !strings.Contains(stderr, `"re\x1b[2Jd"`) {
		t.Errorf("%q", stderr)
	}
	lacks := writeText(t, dir, "lacks.csv", "\x1b[2J,b\n1,2\n")
	if _, _, stderr := inProcess("update", model, lacks); strings.Contains(stderr, "\x1b") || !strings.Contains(stderr, `lacks the columns "a", "c", "d"`) {
		t.Errorf("%q", stderr)
	}
}

// TestSameName trains on columns that nobody could tell apart afterwards.
func TestSameName(t *testing.T) {
	dir := t.TempDir()
	body := csvText(samples(150, 1), false, "a", "b", "c", "d", "y1", "y2")
	for header, what := range map[string]string{"a,b,c,d,y,y": `"y"`, "a,b,c,a,y1,y2": `"a"`, "a,b,c,y1,y1,y2": `"y1"`} {
		data := writeText(t, dir, "x.csv", header+"\n"+body)
		fail(t, ui.ExitFailure, "x.csv: has more than one column named "+what, small("--out", filepath.Join(dir, "m.bls"), "--target", "5,6", "--task", "regression", data)...)
	}
	data := writeText(t, dir, "x.csv", "a,b,c,a,y1,y2\n"+body)
	succeed(t, small("--out", filepath.Join(dir, "m.bls"), "--inputs", "1-3", "--target", "5,6", "--task", "regression", data)...)
}

// TestLatin1 has labels and names in another encoding.
func TestLatin1(t *testing.T) {
	dir := t.TempDir()
	text := csvText(samples(150, 1), true, "a", "b", "c", "d", "color")
	const message = `the label "gr\xfcn" is not UTF-8: save the file as UTF-8`
	data := writeText(t, dir, "x.csv", strings.Replace(text, "red", "gr\xfcn", 1))
	model, _ := trained(t, "--target", "color")
	fail(t, ui.ExitFailure, "x.csv:", small("--out", filepath.Join(dir, "m.bls"), "--target", "color", data)...)
	for _, args := range [][]string{
		small("--out", filepath.Join(dir, "m.bls"), "--target", "color", data),
		{"update", model, data}, {"evaluate", model, data},
	} {
		fail(t, ui.ExitFailure, message, args...)
	}
	data = writeText(t, dir, "names.csv", strings.Replace(text, "color", "F\xe4rbe", 1))
	fail(t, ui.ExitFailure, `names.csv: has a column named "F\xe4rbe", which is not UTF-8`, small("--out", filepath.Join(dir, "m.bls"), "--target", "5", data)...)
}

// TestLabelFile names the place of an unknown label in the file that has it.
func TestLabelFile(t *testing.T) {
	dir := t.TempDir()
	x := writeText(t, dir, "x.csv", csvText(samples(150, 1), true, "a", "b", "c", "d"))
	labels := csvText(samples(150, 1), false, "color")
	y := writeText(t, dir, "y.csv", labels)
	model := filepath.Join(dir, "m.bls")
	succeed(t, small("--out", model, "--targets-file", y, x)...)
	lines := strings.Split(labels, "\n")
	lines[119] = "violet"
	wrong := writeText(t, dir, "wrong.csv", strings.Join(lines, "\n"))
	want := "wrong.csv, sample 120 (its inputs are in " + x + `:121): the label "violet" is none of the 3 classes`
	fail(t, ui.ExitFailure, want, "update", "--known-labels", model, "--again", "--targets-file", wrong, x)
	fail(t, ui.ExitFailure, want, small("--classes", "dark blue,green,red", "--out", filepath.Join(dir, "n.bls"), "--targets-file", wrong, x)...)
	inputs := strings.Split(csvText(samples(150, 1), true, "a", "b", "c", "d"), "\n")
	inputs[118] = "?,2,3,4"
	writeText(t, dir, "x.csv", strings.Join(inputs, "\n"))
	if status, _, stderr := inProcess("update", "--known-labels", model, "--again", "--skip-bad", "1", "--targets-file", wrong, x); status != ui.ExitFailure || !strings.Contains(stderr, want) {
		t.Errorf("after a bad row: status %d, %q", status, stderr)
	}
}

// TestOneClass and no rows: what is learned from them is worth a word.
func TestOneClass(t *testing.T) {
	dir := t.TempDir()
	text := strings.NewReplacer("red", "one", "green", "one", "dark blue", "one").Replace(csvText(samples(150, 1), true, "a", "b", "c", "d", "color"))
	data := writeText(t, dir, "x.csv", text)
	if status, _, stderr := inProcess(small("--out", filepath.Join(dir, "m.bls"), "--target", "color", data)...); status != 0 || !strings.Contains(stderr, "note: the only class is one") {
		t.Errorf("status %d, %q", status, stderr)
	}
	model, _ := trained(t, "--target", "color")
	before, err := os.Stat(model)
	testutil.NoError(t, err)
	fail(t, ui.ExitFailure, "the data has no rows: "+model+" is not written", "update", model, writeText(t, dir, "empty.csv", "a,b,c,d,color\n"))
	if after, err := os.Stat(model); err != nil || !os.SameFile(before, after) {
		t.Errorf("the model was replaced (%v)", err)
	}
}

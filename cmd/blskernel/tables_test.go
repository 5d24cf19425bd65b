package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// wordTable returns rows of a color, a size and a fit, of which some cells are missing, and whether
// somebody buys.
func wordTable(rows int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]string, rows)
	for i := range out {
		color, fit := []string{"rot", "grün", "blau", ""}[rng.IntN(4)], []string{"S", "M", "L"}[rng.IntN(3)]
		size := rng.NormFloat64()
		value := size
		if color == "rot" {
			value += 2
		}
		if fit == "L" {
			value++
		}
		buy := map[bool]string{true: "yes", false: "no"}[value > 1]
		shown := fmt.Sprintf("%.3f", size)
		if rng.IntN(20) == 0 {
			shown = "NA"
		}
		out[i] = strings.Join([]string{color, shown, fit, fmt.Sprint(i), buy}, ",")
	}
	return out
}

const wordHeader = "color,größe,fit,id,buy\n"

// tableFile writes a table.
func tableFile(t *testing.T, name, header string, rows []string) string {
	return writeText(t, t.TempDir(), name, header+strings.Join(rows, "\n")+"\n")
}

// TestWordTable trains on a table with words and missing cells. Other commands treat its rows alike,
// with and without names, and in another notation.
func TestWordTable(t *testing.T) {
	rows, test := wordTable(1200, 1), wordTable(400, 2)
	data, rest := tableFile(t, "train.csv", wordHeader, rows), tableFile(t, "test.csv", wordHeader, test)
	german := func(rows []string) []string {
		var out []string
		for _, row := range rows {
			out = append(out, strings.ReplaceAll(strings.ReplaceAll(row, ",", ";"), ".", ","))
		}
		return out
	}
	accuracy := func(args ...string) float64 {
		q := object[learn.Classification](t, first(t, append([]string{"evaluate", "--json"}, args...)...))
		return q.Accuracy
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "m.bls")
	_, _, stderr := inProcess(small("--out", model, "--target", "buy", "--exclude", "id", data)...)
	testutil.Contains(t, stderr, `filled in missing cells by means of the first rows: `)
	want := accuracy(model, rest)
	if !(want > 0.9) {
		t.Errorf("the accuracy is %v", want)
	}
	f, err := modelfile.Load(model, nil)
	testutil.NoError(t, err)
	names := []string{"color=blau", "color=grün", "color=rot", "größe", "fit=L", "fit=M", "fit=S"}
	if m := f.Metadata; fmt.Sprint(m.Inputs) != fmt.Sprint(names) || m.Missing != "mean" || len(m.Columns) != 3 {
		t.Errorf("%+v", m)
	}
	testutil.Contains(t, succeed(t, "inspect", model), `1 of numbers, 2 of words: "color (3 words)", "fit (3 words)"`)

	nameless, comma := filepath.Join(dir, "n.bls"), filepath.Join(dir, "c.bls")
	first(t, small("--out", nameless, "--target", "5", "--exclude", "4", tableFile(t, "train.csv", "", rows))...)
	first(t, small("--out", comma, "--target", "buy", "--exclude", "id", "--decimal", "comma", tableFile(t, "train.csv", "color;größe;fit;id;buy\n", german(rows)))...)
	for _, args := range [][]string{
		{nameless, "--target", "5", tableFile(t, "test.csv", "", test)}, {nameless, "--target", "5", "--exclude", "4", tableFile(t, "test.csv", "", test)},
		{comma, "--decimal", "point", rest}, {comma, tableFile(t, "test.csv", "color;größe;fit;id;buy\n", german(test))},
	} {
		if got := accuracy(args...); got != want {
			t.Errorf("%q: accuracy %v, and %v by names", args, got, want)
		}
	}
}

// first runs a command that may have notes, and returns its output.
func first(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := inProcess(args...)
	if status != 0 {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	return stdout
}

// TestDecimalTargets takes targets with decimal commas, and missing ones, for quantities.
func TestDecimalTargets(t *testing.T) {
	var rows []string
	for i := range 60 {
		target := fmt.Sprintf("%d,5", i)
		if i == 7 {
			target = "NA"
		}
		rows = append(rows, fmt.Sprintf("%d,25;%s", i%13, target))
	}
	data := tableFile(t, "x.csv", "x;y\n", rows)
	model := filepath.Join(t.TempDir(), "m.bls")
	out := first(t, small("--out", model, "--target", "y", "--decimal", "comma", "--missing", "drop", data)...)
	testutil.Contains(t, out, "regression, 1 target, 1 input")
	testutil.Contains(t, out, "59 samples in all")
	fail(t, ui.ExitFailure, `x.csv:9: column "y" is "NA", a missing value`, small("--out", model, "--target", "y", "--decimal", "comma", data)...)
}

// TestNumbersAsWords notes a column of numbers that are written as words, and no other column of words.
func TestNumbersAsWords(t *testing.T) {
	var rows []string
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("%d%%,w%d,%c", i%3, i%4, 'p'+i%2))
	}
	model := filepath.Join(t.TempDir(), "m.bls")
	_, _, notes := inProcess(small("--out", model, "--target", "y", tableFile(t, "x.csv", "rate,kind,y\n", rows))...)
	if notes != "note: \"rate\" is taken for words, such as \"0%\": if they are numbers, write them as such, or see --decimal and --thousands\n" {
		t.Errorf("%q", notes)
	}
}

// TestUnlistedRemoval notes that a file to remove is none that was learned, and not of one that was.
func TestUnlistedRemoval(t *testing.T) {
	rows := wordTable(300, 1)
	model := filepath.Join(t.TempDir(), "m.bls")
	learned, part := tableFile(t, "train.csv", wordHeader, rows), tableFile(t, "part.csv", wordHeader, rows[:20])
	first(t, small("--out", model, "--target", "buy", "--method", "gram", "--exclude", "id", learned)...)
	out := filepath.Join(t.TempDir(), "o.bls")
	for _, tc := range []struct {
		file string
		note bool
	}{{part, true}, {learned, false}} {
		_, _, notes := inProcess("remove", model, "--out", out, tc.file)
		if strings.Contains(notes, "is none of the files that") != tc.note {
			t.Errorf("%s: %q", tc.file, notes)
		}
	}
}

// TestUnknownWords counts words that the model does not know, and refuses one among numbers.
func TestUnknownWords(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.bls")
	first(t, small("--out", model, "--target", "buy", "--exclude", "id", tableFile(t, "train.csv", wordHeader, wordTable(300, 1)))...)
	odd := tableFile(t, "odd.csv", wordHeader, []string{"pink,1,L,1,yes", "lila,,XL,2,no", "rot,viel,L,3,no"})
	fail(t, ui.ExitFailure, `odd.csv:4: column "größe" is "viel", not a number; correct it, or use --exclude größe`, "update", model, odd)
	for _, command := range []string{"predict", "evaluate", "update"} {
		status, _, stderr := inProcess(command, model, "--skip-bad", "1", odd)
		if status != 0 || !strings.Contains(stderr, `: 2 in "color", 1 in "fit"`) || !strings.Contains(stderr, `: 1 in "größe"`) || strings.Count(stderr, "set aside") != 1 {
			t.Errorf("%s: status %d, %s", command, status, stderr)
		}
	}
}

// TestMissingFlag leaves rows out, or ends with the first, as --missing says, and as the model has it.
func TestMissingFlag(t *testing.T) {
	dir := t.TempDir()
	rows := wordTable(300, 1)
	whole := 0
	for _, row := range rows {
		if !strings.HasPrefix(row, ",") && !strings.Contains(row, "NA") {
			whole++
		}
	}
	data := tableFile(t, "train.csv", wordHeader, rows)
	drop, mean := filepath.Join(dir, "d.bls"), filepath.Join(dir, "m.bls")
	flags := []string{"--target", "buy", "--exclude", "id"}
	testutil.Contains(t, first(t, small(append(flags, "--out", drop, "--missing", "drop", data)...)...), fmt.Sprintf("learned %d rows", whole))
	first(t, small(append(flags, "--out", mean, data)...)...)
	for _, args := range [][]string{{drop}, {mean, "--missing", "drop"}} {
		status, stdout, stderr := inProcess(append([]string{"predict", data}[:1], append(args, data)...)...)
		if status != 0 || strings.Count(stdout, "\n") != whole+1 || !strings.Contains(stderr, fmt.Sprintf("left out %d rows", 300-whole)) {
			t.Errorf("%q: status %d, %d lines, %s", args, status, strings.Count(stdout, "\n"), stderr)
		}
	}
	fail(t, ui.ExitUsage, "the model has no means", "predict", drop, "--missing", "mean", data)
	fail(t, ui.ExitFailure, "a missing value", append([]string{"train", "--out", filepath.Join(dir, "e.bls"), "--missing", "error"}, append(flags, data)...)...)
	status, stdout, stderr := inProcess("predict", mean, "--missing", "error", data)
	if status != ui.ExitFailure || !strings.Contains(stderr, "is empty") && !strings.Contains(stderr, "a missing value") {
		t.Errorf("status %d, %q, %s", status, stdout, stderr)
	}
}

// TestRefusedTables checks that a table that cannot be learned is an error with the column and the way
// out.
func TestRefusedTables(t *testing.T) {
	for _, test := range []struct {
		header, row string
		of          int // different words
		want        string
	}{
		{"name,x,y", "n%d,%d,1.5", 100, `column "name" has more than 64 different words, or long texts, such as "n1"; leave it out by --exclude name`},
		{"when,x,y", "2024-01-%02d,%d,1.5", 28, `column "when" has dates, such as "2024-01-01"; leave the column out by --exclude when, or make numbers of its dates`},
	} {
		var rows []string
		for i := range 100 {
			rows = append(rows, fmt.Sprintf(test.row, 1+i%test.of, i))
		}
		data := tableFile(t, "x.csv", test.header+"\n", rows)
		status, _, stderr := inProcess("train", "--out", filepath.Join(t.TempDir(), "m.bls"), "--target", "y", "--task", "regression", data)
		if status != ui.ExitFailure || !strings.Contains(stderr, test.want) {
			t.Errorf("status %d, %s; want %s", status, stderr, test.want)
		}
	}
}

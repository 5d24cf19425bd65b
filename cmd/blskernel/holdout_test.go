package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// mixed is SplitMix64 after n+1 steps from 0, as a share.
func mixed(n int) float64 {
	z := uint64(n+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// TestHoldout trains with rows held out, whole and stopped, and compares the model with one that has
// never seen those rows, and the score with what evaluate says of them.
func TestHoldout(t *testing.T) {
	for _, tc := range []struct{ name, task, target string }{{"classes", "classification", "color"}, {"targets", "regression", "y1"}} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			columns := []string{"a", "b", "c", "d", tc.target}
			rows := samples(1000, 1)
			var learned, held []sample
			for i, row := range rows {
				if mixed(i) < 0.3 {
					held = append(held, row)
				} else {
					learned = append(learned, row)
				}
			}
			data := writeText(t, dir, "all.csv", csvText(rows[:700], true, columns...))
			more := writeText(t, dir, "more.csv", csvText(rows[700:], true, columns...))
			kept := writeText(t, dir, "kept.csv", csvText(learned, true, columns...))
			aside := writeText(t, dir, "aside.csv", csvText(held, true, columns...))
			train := func(out string, args ...string) []string {
				return append([]string{
					"train", "--out", filepath.Join(dir, out), "--target", tc.target, "--task", tc.task, "--method", "qr",
					"--groups", "2", "--group-nodes", "5", "--enhancement", "20",
				}, args...)
			}
			var said struct {
				Rows    int
				Holdout json.RawMessage
			}
			testutil.NoError(t, json.Unmarshal([]byte(succeed(t, train("held.bls", "--json", "--holdout", "0.3", data, more)...)), &said))
			if said.Rows != len(learned) {
				t.Errorf("%d rows learned of %d", said.Rows, len(learned))
			}
			succeed(t, train("kept.bls", kept)...)
			if !bytes.Equal(state(t, filepath.Join(dir, "held.bls")), state(t, filepath.Join(dir, "kept.bls"))) {
				t.Error("the model is not that of the rows that are not held out")
			}
			var got, want map[string]any
			testutil.NoError(t, json.Unmarshal(said.Holdout, &got))
			testutil.NoError(t, json.Unmarshal([]byte(succeed(t, "evaluate", "--json", filepath.Join(dir, "held.bls"), aside)), &want))
			delete(want, "classes")
			delete(want, "confusion")
			if !reflect.DeepEqual(got, want) || want["rows"] != float64(len(held)) {
				t.Errorf("held out: %v; evaluate: %v", got, want)
			}
			testutil.Contains(t, succeed(t, "inspect", filepath.Join(dir, "held.bls")), "held out      ")

			// In small batches, stopped and resumed.
			small := []string{"--holdout", "0.3", "--batch", "50", data, more}
			succeed(t, train("once.bls", small...)...)
			resumed := train("often.bls", append(small, "--checkpoint", "150", "--resume")...)
			for range 2 {
				stopAfter(t, 1, resumed...)
			}
			testutil.Contains(t, succeed(t, resumed...), "\nheld out: 306 rows, ")
			if !bytes.Equal(state(t, filepath.Join(dir, "often.bls")), state(t, filepath.Join(dir, "once.bls"))) {
				t.Error("the training that was stopped has another result")
			}

			// The score is that of the training, and an update makes it old.
			succeed(t, "update", filepath.Join(dir, "held.bls"), aside)
			if text := succeed(t, "inspect", filepath.Join(dir, "held.bls")); strings.Contains(text, "\nheld out") {
				t.Error(text)
			}
		})
	}
}

// TestHoldoutRefused has shares that leave no rows on a side, and data that cannot be read again.
func TestHoldoutRefused(t *testing.T) {
	dir, data, model := colored(t, 400)
	train := func(args ...string) []string { return small(append(args, "--target", "color", "--out", model)...) }
	for _, share := range []string{"-0.1", "0.95", "NaN", "x"} {
		fail(t, ui.ExitUsage, "want a share from 0 to 0.9, such as 0.2", train("--holdout", share, data)...)
	}
	fail(t, ui.ExitUsage, "which standard input cannot be", train("--holdout", "0.2", "-")...)
	one := writeText(t, dir, "one.csv", csvText(samples(2, 1), true, "a", "b", "c", "d", "color"))
	fail(t, ui.ExitUsage, "--holdout holds out all of the first 2 rows", train("--holdout", "0.9", one)...)
	// Nothing of what was learned is lost where nothing was held out.
	status, _, stderr := inProcess(train("--holdout", "1e-9", data)...)
	if status != ui.ExitFailure || !strings.Contains(stderr, "m.bls is complete, but the rows held out could not be scored: of 400 rows none is held out") {
		t.Errorf("status %d, %q", status, stderr)
	}
	if i := object[learn.Inspection](t, succeed(t, "inspect", "--json", model)); i.Samples != 400 || !i.Metadata.Progress.Done {
		t.Errorf("%+v", i)
	}
}

// TestHoldoutWords scores rows held out of a table with words, gaps and bad rows, each of which is
// noted once.
func TestHoldoutWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,shape,kind\n")
	for i := range 400 {
		x := fmt.Sprint(i % 37)
		switch i % 50 {
		case 7:
			x = ""
		case 9:
			x = "1.2.3"
		}
		fmt.Fprintf(&b, "%s,%s,%s\n", x, []string{"round", "square", "flat"}[i*i%3], []string{"a", "b"}[i*i%3&1])
	}
	dir := t.TempDir()
	data, model := writeText(t, dir, "x.csv", b.String()), filepath.Join(dir, "m.bls")
	status, stdout, stderr := inProcess(small("--target", "kind", "--holdout", "0.25", "--skip-bad", "8", "--out", model, data)...)
	if status != 0 || strings.Count(stderr, "the row is set aside") != 8 || strings.Count(stderr, "filled in missing cells") != 1 {
		t.Fatalf("status %d, %q", status, stderr)
	}
	testutil.Contains(t, stdout, "\nheld out: 97 rows, accuracy 100.00 %")
}

// TestHoldoutNotRemoved has a file of which some rows were held out: remove must not subtract those.
func TestHoldoutNotRemoved(t *testing.T) {
	dir, data, model := colored(t, 400)
	succeed(t, small("--target", "color", "--holdout", "0.2", "--method", "gram", "--out", model, data)...)
	succeed(t, "update", model, writeText(t, dir, "more.csv", csvText(samples(500, 2), true, "a", "b", "c", "d", "color")))
	before := state(t, model)
	fail(t, ui.ExitUsage, " rows of the 400 of \""+data+"\", and which is unknown here, as after --holdout", "remove", model, data)
	if !bytes.Equal(state(t, model), before) {
		t.Error("the model has changed")
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

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

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestOneRunOrTwo finds the same output layer to the bit by one training, and by a training and an
// update at the end of a batch, with the ridge given: its choice goes by the rows to come, which the
// model keeps.
func TestOneRunOrTwo(t *testing.T) {
	rows := samples(400, 1)
	for _, tc := range []struct {
		name    string
		columns []string
		flags   []string
	}{
		{"classification", []string{"a", "b", "c", "d", "color"}, []string{"--target", "color", "--lambda", "1e-3"}},
		{"regression", []string{"a", "b", "c", "d", "y1", "y2"}, []string{"--target", "y1,y2", "--task", "regression", "--lambda", "1e-3"}},
		{"gram", []string{"a", "b", "c", "d", "y1"}, []string{"--target", "y1", "--method", "gram", "--lambda", "0.5"}},
		{"improved", []string{"a", "b", "c", "d", "y1"}, []string{"--target", "y1", "--method", "improved", "--enhancement", "0", "--groups", "1", "--group-nodes", "3", "--lambda", "0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			first := writeText(t, dir, "1.csv", csvText(rows[:250], true, tc.columns...))
			second := writeText(t, dir, "2.csv", csvText(rows[250:], true, tc.columns...))
			one, two := filepath.Join(dir, "one.bls"), filepath.Join(dir, "two.bls")
			succeed(t, small(append(tc.flags, "--out", one, first, second)...)...)
			succeed(t, small(append(tc.flags, "--out", two, first)...)...)
			kept := unchanged(t, two)
			out := filepath.Join(dir, "three.bls")
			succeed(t, "update", two, "--out", out, second)
			kept()
			testutil.Contains(t, succeed(t, "update", two, second), "400 samples in all\n")
			layer := func(path string) []byte {
				f, err := modelfile.Load(path, nil)
				testutil.NoError(t, err)
				var b bytes.Buffer
				if f.Classifier != nil {
					err = blsupdate.Encode(&b, f.Classifier.Updater())
				} else {
					err = blsupdate.Encode(&b, f.Regressor.Updater())
				}
				testutil.NoError(t, err)
				return b.Bytes()
			}
			want := layer(one)
			if !bytes.Equal(layer(two), want) || !bytes.Equal(layer(out), want) {
				t.Error("a training and an update are not the training on all")
			}
		})
	}
}

// TestWideBatches has a batch of the same number of bytes for any number of columns, so that memory
// does not grow with them, and keeps its rows in the model.
func TestWideBatches(t *testing.T) {
	const d = 20000
	rows := 40
	if testutil.Long() {
		rows = 240
	}
	dir := t.TempDir()
	line := strings.Repeat("0,", d-4)
	var text strings.Builder
	for i, s := range strings.SplitAfter(csvText(samples(rows, 1), false, "a", "b", "c", "d", "color"), "\n")[:rows] {
		text.WriteString(line[:2*i%7] + line[2*i%7:] + s)
	}
	data := writeText(t, dir, "wide.csv", text.String())
	model := filepath.Join(dir, "m.bls")
	out := succeed(t, "train", "--out", model, "--groups", "1", "--group-nodes", "3", "--enhancement", "2", "--target", "20001", "--scale", "none", "--checkpoint", "1", data)
	if testutil.Contains(t, out, fmt.Sprintf("learned %d rows", rows)); testutil.Long() {
		// The first batch, of the larger of 209 and twice the nodes, and the rest.
		testutil.Contains(t, out, "checkpoint after 240 rows\n")
	}
	f, err := modelfile.Load(model, nil)
	if err != nil || f.Metadata.Batch != 209 {
		t.Errorf("batches of %d rows (%v)", f.Metadata.Batch, err)
	}
}

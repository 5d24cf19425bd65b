package main

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestAutomaticAgain learns the same model by the same reasons whenever the same command is given,
// however fast the data is read, whatever the threads, and however much memory there is.
func TestAutomaticAgain(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(9000, 1), true, "a", "b", "c", "d", "color"))
	model := filepath.Join(dir, "m.bls")
	t.Setenv("BLSKERNEL_CACHE", dir)
	var first string
	for n, args := range [][]string{nil, nil, nil, {"--threads", "1"}, {"--threads", "3"}, {"small"}} {
		limit := int64(-1)
		if slices.Contains(args, "small") {
			args, limit = nil, 200<<20
		}
		limit = debug.SetMemoryLimit(limit)
		status, _, stderr := inProcess(small(append(args, "--verbose", "--out", model, "--target", "color", data)...)...)
		debug.SetMemoryLimit(limit)
		all := stderr + succeed(t, "predict", "--scores", model, data)
		if n == 0 {
			first = all
		}
		if status != 0 || all != first || !strings.Contains(stderr, "feature maps fitted") {
			t.Fatalf("%q: status %d, another model\n%sand before\n%s", args, status, stderr, first[:min(len(first), 2000)])
		}
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

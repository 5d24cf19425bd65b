package main

import (
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/memory"
)

// TestRefusedForMemory has commands for which there is no memory: they say what they need before they
// begin, and what there was is there.
func TestRefusedForMemory(t *testing.T) {
	model, test := trained(t, "--target", "color")
	defer unchanged(t, model)()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	defer memory.Limit(1000)()
	for _, tc := range []struct {
		args []string
		want string
	}{
		{small("--target", "color", "--out", out, test), "(here: lower --enhancement, --group-nodes or --groups, --first or --batch, or take --method gram,"},
		{[]string{"update", model, test}, "(here: lower --enhancement,"},
		{[]string{"paper", "--size", "0.005", "--table", "2", "--embedded"}, "take fewer variants, nodes or samples"},
		{quick(), "take fewer variants, nodes or samples"},
	} {
		status, _, stderr := inProcess(tc.args...)
		if status != ui.ExitFailure || !strings.Contains(stderr, " of memory, and at most 1 kB is available (") || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: status %d, %q", tc.args, status, stderr)
		}
	}
	left(t, 0, dir, "*")
}

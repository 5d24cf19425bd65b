package main

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestAutomaticAgain learns the same model by the same reasons whenever the same command is given,
// however fast the data is read, whatever the threads, and however much memory there is.
func TestAutomaticAgain(t *testing.T) {
	dir, data, model := colored(t, 9000)
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

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/internal/testutil"
)

// TestFlopsModel prints the model of the last update of the paper's Table 2, whose sums are known, with
// one dash and with two.
func TestFlopsModel(t *testing.T) {
	for _, dash := range []string{"-", "--"} {
		args := "flops " + strings.ReplaceAll("-model -method original,improved/paper -k 5100 -q 10000 -l 50000 -c 1", "-", dash)
		testutil.Contains(t, silent(t, strings.Fields(args)...), "original: l = 50000, k = 5100, q = 10000, c = 1",
			"improved/large", "inverse", "22320.2", "16605.9")
	}
	out := succeed(t, "flops", "--model", "--json", "--method", "gram")
	var c bench.Cost
	if err := json.Unmarshal([]byte(out), &c); err != nil || c.Method != "gram" || len(c.Steps) != 5 || strings.Contains(out, "seconds") || strings.Contains(out, "counted") {
		t.Errorf("%v: %s", err, out)
	}
}

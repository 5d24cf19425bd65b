package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
)

func runCommand(t *testing.T, args string) (status int, out, errors string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(context.Background(), strings.Fields(args), ui.Streams{Out: &o, Err: &e})
	return status, o.String(), e.String()
}

// TestFlopsModel prints the model of the last update of the paper's Table 2, whose sums are known, with
// one dash and with two.
func TestFlopsModel(t *testing.T) {
	for _, dash := range []string{"-", "--"} {
		args := "flops " + strings.ReplaceAll("-model -method original,improved/paper -k 5100 -q 10000 -l 50000 -c 1", "-", dash)
		status, out, errs := runCommand(t, args)
		if status != 0 || errs != "" {
			t.Fatalf("%s: status %d, %s", args, status, errs)
		}
		for _, want := range []string{"original: l = 50000, k = 5100, q = 10000, c = 1", "improved/large", "inverse", "22320.2", "16605.9"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s prints\n%s\nwithout %q", args, out, want)
			}
		}
	}
	status, out, _ := runCommand(t, "flops --model --json --method gram")
	var c bench.Cost
	if err := json.Unmarshal([]byte(out), &c); status != 0 || err != nil || c.Method != "gram" || len(c.Steps) != 5 || strings.Contains(out, "seconds") || strings.Contains(out, "counted") {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
}

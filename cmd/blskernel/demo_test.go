package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
)

// TestDemonstration shows the first commands of a user with what they print, before the comparison,
// in which it is interrupted unless BLSKERNEL_LONG=1, and leaves no files. With flags there is the
// comparison alone.
func TestDemonstration(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR")) // on Windows
	lines := 54                          // the head of the comparison begins
	if testutil.Long() {
		lines = math.MaxInt
	}
	status, out, stderr := interruptedAfter(lines, syscall.SIGINT, "demo")
	if testutil.Long() {
		if testutil.Contains(t, out, "\nupdates: improved "); status != 0 {
			t.Errorf("status %d, %q", status, stderr)
		}
	} else if status != 130 || stderr != "blskernel demo: interrupted\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
	accuracy, accuracies := 0.0, 0
	testutil.Contains(t, out, "\n  $ blskernel train -o machine.bls --target state train.csv\n  machine.bls   classification, 3 classes, ",
		"\n  $ blskernel predict machine.bls new.csv\n  state\n", "\n  $ blskernel update machine.bls later.csv\n  machine.bls   ",
		", 3000 samples in all\n", "\n  $ blskernel evaluate machine.bls test.csv\n  rows ", "\n  accuracy ",
		"\ntraining   synthetic digits ")
	for line := range strings.Lines(out) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasSuffix(line, " ") || strings.Contains(line, os.TempDir()) {
			t.Errorf("%q", line)
		}
		if _, err := fmt.Sscanf(line, "  accuracy %f %%", &accuracy); err == nil {
			accuracies++
		}
	}
	if accuracies != 1 || !(accuracy > 90) {
		t.Errorf("%d accuracies, the last %v", accuracies, accuracy)
	}
	left(t, 0, filepath.Join(os.TempDir(), "*"))
	if out := silent(t, quick()...); strings.Contains(out, "$") {
		t.Errorf("with flags: %s", out)
	}
	if status, _, stderr := interruptedAfter(6, syscall.SIGINT, "demo"); status != 130 || stderr != "blskernel demo: interrupted\n" {
		t.Errorf("in the first step: status %d, %q", status, stderr)
	}
	left(t, 0, filepath.Join(os.TempDir(), "*"))
}

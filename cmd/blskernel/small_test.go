package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestShortVersion prints the version for -v as for --version.
func TestShortVersion(t *testing.T) {
	if want, got := succeed(t, "--version"), succeed(t, "-v"); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// TestHeaderlessInput predicts rows without a header from a file and from a pipe, with the same result.
func TestHeaderlessInput(t *testing.T) {
	model, _ := trained(t, "--target", "color")
	text := csvText(samples(50, 2), false, "a", "b", "c", "d")
	want := succeed(t, "predict", model, writeText(t, t.TempDir(), "x.csv", text))
	cmd := command(t, nil, "predict", model, "-")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	if err := cmd.Run(); err != nil || out.String() != want {
		t.Errorf("%v, %q; want %q", err, out.String()+errs.String(), want)
	}
}

// TestOverflowPlace names the row that is beyond all numbers.
func TestOverflowPlace(t *testing.T) {
	for _, flags := range [][]string{
		{"--target", "color"}, {"--target", "y1,y2", "--task", regression}, {"--target", "y1,y2", "--task", regression, "--scale", "none"},
	} {
		model, _ := trained(t, flags...)
		big := writeText(t, t.TempDir(), "big.csv", "a,b,c,d\n1,2,3,4\n1.7e308,-1.7e308,1.7e308,1.7e308\n")
		fail(t, exitFailure, filepath.Base(big)+":3: ", "predict", model, "--out", filepath.Join(t.TempDir(), "p.csv"), big)
	}
}

// TestChoiceByFlops chooses the method without the rates of the machine, so that the same command makes the
// same model everywhere.
func TestChoiceByFlops(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(150, 1), true, "a", "b", "c", "d", "color"))
	args := small("--verbose", "--out", filepath.Join(dir, "m.bls"), "--target", "color", data)
	if status, _, stderr := inProcess(args...); status != 0 || !strings.Contains(stderr, "\nTimes by constant rates.\n") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestEssence removes what Beam wraps around errors.
func TestEssence(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"process bundle failed for instruction inst001 using plan stage-002: while executing Process for Plan[stage-002]:\n2: Impulse[0]\n" +
			"\tcaused by:\nDoFn failed\n\tcaused by:\nscaleout: stream: a.csv:3: no number\nmore": "a.csv:3: no number",
		"a\n\tcaused by:\nthe disk is full\n":                                        "a: the disk is full",
		"scaleout: first\n\tcaused by:\n in x: scaleout: the model y: scaleout: z\n": "the model y: scaleout: z",
	} {
		if got := essence(text); got != want {
			t.Errorf("the essence of %q is %q, want %q", text, got, want)
		}
	}
}

// TestReport prints a report as text.
func TestReport(t *testing.T) {
	full := report{Model: "m.bls", Seconds: 3, Measured: true, Rows: 7, Bad: 3}
	for want, r := range map[string]report{
		"m.bls   rows: 7, bad rows set aside: 3, total time: 3.0 s\n":                full,
		"m.bls   the runner does not report the number of rows, total time: 3.0 s\n": {Model: "m.bls", Seconds: 3},
		"m.bls   will be written by job fit-1\n":                                     {Model: "m.bls", Job: "fit-1", running: true},
	} {
		var b strings.Builder
		if err := r.print(false, &b); err != nil || b.String() != want {
			t.Errorf("%q (%v), want %q", b.String(), err, want)
		}
	}
}

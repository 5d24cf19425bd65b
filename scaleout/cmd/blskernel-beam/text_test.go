package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestRidge reads what --lambda may be.
func TestRidge(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1e-6": 1e-6, "2^-30": math.Ldexp(1, -30), "2^3": 8, "0.0": 0} {
		r := modelRidge
		if err := r.Set(text); err != nil || float64(r) != want {
			t.Errorf("%q is %v (%v), want %v", text, float64(r), err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "NaN", "Inf", "2^x", "2^99999", "1e-999", "2^-99999"} {
		r := modelRidge
		if err := r.Set(text); err == nil || r != modelRidge {
			t.Errorf("%q is %v", text, float64(r))
		}
	}
	if r := modelRidge; r.String() != "" {
		t.Errorf("the ridge of the model is shown as %q", r.String())
	}
}

// TestEssence takes Beam's wrappers from errors.
func TestEssence(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"process bundle failed for instruction inst001 using plan stage-002: while executing Process for Plan[stage-002]:\n2: Impulse[0]\n\tcaused by:\nDoFn failed\n\tcaused by:\nscaleout: a.csv:3: no number\nmore": "scaleout: a.csv:3: no number",
		"a\n\tcaused by:\nthe disk is full\n":                                        "the disk is full",
		"scaleout: first\n\tcaused by:\n in x: scaleout: the model y: scaleout: z\n": "scaleout: the model y: scaleout: z",
	} {
		if got := essence(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestStartedByRunner tells the arguments of runners from those of users.
func TestStartedByRunner(t *testing.T) {
	for line, want := range map[string]bool{
		"":                                false,
		"--model m.bls --out o.bls x.csv": false,
		"--id='a' --provision_endpoint=localhost:1": true,
		"-id=a -provision_endpoint=localhost:1":     true,
		"--worker=true --id=a":                      false, // which Beam's own flags are for
		"provision_endpoint=x":                      false,
	} {
		if got := startedByRunner(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestBytesText writes numbers of bytes.
func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 1234: "1.2 kB", 214112: "214 kB", 999_999: "1.0 MB", 104_100_000_000: "104 GB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// TestWrap breaks lines at words.
func TestWrap(t *testing.T) {
	if got, want := wrap("one two  three\nfour", 8), []string{"one two", "three", "four"}; !slices.Equal(got, want) {
		t.Errorf("the lines are %q, want %q", got, want)
	}
}

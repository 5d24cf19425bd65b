package main

import (
	"os"
	"path/filepath"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestModelOrder gives the model's own names by flags in another order: they are still its names.
func TestModelOrder(t *testing.T) {
	model, test := trained(t, "--target", "y1,y2", "--task", "regression")
	want := succeed(t, "evaluate", model, test)
	predicted := succeed(t, "predict", model, test)
	for _, flags := range [][]string{
		{"--target", "y2,y1"}, {"--target", "6,5"}, {"--target", "y2,y1", "--inputs", "d,b,c,a"}, {"--inputs", "4,3,2,1"},
	} {
		if got := succeed(t, append([]string{"evaluate", model, test}, flags...)...); got != want {
			t.Errorf("evaluate %q: %s; want %s", flags, got, want)
		}
		if got := succeed(t, append([]string{"predict", model, test}, flags...)...); got != predicted {
			t.Errorf("predict %q differs", flags)
		}
	}
	fail(t, ui.ExitFailure, `name them one by one, in its order: "a", "b", "c", "d"`, "predict", model, "--target", "5,6", "--inputs", "2-4,1", test)
	text, err := os.ReadFile(model)
	testutil.NoError(t, err)
	other := writeText(t, t.TempDir(), "other.bls", string(text))
	succeed(t, "update", model, test)
	succeed(t, "update", other, "--target", "y2,y1", "--inputs", "d,c,b,a", test)
	if string(state(t, model)) != string(state(t, other)) {
		t.Error("the order of the flags changes what is learned")
	}
	// Other names are the model's by their places.
	renamed := writeText(t, t.TempDir(), "renamed.csv", csvText(samples(100, 2), false, "y2", "a", "b", "c", "d", "y1"))
	named := filepath.Join(filepath.Dir(renamed), "named.csv")
	body, err := os.ReadFile(renamed)
	testutil.NoError(t, err)
	writeText(t, filepath.Dir(renamed), "named.csv", "v,p,q,r,s,u\n"+string(body))
	if got := succeed(t, "predict", other, "--inputs", "p,q,r,s", named); got != succeed(t, "predict", model, test) {
		t.Error("columns with other names are not taken in their order")
	}
}

// TestTargetFileOrder has the targets in a file of their own, in another order.
func TestTargetFileOrder(t *testing.T) {
	model, test := trained(t, "--target", "y1,y2", "--task", "regression")
	dir := t.TempDir()
	x := writeText(t, dir, "x.csv", csvText(samples(100, 2), true, "a", "b", "c", "d"))
	y := writeText(t, dir, "y.csv", csvText(samples(100, 2), true, "y2", "y1"))
	want := succeed(t, "evaluate", model, test)
	for _, flags := range [][]string{nil, {"--target", "y2,y1"}, {"--target", "y1,y2"}, {"--target", "1,2"}} {
		if got := succeed(t, append([]string{"evaluate", model, "--targets-file", y, x}, flags...)...); got != want {
			t.Errorf("%q: %s; want %s", flags, got, want)
		}
	}
}

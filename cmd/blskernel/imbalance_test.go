package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestRare has classes of few rows: train and update say so, by the rows of both.
func TestRare(t *testing.T) {
	table := func(name string, of ...int) string { // rows of class i
		var b strings.Builder
		b.WriteString("x,y,kind\n")
		for class, n := range of {
			for i := range n {
				fmt.Fprintf(&b, "%d,%d,k%d\n", 7*class+i%13, i*i%17, class)
			}
		}
		return writeText(t, t.TempDir(), name, b.String())
	}
	model := t.TempDir() + "/m.bls"
	train := func(data string, flags ...string) string {
		status, _, stderr := inProcess(append([]string{"train", "--target", "kind", "--enhancement", "5", "--out", model, data}, flags...)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		return stderr
	}
	for _, tc := range []struct {
		of   []int
		note string
	}{
		{[]int{190, 10}, ""},
		{[]int{191, 9}, "note: 1 class is rare among the 200 rows learned, and may be predicted too rarely: k1 (4.5%); train with --class-weight balanced"},
		{[]int{300, 4, 5}, ": k1 (1.3%), k2 (1.6%);"},
		{[]int{500, 1, 1, 1, 1}, ": k1 (0.2%), k2 (0.2%), k3 (0.2%), ...;"},
		{[]int{20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 11}, ""}, // of many classes none has 5%
		{[]int{20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 9}, "k20 (2.2%)"},
	} {
		stderr := train(table("x.csv", tc.of...))
		if tc.note == "" && stderr != "" || !strings.Contains(stderr, tc.note) {
			t.Errorf("%d: %q", tc.of, stderr)
		}
	}
	// The rows of an update count with those of before.
	if stderr := train(table("x.csv", 191, 9), "--quiet"); stderr != "" {
		t.Errorf("%q", stderr)
	}
	silent(t, "update", model, table("more.csv", 0, 5))
	if _, _, stderr := inProcess("update", model, table("most.csv", 100)); !strings.Contains(stderr, "k1 (4.6%)") {
		t.Errorf("%q", stderr)
	}
}

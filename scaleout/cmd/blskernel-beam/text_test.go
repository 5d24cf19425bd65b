//go:build unix

package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
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
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestReport prints a report as text.
func TestReport(t *testing.T) {
	full := report{Model: "m.bls", Seconds: 3, Measured: true, Rows: 7, Bad: 3, BadFiles: 1, KernelSeconds: 2, ShuffledBytes: 1e6}
	for want, r := range map[string]report{
		"m.bls   7 rows, 2 bad rows and 1 whole files set aside, 2.0 s in kernels, 1.0 MB shuffled, 3.0 s in all\n": full,
		"m.bls   the runner does not report the rows, 3.0 s in all\n":                                               {Model: "m.bls", Seconds: 3},
		"m.bls   the job fit-1 will write it\n":                                                                     {Model: "m.bls", Job: "fit-1", running: true},
	} {
		var b strings.Builder
		if err := r.print(false, &b); err != nil || b.String() != want {
			t.Errorf("%q (%v), want %q", b.String(), err, want)
		}
	}
}

// TestSortKey sorts lines by the size of their numbers.
func TestSortKey(t *testing.T) {
	lines := []string{"a:10: column 3", "a:9: x", "b", "a:2: y", "a:10: column 20"}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(sortKey(a), sortKey(b)) })
	if want := []string{"a:2: y", "a:9: x", "a:10: column 3", "a:10: column 20", "b"}; !slices.Equal(lines, want) {
		t.Errorf("the order is %q, want %q", lines, want)
	}
}

// TestTree checks the levels on which states merge: as many as the files need, and one on Prism.
func TestTree(t *testing.T) {
	p := newProblem(t)
	for _, tc := range []struct {
		files, fanIn int
		runner       string
		want         []int
	}{
		{6400, 0, "flink", []int{4096, 512, 64, 8, 1}}, {6400, 100, "flink", []int{100, 1}}, {8, 0, "flink", []int{1}},
		{0, 0, "flink", []int{8, 1}}, {6400, 0, "prism", []int{1}},
	} {
		set := settings{model: p.model, out: p.out(t), patterns: []string{p.pattern()}, runner: tc.runner, files: tc.files, fanIn: tc.fanIn}
		edges, _, err := set.build().Build()
		testutil.NoError(t, err)
		marshalled, err := graphx.Marshal(edges, &graphx.Options{})
		testutil.NoError(t, err)
		var got []int
		for _, transform := range marshalled.GetComponents().GetTransforms() {
			scope, keys := path.Base(transform.GetUniqueName()), 0
			if n, _ := fmt.Sscanf(scope, "level of %d keys", &keys); n == 1 {
				got = append(got, keys)
			}
		}
		slices.Sort(got)
		slices.Reverse(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%d files, fan-in %d: levels %v, want %v", tc.files, tc.fanIn, got, tc.want)
		}
	}
}

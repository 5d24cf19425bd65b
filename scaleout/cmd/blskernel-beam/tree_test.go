package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
)

// TestTree looks at the levels on which states merge: as many as the number of files takes, and on
// Prism one.
func TestTree(t *testing.T) {
	p := newProblem(t)
	for _, tc := range []struct {
		files, fanIn int
		few          bool
		want         []int
	}{
		{6400, 0, false, []int{4096, 512, 64, 8, 1}}, {6400, 100, false, []int{100, 1}}, {8, 0, false, []int{1}}, {0, 0, false, []int{8, 1}}, {6400, 0, true, []int{1}},
	} {
		set := settings{model: p.model, out: p.out(t), method: "gram", format: "auto", header: "auto", workers: 1, patterns: []string{p.pattern()}, files: tc.files, fanIn: tc.fanIn}
		pipeline, err := set.build(tc.few)
		if err != nil {
			t.Fatal(err)
		}
		edges, _, err := pipeline.Build()
		if err != nil {
			t.Fatal(err)
		}
		marshalled, err := graphx.Marshal(edges, &graphx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, transform := range marshalled.GetComponents().GetTransforms() {
			_, level, found := strings.Cut(transform.GetUniqueName(), "/level of ")
			if keys := 0; found && !strings.Contains(level, "/") {
				if _, err := fmt.Sscanf(level, "%d keys", &keys); err != nil {
					t.Fatal(err)
				}
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

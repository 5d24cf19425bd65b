package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestGaps has baselines of which one thing does not fit.
func TestGaps(t *testing.T) {
	line := func(name string, threads int) baselineLine { return baselineLine{name, threads, 0.5, 1} }
	wide := &baseline{kernel: "wide", lines: []baselineLine{line("case 0", 1), line("case 0", 2), line("case 1", 1), line("case 1", 2)}}
	narrow := &baseline{kernel: "narrow", lines: wide.lines}
	with := func(l baselineLine) *baseline {
		return &baseline{kernel: "narrow", lines: append(slices.Clone(wide.lines), l)}
	}
	for _, tc := range []struct {
		name      string
		baselines []*baseline
		counts    []int
		want      string // what the only gap contains; nothing for none
	}{
		{"an unknown CPU", nil, []int{1, 2}, ""},
		{"all", []*baseline{narrow, wide}, []int{1, 2}, ""},
		{"one thread of two", []*baseline{narrow, wide}, []int{1}, ""},
		{"a case of another name", []*baseline{with(line("case one", 1)), wide}, []int{1, 2}, "case one, threads 1, kernel narrow: has a baseline, and is not measured"},
		{"such a case on threads that are not measured", []*baseline{with(line("case one", 2)), wide}, []int{1}, ""},
		{"threads that are never measured", []*baseline{with(line("case 1", 3)), wide}, []int{1, 2}, "case 1, threads 3, kernel narrow: has a baseline"},
		{"a kernel without a file", []*baseline{wide}, []int{1, 2}, "kernel narrow has no baseline"},
		{"a kernel that is not there", []*baseline{narrow, wide, {kernel: "widest", lines: wide.lines}}, []int{1, 2}, "kernel widest has a baseline on this CPU, which does not run it"},
	} {
		g := gated(2, newShared(1))
		g.groups = slices.DeleteFunc(g.groups, func(gr group) bool { return !slices.Contains(tc.counts, gr.threads) })
		got := g.gaps(tc.baselines, tc.counts)
		switch {
		case tc.want == "" && len(got) > 0, tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)):
			t.Errorf("%s: %q; want %q", tc.name, got, tc.want)
		}
	}
	// A case that the portable kernel is too slow for is none of its cells.
	g := gated(1, newShared(1))
	g.kernels = []string{"wide", "generic"}
	g.groups[0].task.flops = 2 * mostPortable
	if got := g.cells(); len(got) != 3 || got[cell{"case 0", 1, "generic"}] {
		t.Errorf("%v", got)
	}
}

// TestBaselinesFit looks at what is checked in for all CPUs: every line is that of a case that there is.
func TestBaselinesFit(t *testing.T) {
	folders, err := os.ReadDir("baselines")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		baselines, err := place{"baselines", folder.Name()}.all()
		if err != nil || len(baselines) == 0 {
			t.Fatal(folder, err)
		}
		g := gate{}
		for _, b := range baselines {
			g.kernels = append(g.kernels, b.kernel)
		}
		for _, task := range tasks() {
			for _, n := range threadCounts {
				g.groups = append(g.groups, group{task, n})
			}
		}
		for _, gap := range g.gaps(baselines, threadCounts) {
			t.Errorf("%s: %s", folder.Name(), gap)
		}
	}
}

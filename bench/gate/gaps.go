package main

import (
	"fmt"
	"slices"
)

// cells returns those that a run measures.
func (g *gate) cells() map[cell]bool {
	all := map[cell]bool{}
	for _, gr := range g.groups {
		for _, k := range gr.task.kernels(g.kernels) {
			all[cell{gr.task.name, gr.threads, k}] = true
		}
	}
	return all
}

// gaps says where a run of all cases on all kernels does not compare what the baselines of its CPU are
// there for: a case that has another name now, or a kernel that is not found any more, would be as good
// as one that lost nothing. counts are the numbers of threads that are measured; baselines of others of
// the threadCounts wait for another run. A CPU without baselines has no gaps.
func (g *gate) gaps(baselines []*baseline, counts []int) []string {
	var all []string
	measured := g.cells()
	of := map[string]bool{}
	for _, b := range baselines {
		of[b.kernel] = true
		if !slices.Contains(g.kernels, b.kernel) {
			all = append(all, fmt.Sprintf("kernel %s has a baseline on this CPU, which does not run it now", b.kernel))
			continue
		}
		for _, l := range b.lines {
			c := cell{l.Case, l.Threads, b.kernel}
			waits := slices.Contains(threadCounts, l.Threads) && !slices.Contains(counts, l.Threads)
			if !measured[c] && !waits {
				all = append(all, fmt.Sprintf("%v: has a baseline, and is not measured: rename or remove its line with its case", c))
			}
		}
	}
	for _, k := range g.kernels {
		if len(baselines) > 0 && !of[k] {
			all = append(all, fmt.Sprintf("kernel %s has no baseline, unlike others on this CPU: go run ./bench/gate -write -kernels %[1]s measures one", k))
		}
	}
	return all
}

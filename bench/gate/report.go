package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"blskernel/bench/result"
)

// A report prints what was found.
type report struct {
	w         io.Writer
	verbose   bool
	tolerance float64
}

// head says what is measured on what.
func (r report) head(m result.Machine, cpu string, s *stand) {
	fmt.Fprintf(r.w, "cpu      %s (%s)\n", m.CPU, cpu)
	fmt.Fprintf(r.w, "go       %s, GOMAXPROCS %d\n", m.Go, m.GOMAXPROCS)
	fmt.Fprintf(r.w, "kernels  %s\n", strings.Join(s.kernels, ", "))
	if s.rival == nil {
		fmt.Fprintf(r.w, "openblas none with a LAPACK: kernels are compared with the peak only\n")
		return
	}
	fmt.Fprintf(r.w, "openblas %s\n", m.OpenBLAS)
}

// missing says which of the kernels have no baseline, in one line where none has.
func (r report) missing(cpu string, kernels []string, baselines []*baseline) {
	if len(baselines) == 0 {
		fmt.Fprintf(r.w, "warning: this CPU (%s) has no baselines: nothing is compared, and nothing can fail. go run ./bench/gate -write measures some\n", cpu)
		return
	}
	for _, k := range kernels {
		if !slices.ContainsFunc(baselines, func(b *baseline) bool { return b.kernel == k }) {
			fmt.Fprintf(r.w, "warning: kernel %s has no baseline on this CPU: it can lose nothing\n", k)
		}
	}
}

// gaps prints what a full run did not compare, and returns whether there is nothing of that kind.
func (r report) gaps(all []string) bool {
	for _, gap := range all {
		fmt.Fprintf(r.w, "FAIL: %s\n", gap)
	}
	return len(all) == 0
}

// comparable says what a baseline cannot be compared with.
func (r report) comparable(b *baseline, openBLAS string) {
	if openBLAS != "" && openBLAS != b.machine.OpenBLAS {
		fmt.Fprintf(r.w, "warning: the baseline of kernel %s is of OpenBLAS %q: it is compared with the peak only\n", b.kernel, b.machine.OpenBLAS)
	}
}

// print prints the cells that lost or may have, and those that were cleared; all of them if it is verbose.
func (r report) print(outcomes []outcome) {
	for _, o := range outcomes {
		slow := o.verdict == unknown && o.now[byOpenBLAS] > 0 && o.now[byOpenBLAS] < 1-r.tolerance
		if (o.verdict == kept || o.verdict == busy) && !r.verbose || o.verdict == unknown && !r.verbose && !slow {
			continue
		}
		prefix := ""
		switch {
		case o.verdict == lost:
			prefix = "FAIL: "
		case o.verdict == doubtful || slow:
			prefix = "warning: "
		}
		fmt.Fprintf(r.w, "%s%v: %s\n", prefix, o.cell, o.describe())
	}
}

// describe says how a cell stands against its baseline.
func (o outcome) describe() string {
	var parts []string
	for i, name := range []string{"of the peak", "of the speed of OpenBLAS"} {
		if o.now[i] == 0 {
			continue
		}
		part := fmt.Sprintf("%.3g %s", o.now[i], name)
		if o.base[i] > 0 {
			part += fmt.Sprintf(" (baseline %.3g, %+.1f%%)", o.base[i], 100*(o.now[i]/o.base[i]-1))
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s: %s; %d rounds, attempts: %d", o.verdict, strings.Join(parts, ", "), o.rounds, o.attempts)
}

// peaks says how steady the machine was, and whether the peaks are those of the baselines, where they
// have some. A peak that is not may be that of a machine at another speed, which its kernels share, or
// of a loop that was timed wrongly, by which all shares of the peak are wrong.
func (r report) peaks(of map[int][]float64, base map[int]float64) {
	for _, threads := range slices.Sorted(maps.Keys(of)) {
		p := slices.Sorted(slices.Values(of[threads]))
		text := fmt.Sprintf("peak, threads %d: %.1f GFLOP/s, from %.1f to %.1f over %d rounds", threads, median(p), p[0], p[len(p)-1], len(p))
		if b := base[threads]; b > 0 {
			change := median(p)/b - 1
			text += fmt.Sprintf(" (baseline %.1f, %+.1f%%)", b, 100*change)
			if !(math.Abs(change) <= r.tolerance) {
				text = "warning: " + text
			}
		}
		fmt.Fprintln(r.w, text)
	}
}

// foot sums up, and returns whether nothing was lost.
func (r report) foot(outcomes []outcome) bool {
	count := map[verdict]int{}
	var least *outcome
	for i, o := range outcomes {
		count[o.verdict]++
		if o.verdict != unknown && o.verdict != busy && (least == nil || o.share < least.share) {
			least = &outcomes[i]
		}
	}
	fmt.Fprintf(r.w, "gate: %d cells", len(outcomes))
	for _, v := range []verdict{kept, cleared, doubtful, lost, busy, unknown} {
		if count[v] > 0 {
			fmt.Fprintf(r.w, ", %s: %d", v, count[v])
		}
	}
	fmt.Fprintln(r.w)
	if count[busy] > 0 {
		fmt.Fprintf(r.w, "warning: %d cells could not be judged: other processes had the CPUs\n", count[busy])
	}
	if least != nil {
		fmt.Fprintf(r.w, "gate: at the end the least share of a baseline is %.3f: %v\n", least.share, least.cell)
	}
	return count[lost] == 0
}

package speed

import (
	"math"
	"slices"
)

// A Ratio sums up the ratios of one operation with one number of threads against one backend.
type Ratio struct {
	Op      string  `json:"op"`
	Threads int     `json:"threads"`
	Backend string  `json:"backend"` // the first, of whose speed the ratios are multiples
	Against string  `json:"against"` // the other
	Cells   int     `json:"cells"`
	Mean    float64 `json:"mean"` // geometric
	Worst   float64 `json:"worst"`
	At      string  `json:"at"` // the worst cell
}

// A Large sums up the large shapes (Shape.Large) of one operation with one number of threads on one
// backend: the least share of the peak, and the most memory of inverses (Timing).
type Large struct {
	Op       string  `json:"op"`
	Threads  int     `json:"threads"`
	Backend  string  `json:"backend"`
	Cells    int     `json:"cells"`
	OfPeak   float64 `json:"of_peak"`    // the least
	OfPeakAt string  `json:"of_peak_at"` // its cell
	Memory   float64 `json:"memory,omitempty"`
}

// Ratios sums up the ratios of results, in the order in which operations, threads and backends come.
func Ratios(results []Result) (all []Ratio) {
	for _, r := range results {
		for _, t := range r.Backends[1:] {
			i := slices.IndexFunc(all, func(a Ratio) bool {
				return a.Op == r.Op && a.Threads == r.Threads && a.Against == t.Backend
			})
			if i < 0 {
				i = len(all)
				first := r.Backends[0].Backend
				all = append(all, Ratio{Op: r.Op, Threads: r.Threads, Backend: first, Against: t.Backend, Worst: math.Inf(1)})
			}
			a := &all[i]
			a.Cells++
			a.Mean += math.Log(t.Ratio)
			if !(t.Ratio >= a.Worst) {
				a.Worst, a.At = t.Ratio, r.Cell()
			}
		}
	}
	for i := range all {
		all[i].Mean = math.Exp(all[i].Mean / float64(all[i].Cells))
	}
	return all
}

// Larges sums up the large shapes, in the order in which operations, threads and backends come.
func Larges(results []Result) (all []Large) {
	for _, r := range results {
		if !r.Shape().Large() {
			continue
		}
		for _, t := range r.Backends {
			i := slices.IndexFunc(all, func(a Large) bool {
				return a.Op == r.Op && a.Threads == r.Threads && a.Backend == t.Backend
			})
			if i < 0 {
				i = len(all)
				all = append(all, Large{Op: r.Op, Threads: r.Threads, Backend: t.Backend, OfPeak: math.Inf(1)})
			}
			a := &all[i]
			a.Cells++
			a.Memory = max(a.Memory, t.Memory)
			if !(t.OfPeak >= a.OfPeak) {
				a.OfPeak, a.OfPeakAt = t.OfPeak, r.Cell()
			}
		}
	}
	return all
}

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
// backend: the least share of the peak, the speed as a multiple of that of one thread, and the memory
// of inverses (Timing).
type Large struct {
	Op       string  `json:"op"`
	Threads  int     `json:"threads"`
	Backend  string  `json:"backend"`
	Cells    int     `json:"cells"`
	OfPeak   float64 `json:"of_peak"`    // the least
	OfPeakAt string  `json:"of_peak_at"` // its cell
	// The following are absent for one thread, or where the results have no one thread before.
	Speedup      float64 `json:"speedup,omitempty"` // geometric mean
	WorstSpeedup float64 `json:"worst_speedup,omitempty"`
	SpeedupAt    string  `json:"worst_speedup_at,omitempty"`
	Memory       float64 `json:"memory,omitempty"` // the most; absent unless the operation is an inverse
}

// A tally takes in values of one operation with one number of threads on one backend.
type tally struct {
	op      string
	threads int
	backend string

	cells          int
	logarithm, low float64
	at             string // the cell of low
}

func (t *tally) mean() float64 { return math.Exp(t.logarithm / float64(t.cells)) }

// add adds the value of a cell to its tally, which it makes where there is none.
func add(tallies []*tally, r Result, backend string, value float64) []*tally {
	i := slices.IndexFunc(tallies, func(t *tally) bool { return t.op == r.Op && t.threads == r.Threads && t.backend == backend })
	if i < 0 {
		i = len(tallies)
		tallies = append(tallies, &tally{op: r.Op, threads: r.Threads, backend: backend})
	}
	t := tallies[i]
	if t.cells == 0 || !(value >= t.low) {
		t.low, t.at = value, r.Cell()
	}
	t.cells++
	t.logarithm += math.Log(value)
	return tallies
}

// Ratios sums up the ratios of results, in the order in which operations, threads and backends come.
func Ratios(results []Result) (ratios []Ratio) {
	var tallies []*tally
	first := ""
	for _, r := range results {
		for i, t := range r.Backends {
			if i == 0 {
				first = t.Backend
				continue
			}
			tallies = add(tallies, r, t.Backend, t.Ratio)
		}
	}
	for _, t := range tallies {
		ratios = append(ratios, Ratio{Op: t.op, Threads: t.threads, Backend: first, Against: t.backend, Cells: t.cells, Mean: t.mean(), Worst: t.low, At: t.at})
	}
	return ratios
}

// Larges sums up the large shapes, in the order in which operations, threads and backends come.
func Larges(results []Result) (larges []Large) {
	type cell struct{ op, cell, backend string }
	single, memory := map[cell]float64{}, map[tally]float64{}
	var ofPeak, speedup []*tally
	for _, r := range results {
		if !r.Shape().Large() {
			continue
		}
		for _, t := range r.Backends {
			ofPeak = add(ofPeak, r, t.Backend, t.OfPeak)
			k := tally{op: r.Op, threads: r.Threads, backend: t.Backend}
			memory[k] = max(memory[k], t.Memory)
			c := cell{r.Op, r.Cell(), t.Backend}
			if r.Threads == 1 {
				single[c] = t.GFLOPS
			} else if one, ok := single[c]; ok {
				speedup = add(speedup, r, t.Backend, t.GFLOPS/one)
			}
		}
	}
	for _, t := range ofPeak {
		l := Large{Op: t.op, Threads: t.threads, Backend: t.backend, Cells: t.cells, OfPeak: t.low, OfPeakAt: t.at}
		l.Memory = memory[tally{op: t.op, threads: t.threads, backend: t.backend}]
		same := func(s *tally) bool { return s.op == t.op && s.threads == t.threads && s.backend == t.backend }
		if i := slices.IndexFunc(speedup, same); i >= 0 {
			l.Speedup, l.WorstSpeedup, l.SpeedupAt = speedup[i].mean(), speedup[i].low, speedup[i].at
		}
		larges = append(larges, l)
	}
	return larges
}

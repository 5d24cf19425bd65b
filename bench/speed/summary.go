package speed

import "math"

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

// A Large sums up the large shapes (see Shape.Large) of one operation with one number of threads on one
// backend: the least fraction of the peak, what threads give, which is speeds as multiples of those
// with one thread, and the memory of inverses (see Timing).
type Large struct {
	Op       string  `json:"op"`
	Threads  int     `json:"threads"`
	Backend  string  `json:"backend"`
	Cells    int     `json:"cells"`
	OfPeak   float64 `json:"of_peak"`    // the least
	OfPeakAt string  `json:"of_peak_at"` // its cell
	// The following are absent where Threads is 1 or one thread was not measured before.
	Speedup      float64 `json:"speedup,omitempty"` // geometric mean
	WorstSpeedup float64 `json:"worst_speedup,omitempty"`
	SpeedupAt    string  `json:"worst_speedup_at,omitempty"`
	Memory       float64 `json:"memory,omitempty"` // the most; absent for what is no inverse
}

// A tally takes in ratios one after another.
type tally struct {
	cells          int
	logarithm, low float64
	at             string
}

func (t *tally) add(ratio float64, cell string) {
	if t.cells == 0 || !(ratio >= t.low) {
		t.low, t.at = ratio, cell
	}
	t.cells++
	t.logarithm += math.Log(ratio)
}

func (t *tally) mean() float64 { return math.Exp(t.logarithm / float64(t.cells)) }

// sorted keeps tallies in the order in which their keys are first asked for.
type sorted[K comparable] struct {
	keys []K
	of   map[K]*tally
}

func (s *sorted[K]) get(k K) *tally {
	if s.of == nil {
		s.of = map[K]*tally{}
	}
	if s.of[k] == nil {
		s.of[k] = &tally{}
		s.keys = append(s.keys, k)
	}
	return s.of[k]
}

// Ratios sums up the ratios of results, in the order in which operations, threads and backends come.
func Ratios(results []Result) []Ratio {
	type key struct {
		op      string
		threads int
		against string
	}
	var tallies sorted[key]
	first := ""
	for _, r := range results {
		for i, t := range r.Backends {
			if i == 0 {
				first = t.Backend
				continue
			}
			tallies.get(key{r.Op, r.Threads, t.Backend}).add(t.Ratio, r.Cell())
		}
	}
	var ratios []Ratio
	for _, k := range tallies.keys {
		t := tallies.of[k]
		ratios = append(ratios, Ratio{Op: k.op, Threads: k.threads, Backend: first, Against: k.against, Cells: t.cells, Mean: t.mean(), Worst: t.low, At: t.at})
	}
	return ratios
}

// Larges sums up the large shapes, in the order in which operations, threads and backends come.
func Larges(results []Result) []Large {
	type cell struct{ op, cell, backend string }
	type key struct {
		op      string
		threads int
		backend string
	}
	single, memory := map[cell]float64{}, map[key]float64{}
	var ofPeak, speedup sorted[key]
	for _, r := range results {
		if !r.Shape().Large() {
			continue
		}
		for _, t := range r.Backends {
			c, k := cell{r.Op, r.Cell(), t.Backend}, key{r.Op, r.Threads, t.Backend}
			ofPeak.get(k).add(t.OfPeak, r.Cell())
			memory[k] = max(memory[k], t.Memory)
			if r.Threads == 1 {
				single[c] = t.GFLOPS
			} else if one, ok := single[c]; ok {
				speedup.get(k).add(t.GFLOPS/one, r.Cell())
			}
		}
	}
	var larges []Large
	for _, k := range ofPeak.keys {
		t := ofPeak.of[k]
		l := Large{Op: k.op, Threads: k.threads, Backend: k.backend, Cells: t.cells, OfPeak: t.low, OfPeakAt: t.at, Memory: memory[k]}
		if t := speedup.of[k]; t != nil {
			l.Speedup, l.WorstSpeedup, l.SpeedupAt = t.mean(), t.low, t.at
		}
		larges = append(larges, l)
	}
	return larges
}

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

// A tally takes in the values of cells.
type tally struct {
	cells          int
	logarithm, low float64
	at             string // the cell of low
}

func (t *tally) mean() float64 { return math.Exp(t.logarithm / float64(t.cells)) }

// tallies has a tally for each operation, number of threads and backend, in the order of the cells.
type tallies struct {
	keys []tallyKey
	of   map[tallyKey]*tally
}

type tallyKey struct {
	op      string
	threads int
	backend string
}

// add adds the value of a cell.
func (all *tallies) add(r Result, backend string, value float64) {
	key := tallyKey{r.Op, r.Threads, backend}
	t := all.of[key]
	if t == nil {
		if all.of == nil {
			all.of = map[tallyKey]*tally{}
		}
		t = &tally{low: math.NaN()}
		all.keys, all.of[key] = append(all.keys, key), t
	}
	if !(value >= t.low) {
		t.low, t.at = value, r.Cell()
	}
	t.cells++
	t.logarithm += math.Log(value)
}

// Ratios sums up the ratios of results, in the order in which operations, threads and backends come.
func Ratios(results []Result) (ratios []Ratio) {
	var all tallies
	first := ""
	for _, r := range results {
		for i, t := range r.Backends {
			if i == 0 {
				first = t.Backend
				continue
			}
			all.add(r, t.Backend, t.Ratio)
		}
	}
	for _, k := range all.keys {
		t := all.of[k]
		ratios = append(ratios, Ratio{k.op, k.threads, first, k.backend, t.cells, t.mean(), t.low, t.at})
	}
	return ratios
}

// Larges sums up the large shapes, in the order in which operations, threads and backends come.
func Larges(results []Result) (larges []Large) {
	single, memory := map[[3]string]float64{}, map[tallyKey]float64{}
	var ofPeak, speedup tallies
	for _, r := range results {
		if !r.Shape().Large() {
			continue
		}
		for _, t := range r.Backends {
			ofPeak.add(r, t.Backend, t.OfPeak)
			k, cell := tallyKey{r.Op, r.Threads, t.Backend}, [3]string{r.Op, r.Cell(), t.Backend}
			memory[k] = max(memory[k], t.Memory)
			if r.Threads == 1 {
				single[cell] = t.GFLOPS
			} else if one, ok := single[cell]; ok {
				speedup.add(r, t.Backend, t.GFLOPS/one)
			}
		}
	}
	for _, k := range ofPeak.keys {
		t := ofPeak.of[k]
		l := Large{Op: k.op, Threads: k.threads, Backend: k.backend, Cells: t.cells, OfPeak: t.low, OfPeakAt: t.at, Memory: memory[k]}
		if s := speedup.of[k]; s != nil {
			l.Speedup, l.WorstSpeedup, l.SpeedupAt = s.mean(), s.low, s.at
		}
		larges = append(larges, l)
	}
	return larges
}

package speed

import (
	"math"
	"slices"
)

// A Ratio sums up ratios of speeds in the cells of one operation, or of one of its cases, with one
// number of threads.
type Ratio struct {
	Op      string  `json:"op"`
	Args    string  `json:"case,omitempty"` // empty for all cases together
	Threads int     `json:"threads"`        // as those of a Result
	Backend string  `json:"backend"`        // whose speeds are divided
	Against string  `json:"against"`        // by those of which: another backend's, or OneThread
	Cells   int     `json:"cells"`
	Mean    float64 `json:"mean"` // geometric
	Worst   float64 `json:"worst"`
	At      string  `json:"at"` // the cell of the lowest
}

// OneThread stands in a Ratio for the same backend on one thread.
const OneThread = "1 thread"

// A Share has the shares of the peak that a backend reaches in one case with one number of threads, and
// the most memory of inverses (Timing) of order 1000 or more.
type Share struct {
	Op      string    `json:"op"`
	Args    string    `json:"case,omitempty"`
	Threads int       `json:"threads"`
	Backend string    `json:"backend"`
	Shapes  []string  `json:"shapes"`
	OfPeak  []float64 `json:"of_peak"` // by shape
	Memory  float64   `json:"memory,omitempty"`
}

// Ratios sums up the ratios of results by operation, and within one by case; where it has several, all
// cases together follow. Numbers of threads and backends keep their order.
func Ratios(results []Result) (all []Ratio) {
	for _, op := range distinct(results, func(r Result) string { return r.Op }) {
		own := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Op != op })
		cases := distinct(own, func(r Result) string { return r.Args })
		if len(cases) > 1 {
			cases = append(cases, "")
		}
		for _, args := range cases {
			all = append(all, ratiosOf(args, own)...)
		}
	}
	return all
}

// distinct returns the distinct keys of x in the order of their first elements.
func distinct[T any](x []T, key func(T) string) (keys []string) {
	for _, v := range x {
		if k := key(v); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// ratiosOf sums up the ratios of one case of an operation, or of all if args is empty.
func ratiosOf(args string, results []Result) (all []Ratio) {
	add := func(r Result, backend, against string, ratio float64) {
		if ratio == 0 || args != "" && args != r.Args {
			return
		}
		a := entry(&all, Ratio{Op: r.Op, Args: args, Threads: r.Threads, Backend: backend, Against: against, Worst: math.Inf(1)},
			func(a, b Ratio) bool {
				return a.Threads == b.Threads && a.Backend == b.Backend && a.Against == b.Against
			})
		a.Cells++
		a.Mean += math.Log(ratio)
		if !(ratio >= a.Worst) {
			a.Worst, a.At = ratio, r.Cell()
		}
	}
	for _, r := range results {
		for _, t := range r.Backends {
			add(r, r.Backends[0].Backend, t.Backend, t.Ratio)
			add(r, t.Backend, OneThread, t.OverOne)
		}
	}
	for i := range all {
		all[i].Mean = math.Exp(all[i].Mean / float64(all[i].Cells))
	}
	return all
}

// entry returns the element of all that is the same as fresh, or fresh, which it appends.
func entry[T any](all *[]T, fresh T, same func(a, b T) bool) *T {
	i := slices.IndexFunc(*all, func(a T) bool { return same(a, fresh) })
	if i < 0 {
		i = len(*all)
		*all = append(*all, fresh)
	}
	return &(*all)[i]
}

// Shares collects the shares of the peak, in the order in which cases, threads and backends come.
func Shares(results []Result) (all []Share) {
	for _, r := range results {
		for _, t := range r.Backends {
			s := entry(&all, Share{Op: r.Op, Args: r.Args, Threads: r.Threads, Backend: t.Backend}, func(a, b Share) bool {
				return a.Op == b.Op && a.Args == b.Args && a.Threads == b.Threads && a.Backend == b.Backend
			})
			s.Shapes, s.OfPeak = append(s.Shapes, r.Shape().String()), append(s.OfPeak, t.OfPeak)
			if r.Shape().Large() {
				s.Memory = max(s.Memory, t.Memory)
			}
		}
	}
	return all
}

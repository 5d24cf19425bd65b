package report

import (
	"cmp"
	"fmt"
	"slices"

	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// An operationGroup is the cells of one operation with one set of arguments at one place.
type operationGroup struct {
	operation
	cells []speed.Result
}

type operation struct {
	name string
	place
}

func operationGroups(parts []*result.File) (all []*operationGroup) {
	var groups ordered[operation, operationGroup]
	for _, f := range parts {
		for _, c := range f.Cells {
			if len(c.Backends) == 0 {
				continue
			}
			key := operation{c.Op, placeOf(f)}
			key.Threads = fmt.Sprint(c.Threads)
			if c.Args != "" {
				key.name += " " + c.Args
			}
			g := groups.at(key)
			g.operation = key
			again := func(old speed.Result) bool { // the later one counts
				return old.Shape() == c.Shape() && slices.Equal(names(old), names(c))
			}
			g.cells = append(slices.DeleteFunc(g.cells, again), c)
		}
	}
	for _, g := range groups.all {
		slices.SortStableFunc(g.cells, func(a, b speed.Result) int { return cmp.Compare(volume(a), volume(b)) })
		all = append(all, g)
	}
	return all
}

// volume is what cells are sorted by.
func volume(c speed.Result) float64 { return float64(c.M) * float64(c.N) * float64(c.K) }

// names returns the backends of a cell.
func names(c speed.Result) (all []string) {
	for _, b := range c.Backends {
		all = append(all, b.Backend)
	}
	return all
}

func speedSection(parts []*result.File) Section {
	sec := Section{
		ID: "speed", Title: "Speed of the operations",
		Text: "GFLOP/s against the order n. The peak is that of a loop of fused multiply-adds on registers, " +
			"measured in the same rounds on as many threads.",
	}
	groups := operationGroups(parts)
	for _, g := range groups {
		sec.Figures = append(sec.Figures, g.figure())
	}
	sec.Findings, sec.numbers = speedFindings(groups)
	return sec
}

// figure has a row for each cell; the plot has those of squares.
func (g *operationGroup) figure() Figure {
	where := g.name + ": " + g.place.String()
	c := chart{Plot: Plot{
		Name: slug("speed " + g.name + " " + g.Threads), Title: where,
		x: axis{label: "order n", log: true}, y: axis{label: "GFLOP/s", holds: []float64{0, 1}},
	}}
	c.Caption, c.Columns = "Speed of "+where, numbers("", "n")
	var backends []string
	best := 0.0
	for _, cell := range g.cells {
		at := nan
		if cell.Shape() == speed.Square(cell.N) {
			at = float64(cell.N)
		}
		c.row(at, cell.Shape().String())
		backends, best = append(backends, names(cell)...), max(best, cell.Backends[0].OfPeak)
	}
	of := func(value func(speed.Result) float64) []float64 {
		return values(len(g.cells), func(i int) float64 { return value(g.cells[i]) })
	}
	backends = unique(backends)
	c.add("peak", "GFLOP/s", true, of(func(r speed.Result) float64 { return r.Peak }), significant)
	for i, b := range backends {
		c.add(b, "GFLOP/s", false, of(func(r speed.Result) float64 { return timing(r, b).GFLOPS }), significant)
		if i == 0 {
			continue
		}
		var cells []string
		for _, ratio := range of(func(r speed.Result) float64 { return timing(r, b).Ratio }) {
			cells = append(cells, times(ratio))
		}
		c.column(Column{Head: backends[0] + " / " + b}, cells)
	}
	return c.figure(where, fmt.Sprintf("%s on %s: at best %s%% of the peak.", g.name, backends[0], fixed(100*best, 1)))
}

// timing returns the timing of a backend in a cell.
func timing(c speed.Result, backend string) speed.Timing {
	for _, t := range c.Backends {
		if t.Backend == backend {
			return t
		}
	}
	return speed.Timing{GFLOPS: nan, Ratio: nan}
}

// speedFindings compares, at each place, the first backend of each cell with the others of the cell.
func speedFindings(groups []*operationGroup) (says []string, numbers []Number) {
	type match struct {
		place
		first string
	}
	type outcome struct {
		ratios ordered[string, []float64] // by other
		ofPeak []float64                  // in large dgemm
	}
	var matches ordered[match, outcome]
	for _, g := range groups {
		for _, c := range g.cells {
			at := g.place
			at.Threads = "" // both numbers of threads are counted together
			m := matches.at(match{at, c.Backends[0].Backend})
			if c.Op == "dgemm" && c.Shape().Large() {
				m.ofPeak = append(m.ofPeak, 100*c.Backends[0].OfPeak)
			}
			for _, b := range c.Backends[1:] {
				if of := m.ratios.at(b.Backend); b.Ratio > 0 {
					*of = append(*of, b.Ratio)
				}
			}
		}
	}
	for m, o := range matches.all {
		first := m.place.with(m.first)
		for other, of := range o.ratios.all {
			middle, cells, faster := times(median(*of)), count(len(*of), "cell"), above(*of)
			says = append(says, fmt.Sprintf("The backend %s is faster than %s in %d of %s; the median of the ratios is %s.",
				first, other, faster, cells, middle))
			if other == "openblas" && numbers == nil {
				numbers = []Number{{middle + "×", fmt.Sprintf("speed of the backend %s over OpenBLAS in the median of %s, from products "+
					"of vectors to inverses; faster in %d", m.first, cells, faster)}}
			}
		}
		if len(o.ofPeak) > 0 {
			percent := between(o.ofPeak, func(v float64) string { return fixed(v, 0) })
			says = append(says, fmt.Sprintf("In dgemm from n = 1000 on %s reaches %s%% of the peak.", first, percent))
		}
	}
	return says, numbers
}

// median returns the median of x, or NaN for none.
func median(x []float64) float64 {
	if len(x) == 0 {
		return nan
	}
	return speed.Median(x)
}

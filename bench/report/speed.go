package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// An operationGroup is the cells of one operation with one set of arguments at one place.
type operationGroup struct {
	name string
	place
	versions
	cells []speed.Result
}

func operationGroups(parts []*result.File, at places) []*operationGroup {
	var all []*operationGroup
	for _, f := range parts {
		here := at.of(machineOf(f))
		here.Threads = "" // of which each cell has its own number
		for _, c := range f.Cells {
			if len(c.Backends) == 0 {
				continue
			}
			name := c.Op
			if c.Args != "" {
				name += " " + c.Args
			}
			i := slices.IndexFunc(all, func(g *operationGroup) bool { return g.name == name && g.place == here })
			if i < 0 {
				i = len(all)
				all = append(all, &operationGroup{name: name, place: here})
			}
			g := all[i]
			g.versions.add(machineOf(f).Version)
			same := func(old speed.Result) bool {
				return old.Shape() == c.Shape() && old.Threads == c.Threads && slices.EqualFunc(old.Backends, c.Backends, func(a, b speed.Timing) bool { return a.Backend == b.Backend })
			}
			g.cells = append(slices.DeleteFunc(g.cells, same), c) // what was measured again counts
		}
	}
	for _, g := range all {
		slices.SortStableFunc(g.cells, func(a, b speed.Result) int {
			return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a.Cell(), b.Cell()), cmp.Compare(a.Threads, b.Threads))
		})
	}
	return all
}

// size is what a cell is sorted by: n of squares, and of other shapes that of the cube of as many
// terms.
func size(c speed.Result) float64 {
	return math.Cbrt(float64(max(c.M, 1)) * float64(max(c.N, 1)) * float64(max(c.K, 1)))
}

func square(c speed.Result) bool { return c.Shape() == speed.Square(c.N) }

func speedSection(parts []*result.File, at places) section {
	sec := section{
		ID: "speed", Title: "Speed of the operations",
		Text: "GFLOP/s against the order n, for each operation, backend and number of threads. Thin lines are the peak of the CPU: a loop of fused multiply-adds on registers, measured in the same rounds on as many threads.",
	}
	groups := operationGroups(parts, at)
	for _, g := range groups {
		sec.Figures = append(sec.Figures, g.figure())
	}
	sec.findings, sec.number = speedFindings(groups)
	return sec
}

// timing returns the timing of a backend in a cell.
func timing(c speed.Result, backend string) (speed.Timing, bool) {
	i := slices.IndexFunc(c.Backends, func(t speed.Timing) bool { return t.Backend == backend })
	if i < 0 {
		nan := math.NaN()
		return speed.Timing{GFLOPS: nan, OfPeak: nan, Ratio: nan}, false
	}
	return c.Backends[i], true
}

func (g *operationGroup) figure() figure {
	where := g.name + g.place.shown
	if g.Backends != "" {
		where = g.name + ": " + g.Backends + g.place.shown
	}
	p := &Plot{
		Name: slug("speed " + g.name), Title: where, x: axis{label: "order n", log: true}, y: axis{label: "GFLOP/s", least: 0, most: 1},
	}
	t := table{Caption: "Speed of " + where, Columns: []column{{Head: "n"}, {Head: "threads"}, {Head: "peak", Unit: "GFLOP/s"}}}
	var backends []string
	var threads []int
	for _, c := range g.cells {
		for _, b := range c.Backends {
			if !slices.Contains(backends, b.Backend) {
				backends = append(backends, b.Backend)
			}
		}
		if !slices.Contains(threads, c.Threads) {
			threads = append(threads, c.Threads)
		}
	}
	slices.Sort(threads)
	for i, b := range backends {
		t.Columns = append(t.Columns, column{Head: b, Unit: "GFLOP/s"}, column{Head: "of peak", Unit: "%"})
		if i > 0 {
			t.Columns = append(t.Columns, column{Head: backends[0] + " / " + b})
		}
	}
	for j, n := range threads {
		name := count(n, "thread", "threads")
		peak := series{name: "peak, " + name, ink: inkMuted, dash: (len(threads) - 1 - j) * 2, style: thinLine}
		for i, b := range backends {
			s := series{name: b + ", " + name, ink: seriesInks[i%len(seriesInks)], marker: i % 5}
			if len(threads) > 1 && j == 0 {
				s.dash, s.marker = 1, i%5+5
			}
			for _, c := range g.cells {
				if of, ok := timing(c, b); ok && c.Threads == n && square(c) {
					s.add(float64(c.N), of.GFLOPS)
				}
			}
			p.series = append(p.series, s)
		}
		for _, c := range g.cells {
			if c.Threads == n && square(c) && c.Peak > 0 {
				peak.add(float64(c.N), c.Peak)
			}
		}
		p.series = append(p.series, peak)
	}
	best, at := 0.0, ""
	for _, c := range g.cells {
		row := []string{c.Shape().String(), fmt.Sprint(c.Threads), significant(c.Peak)}
		for i, name := range backends {
			of, _ := timing(c, name)
			if i == 0 && of.OfPeak > best {
				best, at = of.OfPeak, fmt.Sprintf(", at n = %s with %s", c.Shape(), count(c.Threads, "thread", "threads"))
			}
			row = append(row, significant(of.GFLOPS), fixed(100*of.OfPeak, 1))
			if i > 0 {
				row = append(row, times(of.Ratio))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	p.About = fmt.Sprintf("%s on %s: at best %s%% of the peak%s.", g.name, backends[0], fixed(100*best, 1), at) + g.versions.note()
	return figure{Title: where, Caption: p.About, plot: p, Tables: []table{t}}
}

// speedFindings compares, at each place, the first backend of each cell with the others of the cell.
func speedFindings(groups []*operationGroup) (says []string, number *Number) {
	type match struct {
		place
		first string
	}
	var matches []match
	others := map[match][]string{}             // in the order in which they came
	ratios := map[match]map[string][]float64{} // by other
	ofPeak := map[match][]float64{}            // in large dgemm
	for _, g := range groups {
		for _, c := range g.cells {
			m := match{g.place, c.Backends[0].Backend}
			if ratios[m] == nil {
				matches, ratios[m] = append(matches, m), map[string][]float64{}
			}
			if c.Op == "dgemm" && c.Shape().Large() {
				ofPeak[m] = append(ofPeak[m], 100*c.Backends[0].OfPeak)
			}
			for _, b := range c.Backends[1:] {
				if b.Ratio > 0 {
					if ratios[m][b.Backend] == nil {
						others[m] = append(others[m], b.Backend)
					}
					ratios[m][b.Backend] = append(ratios[m][b.Backend], b.Ratio)
				}
			}
		}
	}
	for _, m := range matches {
		first := m.place.with(m.first)
		for _, other := range others[m] {
			of := ratios[m][other]
			says = append(says, fmt.Sprintf("The backend %s is faster than %s in %d of %s; the median of the ratios is %s.",
				first, other, above(of), count(len(of), "cell", "cells"), times(median(of))))
			if other == "openblas" && number == nil {
				number = &Number{times(median(of)) + "×", fmt.Sprintf("speed of the backend %s over OpenBLAS in the median of %s, from products of vectors to inverses; faster in %d",
					m.first, count(len(of), "cell", "cells"), above(of))}
			}
		}
		if of := ofPeak[m]; len(of) > 0 {
			says = append(says, fmt.Sprintf("In dgemm from n = 1000 on %s reaches %s%% of the peak.", first, between(of, func(v float64) string { return fixed(v, 0) })))
		}
	}
	return says, number
}

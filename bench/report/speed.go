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

// size is what a cell is sorted by: n of squares, and of other shapes that of the cube of as many terms.
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

func (g *operationGroup) figure() figure {
	where := g.name + g.place.shown
	if g.Backends != "" {
		where = g.name + ": " + g.Backends + g.place.shown
	}
	f := figure{Title: where}
	p := &Plot{
		Name: slug("speed " + g.name), Title: where, x: axis{label: "order n", log: true}, y: axis{label: "GFLOP/s", least: 0, most: 1},
	}
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
	t := table{
		Caption: "Speed of " + where,
		Columns: []column{{Head: "n", Text: false}, {Head: "threads"}, {Head: "peak", Unit: "GFLOP/s"}},
	}
	for i, b := range backends {
		t.Columns = append(t.Columns, column{Head: b, Unit: "GFLOP/s"}, column{Head: "of peak", Unit: "%"})
		if i > 0 {
			t.Columns = append(t.Columns, column{Head: backends[0] + " / " + b})
		}
	}
	others, best, where := 0, 0.0, ""
	for j, n := range threads {
		for i, b := range backends {
			s := series{name: fmt.Sprintf("%s, %s", b, count(n, "thread", "threads")), ink: seriesInks[i%len(seriesInks)], marker: i % 5}
			if len(threads) > 1 && j == 0 {
				s.dash, s.marker = 1, i%5+5
			}
			for _, c := range g.cells {
				if k := slices.IndexFunc(c.Backends, func(t speed.Timing) bool { return t.Backend == b }); k >= 0 && c.Threads == n && square(c) {
					s.add(float64(c.N), c.Backends[k].GFLOPS)
				}
			}
			p.series = append(p.series, s)
		}
		peak := series{name: fmt.Sprintf("peak, %s", count(n, "thread", "threads")), ink: inkMuted, dash: (len(threads) - 1 - j) * 2, style: thinLine}
		for _, c := range g.cells {
			if c.Threads == n && square(c) && c.Peak > 0 {
				peak.add(float64(c.N), c.Peak)
			}
		}
		p.series = append(p.series, peak)
	}
	for _, c := range g.cells {
		if !square(c) {
			others++
		}
		row := []string{c.Shape().String(), fmt.Sprint(c.Threads), significant(c.Peak)}
		for i, name := range backends {
			k := slices.IndexFunc(c.Backends, func(t speed.Timing) bool { return t.Backend == name })
			speed, share, ratio := math.NaN(), math.NaN(), math.NaN()
			if k >= 0 {
				speed, share = c.Backends[k].GFLOPS, 100*c.Backends[k].OfPeak
				if c.Backends[k].Ratio > 0 {
					ratio = c.Backends[k].Ratio
				}
				if i == 0 && share > best {
					best, where = share, fmt.Sprintf("n = %s with %s", c.Shape(), count(c.Threads, "thread", "threads"))
				}
			}
			row = append(row, significant(speed), fixed(share, 1))
			if i > 0 {
				row = append(row, times(ratio))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	f.Caption = fmt.Sprintf("%s on %s: at best %s%% of the peak, at %s.", g.name, backends[0], fixed(best, 1), where)
	if others > 0 {
		f.Caption += fmt.Sprintf(" %s in the table only.", count(others, "shape that is not square is", "shapes that are not square are"))
	}
	f.Caption += g.versions.note()
	p.About = f.Caption
	f.plot, f.Tables = p, []table{t}
	return f
}

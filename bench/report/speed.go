package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// An operation is the cells with one case, on one pair of backends at one place.
type operation struct {
	operationKey
	cells []speed.Result
}

type operationKey struct {
	name string // with the arguments
	place
	first, second string // backends; the second is empty where there is one
}

// operations returns the cells by operation, in order of size.
func operations(parts []*result.File) (all []*operation) {
	var groups ordered[operationKey, operation]
	for _, f := range parts {
		for _, c := range f.Cells {
			if len(c.Backends) == 0 {
				continue
			}
			key := operationKey{strings.TrimSpace(c.Op + " " + c.Args), placeOf(f), c.Backends[0].Backend, ""}
			key.Threads = speed.ThreadsName(c.Threads)
			if len(c.Backends) > 1 {
				key.second = c.Backends[1].Backend
			}
			o := groups.at(key)
			o.operationKey = key
			// The later one counts.
			again := func(old speed.Result) bool { return old.Shape() == c.Shape() }
			o.cells = append(slices.DeleteFunc(o.cells, again), c)
		}
	}
	for _, o := range groups.all {
		slices.SortStableFunc(o.cells, bySize)
		all = append(all, o)
	}
	return all
}

func bySize(a, b speed.Result) int {
	size := func(c speed.Result) float64 { return float64(c.M) * float64(c.N) * float64(c.K) }
	return cmp.Compare(size(a), size(b))
}

func speedSection(parts []*result.File) Section {
	sec := Section{
		Title: "Speed of the operations",
		Text: "GFLOP/s by order n, and in brackets the speed over that of the second " +
			"backend. The plots show the share of the peak: the speed of a loop of " +
			"fused multiply-adds on registers, measured in the same rounds on as many " +
			"threads.",
	}
	all := operations(parts)
	if len(all) == 0 {
		return sec
	}
	f := Figure{Table: speedTable(all)}
	var plots ordered[string, Plot]
	for _, o := range all {
		title := o.name + o.place.cpu()
		p := plots.at(title)
		if p.Name == "" {
			*p = Plot{
				Name: slug("speed " + o.name), Title: title,
				x: axis{label: "order n", log: true}, y: axis{label: "% of the peak"},
			}
		}
		o.draw(p)
	}
	for _, p := range plots.all {
		if len(p.series) > 0 {
			f.Plots = append(f.Plots, p)
		}
	}
	sec.Figures = []Figure{f}
	sec.Findings, sec.numbers = speedFindings(all)
	return sec
}

// speedTable has a row for each operation and a column for each shape.
func speedTable(all []*operation) Table {
	var cells []speed.Result
	for _, o := range all {
		cells = append(cells, o.cells...)
	}
	slices.SortStableFunc(cells, bySize)
	var shapes []string
	for _, c := range cells {
		shapes = append(shapes, c.Shape().String())
	}
	shapes = unique(shapes)
	t := Table{Columns: append([]string{"n"}, shapes...)}
	for _, o := range all {
		row := append([]string{o.name + ", " + o.place.with(o.first)}, slices.Repeat([]string{absent}, len(shapes))...)
		for _, c := range o.cells {
			at := &row[1+slices.Index(shapes, c.Shape().String())]
			*at = significant(c.Backends[0].GFLOPS)
			if o.second != "" {
				*at += " (" + times(c.Backends[1].Ratio) + ")"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// draw adds both backends to the plot of the operation, with the square cells.
func (o *operation) draw(p *Plot) {
	for i, backend := range []string{o.first, o.second} {
		var n, share []float64
		for _, c := range o.cells {
			if i < len(c.Backends) && c.Shape() == speed.Square(c.N) {
				n, share = append(n, float64(c.N)), append(share, 100*c.Backends[i].OfPeak)
			}
		}
		at := o.place
		at.CPU = "" // is in the title
		p.add(at.with(backend), false, n, share)
	}
}

// speedFindings compares, at each place, the first backend of each cell with the others of the cell.
// Numbers of threads are counted together.
func speedFindings(all []*operation) (says []string, numbers []Number) {
	type pair struct {
		place
		first, other string
	}
	var ratios, ofPeak ordered[pair, []float64]
	for _, o := range all {
		for _, c := range o.cells {
			key := pair{place: o.place, first: c.Backends[0].Backend}
			key.Threads = ""
			if c.Op == "dgemm" && c.Shape().Large() {
				of := ofPeak.at(key)
				*of = append(*of, 100*c.Backends[0].OfPeak)
			}
			for _, b := range c.Backends[1:] {
				key.other = b.Backend
				if of := ratios.at(key); b.Ratio > 0 {
					*of = append(*of, b.Ratio)
				}
			}
		}
	}
	for p, of := range ratios.all {
		middle, measured, faster := times(median(*of)), count(len(*of), "measurement"), above(*of)
		says = append(says, fmt.Sprintf("The backend %s is faster than %s in %d of %s; the median of the ratios is %s.",
			p.place.with(p.first), p.other, faster, measured, middle))
		if p.other == "openblas" && numbers == nil {
			numbers = []Number{{middle + "×", fmt.Sprintf("speed of the backend %s over OpenBLAS in the "+
				"median of %s, from products of vectors to inverses; faster in %d", p.first, measured, faster)}}
		}
	}
	for p, of := range ofPeak.all {
		percent := between(*of, whole)
		says = append(says, fmt.Sprintf("In dgemm from n = 1000 on %s reaches %s%% of the peak.",
			p.place.with(p.first), percent))
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

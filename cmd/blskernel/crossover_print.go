package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bench"
)

// crossoverTable has a line for each q, with the time and the flops of each update and of retraining.
type crossoverTable struct {
	c      *bench.Crossover
	groups []group[bench.CrossoverPoint]
	points []bench.CrossoverPoint
}

// plannerWidth is that of the name of a method with a form.
const plannerWidth = 22

func newCrossoverTable(c *bench.Crossover) *crossoverTable {
	t := &crossoverTable{c: c}
	t.groups = []group[bench.CrossoverPoint]{{heads: []string{"q"}, cells: func(p bench.CrossoverPoint) []string { return []string{fmt.Sprint(p.Q)} }}}
	cost := []string{"s", "Gflop"}
	for i, v := range c.Variants {
		t.groups = append(t.groups, group[bench.CrossoverPoint]{v.String(), cost, func(p bench.CrossoverPoint) []string { return costCells(p.Methods[i]) }})
	}
	t.groups = append(t.groups,
		group[bench.CrossoverPoint]{bench.PlannerSeries, append(cost, fmt.Sprintf("%*s", plannerWidth, "method")), func(p bench.CrossoverPoint) []string {
			return append(costCells(p.Methods[len(p.Methods)-1]), p.Planner)
		}},
		group[bench.CrossoverPoint]{"A+ from scratch", cost, func(p bench.CrossoverPoint) []string { return costCells(p.RetrainPseudoinverse) }},
		group[bench.CrossoverPoint]{"W from scratch", cost, func(p bench.CrossoverPoint) []string { return costCells(p.RetrainWeights) }},
		group[bench.CrossoverPoint]{heads: []string{"rounds"}, cells: func(p bench.CrossoverPoint) []string { return []string{fmt.Sprint(p.Rounds)} }})
	return t
}

func costCells(t bench.CrossoverTiming) []string {
	return []string{fmt.Sprintf("%.4f", t.Seconds), significant(t.Flops / 1e9)}
}

// head says what is about to be run and prints the heads of the columns.
func (t *crossoverTable) head() string {
	lambda := ridge(t.c.Lambda)
	return fmt.Sprintf("model      l = %d samples, k = %d nodes, c = %d targets; lambda = %s\n", t.c.L, t.c.K, t.c.C, &lambda) +
		fmt.Sprintf("backend    %s, threads: %d\n\n", t.c.Backend.Name(), blskernel.Threads()) + heads(t.groups)
}

func (t *crossoverTable) line(p bench.CrossoverPoint) string {
	t.points = append(t.points, p)
	return line(t.groups, p)
}

// foot says where the lines cross.
func (t *crossoverTable) foot() string {
	var b strings.Builder
	b.WriteString("\nStarting over takes less than an update from this q on:\n\n")
	against := func(title, name string) group[[]bench.Crossing] {
		return group[[]bench.Crossing]{title, []string{"by flops", "measured"}, func(of []bench.Crossing) []string {
			for _, c := range of {
				if c.Against == name {
					return []string{t.q(c.Flops), t.q(c.Seconds)}
				}
			}
			return []string{"", ""}
		}}
	}
	crossings := bench.Crossings(t.points)
	width := 0
	for _, c := range crossings {
		width = max(width, len(c.Series))
	}
	groups := []group[[]bench.Crossing]{
		{heads: []string{strings.Repeat(" ", width)}, cells: func(of []bench.Crossing) []string { return []string{of[0].Series} }},
		against("A+ from scratch", bench.AgainstPseudoinverse), against("W from scratch", bench.AgainstWeights),
	}
	b.WriteString(heads(groups))
	for of := range slices.Chunk(crossings, 2) { // a series with both ways of retraining
		b.WriteString(line(groups, of))
	}
	return b.String()
}

// q writes a crossing.
func (t *crossoverTable) q(v float64) string {
	switch {
	case v == 0:
		return fmt.Sprintf("<= %d", slices.Min(t.c.Q))
	case math.IsInf(v, 1):
		return fmt.Sprintf("> %d", slices.Max(t.c.Q))
	case v < 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

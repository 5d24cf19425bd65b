package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
)

// crossoverTable has a line for each q, with time and flops of each update and of retraining.
type crossoverTable struct {
	c      *bench.Crossover
	groups []ui.Group[bench.CrossoverPoint]
	points []bench.CrossoverPoint
}

// plannerWidth is that of the name of a method with a form.
const plannerWidth = 22

func newCrossoverTable(c *bench.Crossover) *crossoverTable {
	t := &crossoverTable{c: c}
	t.groups = []ui.Group[bench.CrossoverPoint]{{Heads: []string{"q"}, Cells: func(p bench.CrossoverPoint) []string { return []string{fmt.Sprint(p.Q)} }}}
	cost := []string{"s", "Gflop"}
	for i, v := range c.Variants {
		t.groups = append(t.groups, ui.Group[bench.CrossoverPoint]{Title: v.String(), Heads: cost, Cells: func(p bench.CrossoverPoint) []string { return costCells(p.Methods[i]) }})
	}
	t.groups = append(t.groups,
		ui.Group[bench.CrossoverPoint]{Title: bench.PlannerSeries, Heads: append(cost, fmt.Sprintf("%*s", plannerWidth, "method")), Cells: func(p bench.CrossoverPoint) []string {
			return append(costCells(p.Methods[len(p.Methods)-1]), p.Planner)
		}},
		ui.Group[bench.CrossoverPoint]{Title: "A+ from scratch", Heads: cost, Cells: func(p bench.CrossoverPoint) []string { return costCells(p.RetrainPseudoinverse) }},
		ui.Group[bench.CrossoverPoint]{Title: "W from scratch", Heads: cost, Cells: func(p bench.CrossoverPoint) []string { return costCells(p.RetrainWeights) }},
		ui.Group[bench.CrossoverPoint]{Heads: []string{"rounds"}, Cells: func(p bench.CrossoverPoint) []string { return []string{fmt.Sprint(p.Rounds)} }})
	return t
}

func costCells(t bench.CrossoverTiming) []string {
	return []string{fmt.Sprintf("%.4f", t.Seconds), gigaflops(t.Flops)}
}

// head returns the settings and the heads of the columns.
func (t *crossoverTable) head() string {
	lambda := ui.Ridge(t.c.Lambda)
	return fmt.Sprintf("model      l = %d samples, k = %d nodes, c = %d targets; lambda = %s\n", t.c.L, t.c.K, t.c.C, &lambda) +
		backendLine(t.c.Backend) + "\n" + ui.Heads(t.groups)
}

func (t *crossoverTable) line(p bench.CrossoverPoint) string {
	t.points = append(t.points, p)
	return ui.Line(t.groups, p)
}

// foot returns where the lines cross.
func (t *crossoverTable) foot() string {
	var b strings.Builder
	b.WriteString("\nRetraining takes less than an update from this q on:\n\n")
	against := func(title, name string) ui.Group[[]bench.Crossing] {
		return ui.Group[[]bench.Crossing]{Title: title, Heads: []string{"by flops", "measured"}, Cells: func(of []bench.Crossing) []string {
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
	groups := []ui.Group[[]bench.Crossing]{
		{Heads: []string{strings.Repeat(" ", width)}, Cells: func(of []bench.Crossing) []string { return []string{of[0].Series} }},
		against("A+ from scratch", bench.AgainstPseudoinverse), against("W from scratch", bench.AgainstWeights),
	}
	b.WriteString(ui.Heads(groups))
	for of := range slices.Chunk(crossings, 2) { // a series with both ways of retraining
		b.WriteString(ui.Line(groups, of))
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

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// A crossing is the points of one l, k, c on one backend at one place, in order of q.
type crossing struct {
	crossingKey
	points []bench.CrossoverPoint
}

type crossingKey struct {
	backend string
	place
	l, k, c int
	lambda  float64
}

func crossings(parts []*result.File) (all []*crossing) {
	var groups ordered[crossingKey, crossing]
	for _, f := range parts {
		for _, p := range f.Crossovers {
			key := crossingKey{p.Backend, placeOf(f), p.L, p.K, p.C, p.Lambda}
			g := groups.at(key)
			g.crossingKey = key
			g.points = slices.DeleteFunc(g.points, func(old bench.CrossoverPoint) bool { return old.Q == p.Q }) // measured again
			g.points = append(g.points, p)
		}
	}
	for _, g := range groups.all {
		slices.SortFunc(g.points, func(a, b bench.CrossoverPoint) int { return cmp.Compare(a.Q, b.Q) })
		all = append(all, g)
	}
	return all
}

func crossoverSection(parts []*result.File) Section {
	sec := Section{
		ID: "crossover", Title: "Updating against retraining",
		Text: "The time to add q rows and compute the weights W: by updates, and from scratch on all l + q rows, with the " +
			"pseudoinverse A⁺ and without it. By flops an update of A⁺ wins over A⁺ from scratch up to about q = k/2, and over W " +
			"from scratch up to about k/6.",
	}
	for _, g := range crossings(parts) {
		findings, number := g.findings()
		sec.Figures = append(sec.Figures, g.figure())
		sec.Findings = append(sec.Findings, findings...)
		if sec.number == nil {
			sec.number = number
		}
	}
	return sec
}

// seconds returns the times of a series of updates by q, NaN where a point does not have it.
func (g *crossing) seconds(series string) []float64 {
	return values(len(g.points), func(i int) float64 {
		for _, t := range g.points[i].Methods {
			if t.Series == series {
				return t.Seconds
			}
		}
		return nan
	})
}

// fromScratch returns the times of retraining by q.
func (g *crossing) fromScratch() (inverse, weights []float64) {
	for _, p := range g.points {
		inverse, weights = append(inverse, p.RetrainPseudoinverse.Seconds), append(weights, p.RetrainWeights.Seconds)
	}
	return inverse, weights
}

// series returns the names of the series of updates.
func (g *crossing) series() (names []string) {
	for _, p := range g.points {
		for _, t := range p.Methods {
			names = append(names, t.Series)
		}
	}
	return unique(names)
}

func (g *crossing) figure() Figure {
	where := fmt.Sprintf("l = %d, k = %d, c = %d, %s", g.l, g.k, g.c, g.place.with(g.backend))
	c := chart{Plot: Plot{
		Name: slug(fmt.Sprintf("crossover k %d %s", g.k, g.backend)), Title: "Updating against retraining, " + where,
		x: axis{label: "added rows q", log: true}, y: axis{label: "time, s", log: true},
	}}
	c.Caption, c.Columns = "Time of an update and of retraining, "+where, numbers("", "q", "q/k")
	var planner, rounds []string
	for _, p := range g.points {
		c.row(float64(p.Q), fmt.Sprint(p.Q), significant(float64(p.Q)/float64(g.k)))
		planner, rounds = append(planner, p.Planner), append(rounds, fmt.Sprint(p.Rounds))
	}
	for _, name := range g.series() {
		c.add(name, "s", false, g.seconds(name), significant)
	}
	inverse, weights := g.fromScratch()
	c.add("A⁺ and W from scratch", "s", true, inverse, significant)
	c.add("W from scratch", "s", true, weights, significant)
	c.column(Column{Head: "planner's choice", Text: true}, planner)
	c.column(Column{Head: "rounds"}, rounds)
	return c.figure(where, "Times are medians of the rounds.")
}

// findings compares the updates by Improved with retraining, and the planner's choice with both.
func (g *crossing) findings() (says []string, number *Number) {
	sizes := fmt.Sprintf("k = %d, l = %d", g.k, g.l)
	inverse, weights := g.fromScratch()
	var ways []string
	for _, p := range g.points {
		ways = append(ways, from(p.RetrainPseudoinverse.By))
	}
	for _, c := range bench.Crossings(g.points) {
		if base(c.Series) != "improved" {
			continue
		}
		other, retraining := fromScratch(ways), inverse
		if c.Against == bench.AgainstWeights {
			other, retraining = "W alone from scratch", weights
		} else if number == nil && c.Seconds > 0 && !math.IsInf(c.Seconds, 1) {
			number = &Number{"q = " + times(c.Seconds/float64(g.k)) + "\u00a0k", fmt.Sprintf("added samples up to which updating A⁺ by "+
				"Improved is faster than computing %s, at %s (by flops %s\u00a0k)", other, sizes, times(c.Flops/float64(g.k)))}
		}
		says = append(says, g.compare(c, other, quotients(g.seconds(c.Series), retraining)))
	}
	mine := g.seconds(bench.PlannerSeries)
	planner := []string{between(quotients(weights, mine), times) + " times as fast as W from scratch"}
	for _, name := range g.series() {
		if v := quotients(g.seconds(name), mine); base(name) == "improved" && len(v) > 0 {
			planner = append(planner, fmt.Sprintf("%s times as fast as %s", between(v, times), name))
		}
	}
	says = append(says, "the planner's choice is "+strings.Join(planner, " and ")+".")
	for i := range says {
		says[i] = fmt.Sprintf("At %s, %s: %s", sizes, g.place.with(g.backend), says[i])
	}
	return says, number
}

// quotients returns a/b where both are positive.
func quotients(a, b []float64) (all []float64) {
	for i := range b {
		if a[i] > 0 && b[i] > 0 {
			all = append(all, a[i]/b[i])
		}
	}
	return all
}

// compare says up to which q an update is faster than retraining, by the ratios of their times.
func (g *crossing) compare(c bench.Crossing, other string, ratios []float64) string {
	first, last := g.points[0].Q, g.points[len(g.points)-1].Q
	worst := absent
	if len(ratios) > 0 {
		worst = times(ratios[len(ratios)-1])
	}
	says := fmt.Sprintf("updating A⁺ by %s", c.Series)
	switch {
	case c.Seconds == 0:
		return fmt.Sprintf("%s loses to %s at every q from %d to %d: it takes %s times as long.",
			says, other, first, last, between(ratios, times))
	case math.IsInf(c.Seconds, 1):
		return fmt.Sprintf("%s still wins over %s at q = %d, where it takes %s of the time.", says, other, last, worst)
	}
	return fmt.Sprintf("%s wins over %s up to q ≈ %s\u00a0k (by flops up to %s\u00a0k), and loses beyond: at q = %d it takes %s times "+
		"as long.", says, other, times(c.Seconds/float64(g.k)), times(c.Flops/float64(g.k)), last, worst)
}

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
	backend string
	place
	versions
	l, k, c int
	lambda  float64
	points  []bench.CrossoverPoint
}

func crossings(parts []*result.File, at places) []*crossing {
	var all []*crossing
	for _, f := range parts {
		here := at.of(machineOf(f))
		for _, p := range f.Crossovers {
			i := slices.IndexFunc(all, func(g *crossing) bool {
				return g.backend == p.Backend && g.place == here && g.l == p.L && g.k == p.K && g.c == p.C && g.lambda == p.Lambda
			})
			if i < 0 {
				i = len(all)
				all = append(all, &crossing{backend: p.Backend, place: here, l: p.L, k: p.K, c: p.C, lambda: p.Lambda})
			}
			g := all[i]
			g.versions.add(machineOf(f).Version)
			g.points = slices.DeleteFunc(g.points, func(old bench.CrossoverPoint) bool { return old.Q == p.Q }) // measured again
			g.points = append(g.points, p)
		}
	}
	for _, g := range all {
		slices.SortFunc(g.points, func(a, b bench.CrossoverPoint) int { return cmp.Compare(a.Q, b.Q) })
	}
	return all
}

func crossoverSection(parts []*result.File, at places) section {
	sec := section{
		ID: "crossover", Title: "Updating against retraining",
		Text: "The time to add q rows and compute the weights W: by updates, and from scratch on all l + q rows, with the pseudoinverse A⁺ and without it. By flops an update of A⁺ wins over A⁺ from scratch up to about q = k/2, and over W from scratch up to about k/6.",
	}
	for _, g := range crossings(parts, at) {
		f, finding := g.figure()
		sec.Figures = append(sec.Figures, f)
		sec.findings = append(sec.findings, finding...)
		for _, c := range bench.Crossings(g.points) {
			if sec.number == nil && base(c.Series) == "improved" && c.Against == bench.AgainstPseudoinverse && c.Seconds > 0 && !math.IsInf(c.Seconds, 1) {
				sec.number = &Number{fmt.Sprintf("q = %s\u00a0k", times(c.Seconds/float64(g.k))), fmt.Sprintf(
					"added samples up to which updating A⁺ by Improved is faster than computing A⁺ from scratch, at k = %d and l = %d (by flops %s\u00a0k)",
					g.k, g.l, times(c.Flops/float64(g.k)))}
			}
		}
	}
	return sec
}

// where names the backend and the place.
func (g *crossing) where() string { return g.place.with(g.backend) }

// timings returns the time of each series of updates by q, NaN where a point does not have it.
func (g *crossing) timings() (names []string, seconds map[string][]float64) {
	seconds = map[string][]float64{}
	for i, p := range g.points {
		for _, t := range p.Methods {
			if seconds[t.Series] == nil {
				names = append(names, t.Series)
				seconds[t.Series] = slices.Repeat([]float64{math.NaN()}, len(g.points))
			}
			seconds[t.Series][i] = t.Seconds
		}
	}
	return names, seconds
}

func (g *crossing) figure() (figure, []string) {
	where := fmt.Sprintf("l = %d, k = %d, c = %d, %s", g.l, g.k, g.c, g.where())
	f := figure{Title: where}
	p := &Plot{
		Name: slug(fmt.Sprintf("crossover k %d %s", g.k, g.backend)), Title: fmt.Sprintf("Updating against retraining, k = %d, l = %d, %s", g.k, g.l, g.where()),
		x: axis{label: "added rows q", log: true}, y: axis{label: "time, s", log: true},
	}
	t := table{Caption: "Time of an update and of retraining, " + where, Columns: []column{{Head: "q"}, {Head: "q/k"}}}
	q := make([]float64, len(g.points))
	rounds := []float64{}
	for i, point := range g.points {
		q[i] = float64(point.Q)
		rounds = append(rounds, float64(point.Rounds))
		t.Rows = append(t.Rows, []string{fmt.Sprint(point.Q), significant(q[i] / float64(g.k))})
	}
	curve := func(s series, y []float64) {
		s.x, s.y = q, y
		p.series = append(p.series, s)
		t.Columns = append(t.Columns, column{Head: s.name, Unit: "s"})
		for i, v := range y {
			t.Rows[i] = append(t.Rows[i], significant(v))
		}
	}
	names, seconds := g.timings()
	var l looks
	for _, name := range names {
		curve(l.method(name), seconds[name])
	}
	var by ways
	var inverse, weights []float64
	for _, point := range g.points {
		by.add(point.RetrainPseudoinverse.By)
		inverse, weights = append(inverse, point.RetrainPseudoinverse.Seconds), append(weights, point.RetrainWeights.Seconds)
	}
	curve(series{name: "A+ and W from scratch", ink: inkText, dash: 1, style: lineOnly}, inverse)
	curve(series{name: "W from scratch", ink: inkText, dash: 2, style: lineOnly}, weights)
	t.Columns = append(t.Columns, column{Head: "planner's choice", Text: true}, column{Head: "rounds"})
	for i, point := range g.points {
		t.Rows[i] = append(t.Rows[i], point.Planner, fmt.Sprint(point.Rounds))
	}
	var says []string
	for _, c := range bench.Crossings(g.points) {
		if base(c.Series) != "improved" {
			continue
		}
		other, retraining := by.String(), inverse
		if c.Against == bench.AgainstWeights {
			other, retraining = "computing W alone from scratch", weights
		}
		says = append(says, g.compare(c, other, seconds[c.Series], retraining))
	}
	if s := g.plannerWins(names, seconds, weights); s != "" {
		says = append(says, s)
	}
	where = fmt.Sprintf("k = %d, l = %d, %s", g.k, g.l, g.where())
	finding := "At " + where + ": " + strings.Join(says, " ")
	f.Caption = finding + fmt.Sprintf(" Times are medians of %s rounds.", between(rounds, func(v float64) string { return fmt.Sprint(int(v)) })) + g.versions.note()
	p.About = f.Caption
	f.plot, f.Tables = p, []table{t}
	if len(says) == 0 {
		return f, nil
	}
	return f, []string{finding}
}

// compare says up to which q an update is faster than retraining.
func (g *crossing) compare(c bench.Crossing, other string, update, retraining []float64) string {
	var ratios []float64
	for i := range update {
		ratios = append(ratios, update[i]/retraining[i])
	}
	first, last := g.points[0].Q, g.points[len(g.points)-1].Q
	says := fmt.Sprintf("Updating A⁺ by %s", c.Series)
	switch {
	case c.Seconds == 0:
		return fmt.Sprintf("%s loses to %s at every q from %d to %d: it takes %s times as long.", says, other, first, last, between(ratios, times))
	case math.IsInf(c.Seconds, 1):
		return fmt.Sprintf("%s still wins over %s at q = %d, where it takes %s of the time.", says, other, last, times(ratios[len(ratios)-1]))
	}
	says += fmt.Sprintf(" wins over %s up to q ≈ %s = %s\u00a0k", other, rounded(c.Seconds), times(c.Seconds/float64(g.k)))
	if c.Flops > 0 && !math.IsInf(c.Flops, 1) {
		says += fmt.Sprintf(" (by flops up to %s\u00a0k)", times(c.Flops/float64(g.k)))
	}
	return says + fmt.Sprintf(", and loses beyond: at q = %d it takes %s times as long.", last, times(ratios[len(ratios)-1]))
}

// rounded writes a whole number with two digits that count.
func rounded(v float64) string {
	if v >= 10 {
		unit := math.Pow(10, math.Floor(math.Log10(v))-1)
		v = math.Round(v/unit) * unit
	}
	return fmt.Sprint(int(math.Round(v)))
}

// plannerWins says how much faster the planner's choice is.
func (g *crossing) plannerWins(names []string, seconds map[string][]float64, weights []float64) string {
	mine := seconds[bench.PlannerSeries]
	over := func(other []float64) []float64 {
		var all []float64
		for i, v := range mine {
			if v > 0 && other[i] > 0 {
				all = append(all, other[i]/v)
			}
		}
		return all
	}
	var parts []string
	if v := over(weights); len(v) > 0 {
		parts = append(parts, between(v, times)+" times as fast as computing W from scratch")
	}
	for _, name := range names {
		if v := over(seconds[name]); base(name) == "improved" && len(v) > 0 {
			parts = append(parts, fmt.Sprintf("%s times as fast as %s", between(v, times), name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The planner's choice is " + list(parts) + "."
}

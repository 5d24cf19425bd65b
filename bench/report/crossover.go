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
		Text: "The time to add q rows and compute the weights W: by updates, and from scratch on all l + q rows, with the pseudoinverse A⁺ and " +
			"without it. By flops an update of A⁺ wins over A⁺ from scratch up to about q = k/2, and over W from scratch up to about k/6.",
	}
	for _, g := range crossings(parts, at) {
		f, finding, number := g.figure()
		sec.Figures = append(sec.Figures, f)
		if finding != "" {
			sec.findings = append(sec.findings, finding)
		}
		if sec.number == nil {
			sec.number = number
		}
	}
	return sec
}

// seconds returns what of says of each point, NaN where a point does not have it.
func (g *crossing) seconds(of func(bench.CrossoverPoint) (bench.CrossoverTiming, bool)) []float64 {
	all := make([]float64, len(g.points))
	for i, p := range g.points {
		all[i] = math.NaN()
		if t, ok := of(p); ok {
			all[i] = t.Seconds
		}
	}
	return all
}

// updates returns the names of the series of updates, and their times by q.
func (g *crossing) updates() (names []string, seconds map[string][]float64) {
	seconds = map[string][]float64{}
	for _, p := range g.points {
		for _, t := range p.Methods {
			if seconds[t.Series] == nil {
				names = append(names, t.Series)
				seconds[t.Series] = g.seconds(func(p bench.CrossoverPoint) (bench.CrossoverTiming, bool) {
					i := slices.IndexFunc(p.Methods, func(other bench.CrossoverTiming) bool { return other.Series == t.Series })
					return p.Methods[max(0, i)], i >= 0
				})
			}
		}
	}
	return names, seconds
}

func (g *crossing) figure() (f figure, finding string, number *Number) {
	sizes := fmt.Sprintf("k = %d, l = %d", g.k, g.l)
	where := fmt.Sprintf("l = %d, k = %d, c = %d, %s", g.l, g.k, g.c, g.place.with(g.backend))
	p := &Plot{
		Name: slug(fmt.Sprintf("crossover k %d %s", g.k, g.backend)), Title: fmt.Sprintf("Updating against retraining, %s, %s", sizes, g.place.with(g.backend)),
		x: axis{label: "added rows q", log: true}, y: axis{label: "time, s", log: true},
	}
	t := table{Caption: "Time of an update and of retraining, " + where, Columns: []column{{Head: "q"}, {Head: "q/k"}}}
	var q, rounds []float64
	var by ways
	for _, point := range g.points {
		q, rounds = append(q, float64(point.Q)), append(rounds, float64(point.Rounds))
		by.add(point.RetrainPseudoinverse.By)
		t.Rows = append(t.Rows, []string{fmt.Sprint(point.Q), significant(float64(point.Q) / float64(g.k))})
	}
	curve := func(s series, y []float64) {
		s.x, s.y = q, y
		p.series = append(p.series, s)
		t.Columns = append(t.Columns, column{Head: s.name, Unit: "s"})
		for i, v := range y {
			t.Rows[i] = append(t.Rows[i], significant(v))
		}
	}
	names, seconds := g.updates()
	var l looks
	for _, name := range names {
		curve(l.method(name), seconds[name])
	}
	inverse := g.seconds(func(p bench.CrossoverPoint) (bench.CrossoverTiming, bool) { return p.RetrainPseudoinverse, true })
	weights := g.seconds(func(p bench.CrossoverPoint) (bench.CrossoverTiming, bool) { return p.RetrainWeights, true })
	curve(series{name: "A⁺ and W from scratch", ink: inkText, dash: 1, style: lineOnly}, inverse)
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
		} else if number == nil && c.Seconds > 0 && !math.IsInf(c.Seconds, 1) {
			number = &Number{"q = " + times(c.Seconds/float64(g.k)) + "\u00a0k", fmt.Sprintf(
				"added samples up to which updating A⁺ by Improved is faster than %s, at %s (by flops %s\u00a0k)", other, sizes, times(c.Flops/float64(g.k)))}
		}
		says = append(says, g.compare(c, other, ratios(seconds[c.Series], retraining)))
	}
	mine := seconds[bench.PlannerSeries]
	if over := ratios(weights, mine); len(over) > 0 {
		planner := between(over, times) + " times as fast as computing W from scratch"
		for _, name := range names {
			if v := ratios(seconds[name], mine); base(name) == "improved" && len(v) > 0 {
				planner += fmt.Sprintf(" and %s times as fast as %s", between(v, times), name)
			}
		}
		says = append(says, "The planner's choice is "+planner+".")
	}
	if len(says) > 0 {
		finding = fmt.Sprintf("At %s, %s: %s", sizes, g.place.with(g.backend), strings.Join(says, " "))
	}
	f = figure{Title: where, plot: p, Tables: []table{t}}
	f.Caption = finding + fmt.Sprintf(" Times are medians of %s rounds.", between(rounds, func(v float64) string { return fmt.Sprint(int(v)) })) + g.versions.note()
	p.About = f.Caption
	return f, finding, number
}

// ratios returns a/b where both are positive.
func ratios(a, b []float64) []float64 {
	var all []float64
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
	says := fmt.Sprintf("Updating A⁺ by %s", c.Series)
	switch {
	case c.Seconds == 0:
		return fmt.Sprintf("%s loses to %s at every q from %d to %d: it takes %s times as long.", says, other, first, last, between(ratios, times))
	case math.IsInf(c.Seconds, 1):
		return fmt.Sprintf("%s still wins over %s at q = %d, where it takes %s of the time.", says, other, last, worst)
	}
	says += fmt.Sprintf(" wins over %s up to q ≈ %s = %s\u00a0k", other, rounded(c.Seconds), times(c.Seconds/float64(g.k)))
	if c.Flops > 0 && !math.IsInf(c.Flops, 1) {
		says += fmt.Sprintf(" (by flops up to %s\u00a0k)", times(c.Flops/float64(g.k)))
	}
	return says + fmt.Sprintf(", and loses beyond: at q = %d it takes %s times as long.", last, worst)
}

// rounded writes a whole number with two significant digits.
func rounded(v float64) string {
	if v >= 10 {
		unit := math.Pow(10, math.Floor(math.Log10(v))-1)
		v = math.Round(v/unit) * unit
	}
	return fmt.Sprint(int(math.Round(v)))
}

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"
)

// An accuracyGroup is the runs of one setting, on whatever machine.
type accuracyGroup struct {
	setting
	methods []string
	samples map[int]int                           // by step
	values  map[string]map[int]map[uint64]float64 // by method, step and seed
}

func accuracyGroups(runs []*run) []*accuracyGroup {
	var groups []*accuracyGroup
	for _, r := range runs {
		i := slices.IndexFunc(groups, func(g *accuracyGroup) bool { return g.setting == r.setting })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &accuracyGroup{setting: r.setting, samples: map[int]int{}, values: map[string]map[int]map[uint64]float64{}})
		}
		for _, m := range r.methods {
			for _, p := range r.passes {
				groups[i].add(m, p)
			}
		}
	}
	for _, g := range groups { // the method with the most seeds comes first
		slices.SortStableFunc(g.methods, func(a, b string) int { return cmp.Compare(g.seeds(b), g.seeds(a)) })
	}
	return groups
}

// add adds what a pass has of a method.
func (g *accuracyGroup) add(method string, p *pass) {
	for n, s := range p.steps {
		c, ok := s.cells[method]
		if !ok || c.Accuracy == nil {
			continue
		}
		if g.values[method] == nil {
			g.methods = append(g.methods, method)
			g.values[method] = map[int]map[uint64]float64{}
		}
		if g.values[method][n] == nil {
			g.values[method][n] = map[uint64]float64{}
		}
		g.values[method][n][p.seed] = *c.Accuracy
		g.samples[n] = s.samples
	}
}

// seeds returns the largest number of seeds of a step by a method.
func (g *accuracyGroup) seeds(method string) int {
	most := 0
	for _, v := range g.values[method] {
		most = max(most, len(v))
	}
	return most
}

// apart returns the largest difference of two methods at the same step with the same seed. ok is false
// where they have none in common.
func (g *accuracyGroup) apart(a, b string) (most float64, ok bool) {
	for n, of := range g.values[a] {
		for seed, v := range of {
			if w, both := g.values[b][n][seed]; both {
				most, ok = max(most, math.Abs(v-w)), true
			}
		}
	}
	return most, ok
}

// at returns the mean over the seeds, with the standard deviation, NaN where there is none.
func (g *accuracyGroup) at(method string, n int) (mean, deviation float64, ok bool) {
	var all []float64
	for _, v := range g.values[method][n] {
		all = append(all, v)
	}
	if len(all) == 0 {
		return math.NaN(), math.NaN(), false
	}
	slices.Sort(all) // the sum does not depend on the order of a map
	mean, deviation = meanAndDeviation(all)
	return mean, deviation, true
}

func accuracySection(runs []*run) section {
	s := section{
		ID: "accuracy", Title: "Accuracy against samples",
		Text: "The share of test samples that are classified right after each step. Features are random, and each seed draws them anew: points are " +
			"means over seeds, bars one standard deviation. Tables without an accuracy were run for the times alone.",
	}
	searches, rest := searchesIn(accuracyGroups(runs))
	seeds := 0
	for _, g := range rest {
		if len(g.methods) == 0 {
			continue
		}
		f, finding := g.figure()
		s.Figures, s.findings = append(s.Figures, f), append(s.findings, finding)
		if n := g.number(); n != nil && g.seeds(g.methods[0]) > seeds {
			s.number, seeds = n, g.seeds(g.methods[0])
		}
	}
	for _, found := range searches {
		f, finding := found.figure()
		s.Figures, s.findings = append(s.Figures, f), append(s.findings, finding)
	}
	return s
}

// paper returns the paper's figures, where the group learns and tests the same.
func (g *accuracyGroup) paper() bench.Figures {
	if !g.sameTask() {
		return bench.Figures{}
	}
	paper, _ := bench.PaperFigures(g.table)
	return paper
}

func (g *accuracyGroup) figure() (figure, string) {
	name := g.name()
	f := figure{Title: name + ": " + g.title()}
	f.plot = &Plot{
		Name: slug("accuracy " + name), Title: name + ": accuracy", x: axis{label: "training samples"}, y: axis{label: "test accuracy, %"},
	}
	t := table{Caption: name + ": accuracy after each step", Columns: []column{{Head: "samples"}}}
	for n := range g.updates + 1 {
		if g.samples[n] > 0 {
			t.Rows = append(t.Rows, []string{fmt.Sprint(g.samples[n])})
		}
	}
	curve := func(s series, head string, many bool, at func(n int) (mean, deviation float64)) {
		t.Columns = append(t.Columns, column{Head: head, Unit: "%"})
		if many {
			t.Columns = append(t.Columns, column{Head: "± sd", Unit: "%"})
		}
		row := 0
		for n := range g.updates + 1 {
			if g.samples[n] == 0 {
				continue
			}
			mean, deviation := at(n)
			t.Rows[row] = append(t.Rows[row], fixed(mean, 2))
			if many {
				t.Rows[row] = append(t.Rows[row], fixed(deviation, 2))
				s.err = append(s.err, max(0, deviation))
				if math.IsNaN(deviation) {
					s.err[row] = 0
				}
			}
			s.add(float64(g.samples[n]), mean)
			row++
		}
		f.plot.series = append(f.plot.series, s)
	}
	var l looks
	most, compared := 0.0, 0
	for _, m := range g.methods {
		if d, ok := g.apart(g.methods[0], m); ok && m != g.methods[0] {
			most, compared = max(most, d), compared+1
		}
		s, head, seeds := l.method(m), m, g.seeds(m)
		s.name = fmt.Sprintf("%s, %s", m, count(seeds, "seed", "seeds"))
		if seeds > 1 {
			head = fmt.Sprintf("%s, mean of %d", m, seeds)
		}
		curve(s, head, seeds > 1, func(n int) (float64, float64) { mean, sd, _ := g.at(m, n); return mean, sd })
	}
	if paper := g.paper(); len(paper.Accuracy) > 0 {
		at := func(of []float64, n int) float64 {
			if n < len(of) {
				return of[n]
			}
			return math.NaN()
		}
		curve(series{name: "the paper", ink: inkMuted, marker: 6, dash: 1}, "the paper", true,
			func(n int) (float64, float64) { return at(paper.Accuracy, n), at(paper.AccuracySD, n) })
	}
	f.Tables = []table{t}
	finding := g.finding()
	f.Caption = finding + g.caution()
	if compared > 0 {
		f.Caption += fmt.Sprintf(" With the same features the methods differ by %s percentage points at most.", fixed(most, 2))
	}
	f.plot.About = f.Caption
	return f, finding
}

// finding says what is reached at the last step, and how that compares with the paper.
func (g *accuracyGroup) finding() string {
	method, paper, last, atLeast, compared := g.methods[0], g.paper(), 0, 0, 0
	for n := range g.updates + 1 {
		mean, _, ok := g.at(method, n)
		if !ok {
			continue
		}
		last = n
		if n < len(paper.Accuracy) {
			compared++
			least := paper.Accuracy[n]
			if n < len(paper.AccuracySD) {
				least -= paper.AccuracySD[n]
			}
			if math.Round(100*mean) >= math.Round(100*least) { // as they are printed
				atLeast++
			}
		}
	}
	says := fmt.Sprintf("%s: after %d samples the test accuracy is %s", g.name(), g.samples[last], g.value(method, last))
	if seeds := len(g.values[method][last]); seeds > 1 {
		says += fmt.Sprintf(" (%d seeds)", seeds)
	}
	if last >= len(paper.Accuracy) {
		return says + "."
	}
	return says + fmt.Sprintf("; the paper has %s%%. It is at least the paper's, less the standard deviation where the paper gives one, at %d of %s.",
		fixed(paper.Accuracy[last], 2), atLeast, count(compared, "step", "steps"))
}

// value writes the accuracy of a step.
func (g *accuracyGroup) value(method string, n int) string {
	mean, deviation, _ := g.at(method, n)
	if math.IsNaN(deviation) {
		return fixed(mean, 2) + "%"
	}
	return fmt.Sprintf("%s ± %s%%", fixed(mean, 2), fixed(deviation, 2))
}

// number returns the accuracy at the end of a run with the paper's settings, or nil.
func (g *accuracyGroup) number() *Number {
	paper, method := g.paper(), g.methods[0]
	if _, _, ok := g.at(method, g.updates); !ok || !g.paperRecipe() || g.updates >= len(paper.Accuracy) {
		return nil
	}
	return &Number{g.value(method, g.updates), fmt.Sprintf("test accuracy after all %d samples of %s, with the paper's settings (%s); the paper has %s%%",
		g.samples[g.updates], g.name(), count(g.seeds(method), "seed", "seeds"), fixed(paper.Accuracy[g.updates], 2))}
}

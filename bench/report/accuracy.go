package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"
)

// An accuracyGroup is the runs of one setting, at whatever place.
type accuracyGroup struct {
	setting
	title   string
	methods []string
	samples map[int]int                           // by step
	values  map[string]map[int]map[uint64]float64 // by method, step and seed
	planner string
}

func accuracyGroups(runs []*run) []*accuracyGroup {
	var groups []*accuracyGroup
	for _, r := range runs {
		i := slices.IndexFunc(groups, func(g *accuracyGroup) bool { return g.setting == r.setting })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &accuracyGroup{
				setting: r.setting, title: r.title, planner: r.planner, samples: map[int]int{}, values: map[string]map[int]map[uint64]float64{},
			})
		}
		g := groups[i]
		for _, m := range r.methods {
			for k, s := range r.steps {
				c, ok := s.cells[m]
				if !ok || c.Accuracy == nil {
					continue
				}
				if g.values[m] == nil {
					g.methods = append(g.methods, m)
					g.values[m] = map[int]map[uint64]float64{}
				}
				if g.values[m][k.step] == nil {
					g.values[m][k.step] = map[uint64]float64{}
				}
				g.values[m][k.step][k.seed] = *c.Accuracy
				g.samples[k.step] = s.samples
			}
		}
	}
	return groups
}

// seeds returns the number of seeds of a method's step.
func (g *accuracyGroup) seeds(method string) int {
	most := 0
	for _, v := range g.values[method] {
		most = max(most, len(v))
	}
	return most
}

// apart returns the largest difference of two methods at the same step with the same seed.
func (g *accuracyGroup) apart(a, b string) float64 {
	most := 0.0
	for step, of := range g.values[a] {
		for seed, v := range of {
			if w, ok := g.values[b][step][seed]; ok {
				most = max(most, math.Abs(v-w))
			}
		}
	}
	return most
}

// steps returns the steps in order.
func (g *accuracyGroup) steps() []int {
	var steps []int
	for n := range g.samples {
		steps = append(steps, n)
	}
	slices.Sort(steps)
	return steps
}

// at returns the mean over the seeds, with the standard deviation, NaN where there is none.
func (g *accuracyGroup) at(method string, n int) (mean, deviation float64, ok bool) {
	of := g.values[method][n]
	if len(of) == 0 {
		return math.NaN(), math.NaN(), false
	}
	var all []float64
	for _, v := range of {
		all = append(all, v)
	}
	slices.Sort(all) // the sum does not depend on the order of a map
	mean, deviation = meanAndDeviation(all)
	return mean, deviation, true
}

// apartEnough is the difference in percent from which on a method has a curve of its own.
const apartEnough = 0.1

func accuracySection(runs []*run) section {
	s := section{
		ID: "accuracy", Title: "Accuracy against samples",
		Text: []string{"How many of the test samples are classified right after each step. The features are random, and each seed is another draw of them: points are means over seeds, bars one standard deviation to both sides. All methods compute the same weights up to rounding and the ridge, so one curve stands for those that agree."},
	}
	for _, g := range accuracyGroups(runs) {
		f, findings := g.figure()
		s.Figures = append(s.Figures, f)
		s.findings = append(s.findings, findings...)
	}
	return s
}

func (g *accuracyGroup) figure() (figure, []string) {
	f := figure{Title: g.name() + ": " + g.title}
	steps := g.steps()
	if len(steps) == 0 {
		f.Caption = g.name() + " has no data: it was run on random features without labels, for the times alone, so there is no accuracy."
		f.Tables = []table{{
			Caption: g.name() + ": accuracy",
			Columns: []column{{Head: "step", Text: true}, {Head: "accuracy", Unit: "%", Text: true}},
			Rows:    [][]string{{"all", "no data"}},
		}}
		return f, nil
	}
	slices.SortStableFunc(g.methods, func(a, b string) int {
		return cmp.Or(cmp.Compare(g.seeds(b), g.seeds(a)), cmp.Compare(truth(b == g.planner), truth(a == g.planner)), cmp.Compare(a, b))
	})
	paper, _ := bench.PaperFigures(g.table)
	if !g.full() || g.heldOut > 0 || g.data != bench.MNIST && g.data != bench.NORB {
		paper = bench.Figures{}
	}
	main := g.methods[0]
	f.plot = &Plot{
		Name: slug("accuracy " + g.name()), Title: g.name() + ": accuracy",
		x: axis{label: "training samples"}, y: axis{label: "test accuracy, %"},
	}
	t := table{Caption: g.name() + ": accuracy after each step", Columns: []column{{Head: "samples"}}}
	for _, n := range steps {
		t.Rows = append(t.Rows, []string{fmt.Sprint(g.samples[n])})
	}
	var l looks
	var shown []string
	most := 0.0
	for _, m := range g.methods {
		own := true
		for _, other := range shown {
			own = own && g.apart(m, other) > apartEnough
		}
		most = max(most, g.apart(main, m))
		curve := l.method(m)
		many := g.seeds(m)
		curve.name = fmt.Sprintf("%s, %s", m, count(many, "seed", "seeds"))
		t.Columns = append(t.Columns, column{Head: m, Unit: "%"})
		deviations := own && many > 1 // of curves; of those that agree with one it is the same
		if many > 1 {
			t.Columns[len(t.Columns)-1].Head = fmt.Sprintf("%s, mean of %d", m, many)
		}
		if deviations {
			t.Columns = append(t.Columns, column{Head: "± sd", Unit: "%"})
		}
		for i, n := range steps {
			mean, deviation, ok := g.at(m, n)
			t.Rows[i] = append(t.Rows[i], fixed(mean, 2))
			if deviations {
				t.Rows[i] = append(t.Rows[i], fixed(deviation, 2))
			}
			if !ok {
				continue
			}
			curve.add(float64(g.samples[n]), mean)
			if deviations {
				if math.IsNaN(deviation) {
					deviation = 0
				}
				curve.err = append(curve.err, deviation)
			}
		}
		if own {
			shown = append(shown, m)
			f.plot.series = append(f.plot.series, curve)
		}
	}
	if len(paper.Accuracy) > 0 {
		curve := series{name: "the paper", ink: inkMuted, marker: 6, dash: 1}
		t.Columns = append(t.Columns, column{Head: "the paper", Unit: "%"}, column{Head: "± sd", Unit: "%"})
		for i, n := range steps {
			if n >= len(paper.Accuracy) {
				t.Rows[i] = append(t.Rows[i], absent, absent)
				continue
			}
			sd := 0.0
			if n < len(paper.AccuracySD) {
				sd = paper.AccuracySD[n]
			}
			written := absent
			if sd > 0 {
				written = fixed(sd, 2)
			}
			t.Rows[i] = append(t.Rows[i], fixed(paper.Accuracy[n], 2), written)
			curve.add(float64(g.samples[n]), paper.Accuracy[n])
			curve.err = append(curve.err, sd)
		}
		f.plot.series = append(f.plot.series, curve)
	}
	f.Tables = []table{t}
	finding := g.accuracyFinding(main, steps, paper)
	f.Caption = finding
	if len(g.methods) > 1 {
		f.Caption += fmt.Sprintf(" With the same features the methods differ by %s percentage points at most.", fixed(most, 2))
	}
	f.plot.About = f.Caption
	return f, []string{finding}
}

// accuracyFinding says what is reached at the last step and how that is to the paper.
func (g *accuracyGroup) accuracyFinding(method string, steps []int, paper bench.Figures) string {
	n := steps[len(steps)-1]
	for len(steps) > 1 && len(g.values[method][n]) == 0 {
		steps = steps[:len(steps)-1]
		n = steps[len(steps)-1]
	}
	mean, deviation, _ := g.at(method, n)
	says := fmt.Sprintf("%s: after %d samples the test accuracy is %s%%", g.name(), g.samples[n], fixed(mean, 2))
	if !math.IsNaN(deviation) {
		says = fmt.Sprintf("%s: after %d samples the test accuracy is %s ± %s%% (%d seeds)", g.name(), g.samples[n], fixed(mean, 2), fixed(deviation, 2), len(g.values[method][n]))
	}
	if n >= len(paper.Accuracy) {
		return says + "."
	}
	says += fmt.Sprintf("; the paper has %s%%.", fixed(paper.Accuracy[n], 2))
	above, compared := 0, 0
	for _, n := range steps {
		if mean, _, ok := g.at(method, n); ok && n < len(paper.Accuracy) {
			compared++
			sd := 0.0
			if n < len(paper.AccuracySD) {
				sd = paper.AccuracySD[n]
			}
			if math.Round(100*mean) >= math.Round(100*(paper.Accuracy[n]-sd)) { // as they are printed
				above++
			}
		}
	}
	return says + fmt.Sprintf(" It is at least the paper's, less the standard deviation where the paper gives one, at %d of %s.", above, count(compared, "step", "steps"))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A search is the trials of one table that are tested on the same held-out training samples and differ in the ridge
// and the scale, of which the best are to be found.
type search struct {
	setting // of the first trial
	trials  []trial
}

// A trial is a pair of ridge and scale.
type trial struct {
	lambda, shrink    float64
	seeds             int
	first, last, mean float64 // accuracy after the start, after the last step, and the mean over all steps
}

// searchesIn takes the searches out of the groups: those of which there are at least two trials.
func searchesIn(groups []*accuracyGroup) (searches []*search, rest []*accuracyGroup) {
	alike := func(s setting) setting {
		s.lambda, s.shrink = 0, 0
		return s
	}
	for _, g := range groups {
		same := func(other *accuracyGroup) bool {
			return alike(other.setting) == alike(g.setting) && len(other.methods) > 0
		}
		if g.heldOut == 0 || len(g.methods) == 0 || len(slices.DeleteFunc(slices.Clone(groups), func(o *accuracyGroup) bool { return !same(o) })) < 2 {
			rest = append(rest, g)
			continue
		}
		i := slices.IndexFunc(searches, func(s *search) bool { return alike(s.setting) == alike(g.setting) })
		if i < 0 {
			i = len(searches)
			searches = append(searches, &search{setting: alike(g.setting)})
		}
		searches[i].trials = append(searches[i].trials, g.trial())
	}
	for _, s := range searches {
		slices.SortFunc(s.trials, func(a, b trial) int {
			return cmp.Or(cmp.Compare(a.shrink, b.shrink), cmp.Compare(a.lambda, b.lambda))
		})
	}
	return searches, rest
}

// trial sums up a group by the method with the most seeds.
func (g *accuracyGroup) trial() trial {
	method := slices.MaxFunc(g.methods, func(a, b string) int { return cmp.Compare(g.seeds(a), g.seeds(b)) })
	t := trial{lambda: g.lambda, shrink: g.shrink, seeds: g.seeds(method), first: math.NaN(), last: math.NaN()}
	var all []float64
	for _, n := range g.steps() {
		mean, _, ok := g.at(method, n)
		if !ok {
			continue
		}
		if n == 0 {
			t.first = mean
		}
		if n == g.updates {
			t.last = mean
		}
		all = append(all, mean)
	}
	t.mean, _ = meanAndDeviation(all)
	if len(all) <= g.updates {
		t.mean = math.NaN() // of other steps than the mean of those that are whole
	}
	return t
}

// best returns the trial with the highest mean, or false where none is whole.
func (s *search) best() (best trial, ok bool) {
	for _, t := range s.trials {
		if !math.IsNaN(t.mean) && (!ok || t.mean > best.mean) {
			best, ok = t, true
		}
	}
	return best, ok
}

// paper returns the trial with the paper's ridge and scale.
func (s *search) paper() (trial, bool) {
	i := slices.IndexFunc(s.trials, func(t trial) bool {
		as := s.setting
		as.lambda, as.shrink = t.lambda, t.shrink
		return as.paperRecipe()
	})
	if i < 0 || math.IsNaN(s.trials[i].mean) {
		return trial{}, false
	}
	return s.trials[i], true
}

func (s *search) figure() (figure, string) {
	name := s.setting.name()
	f := figure{Title: name + ": the ridge and the scale"}
	p := &Plot{
		Name: slug("search " + name), Title: name + ": accuracy by ridge and scale",
		x: axis{label: "lambda", log: true}, y: axis{label: "mean accuracy, %"},
	}
	t := table{
		Caption: name + ": accuracy by ridge and scale",
		Columns: []column{{Head: "s", Text: true}, {Head: "lambda"}, {Head: "mean of all steps", Unit: "%"}, {Head: "after the start", Unit: "%"}, {Head: "after the last update", Unit: "%"}, {Head: "seeds"}},
	}
	for _, trial := range s.trials {
		of := "s = " + short(trial.shrink)
		i := slices.IndexFunc(p.series, func(c series) bool { return c.name == of })
		if i < 0 {
			i = len(p.series)
			p.series = append(p.series, series{name: of, ink: seriesInks[i%len(seriesInks)], marker: i % len(markers), dash: i / len(seriesInks)})
		}
		p.series[i].add(trial.lambda, trial.mean)
		t.Rows = append(t.Rows, []string{
			short(trial.shrink), ridge(trial.lambda), fixed(trial.mean, 2), fixed(trial.first, 2), fixed(trial.last, 2), fmt.Sprint(trial.seeds),
		})
	}
	finding := name + ": no pair of ridge and scale has all steps."
	if best, ok := s.best(); ok {
		finding = fmt.Sprintf("%s: of %s of ridge and scale, s = %s with lambda = %s has the best mean accuracy over all steps, %s%%",
			name, count(len(s.trials), "pair", "pairs"), short(best.shrink), ridge(best.lambda), fixed(best.mean, 2))
		if paper, ok := s.paper(); ok && paper != best {
			finding += fmt.Sprintf("; the paper's, s = %s with lambda = %s, has %s%%", short(paper.shrink), ridge(paper.lambda), fixed(paper.mean, 2))
		}
		finding += "."
	}
	f.Caption = finding + " The test set was not looked at." + s.caution()
	p.About = f.Caption
	f.plot, f.Tables = p, []table{t}
	return f, finding
}

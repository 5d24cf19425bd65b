package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A search is the trials of one table that are tested on the same held-out training samples and differ
// in ridge and scale.
type search struct {
	setting // without ridge and scale
	trials  []trial
}

// A trial is a pair of ridge and scale.
type trial struct {
	setting
	seeds             int
	first, last, mean float64 // accuracy after the start, after the last step, and the mean over all steps
}

// searchesIn takes the groups of searches, at least two trials each, out of the groups.
func searchesIn(groups []*accuracyGroup) (searches []*search, rest []*accuracyGroup) {
	for _, g := range groups {
		alike := g.setting
		alike.lambda, alike.shrink = 0, 0
		i := slices.IndexFunc(searches, func(s *search) bool { return s.setting == alike })
		if g.heldOut == 0 || len(g.methods) == 0 {
			rest = append(rest, g)
			continue
		}
		if i < 0 {
			i = len(searches)
			searches = append(searches, &search{setting: alike})
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
	t := trial{setting: g.setting, seeds: g.seeds(method), first: math.NaN(), last: math.NaN(), mean: math.NaN()}
	var all []float64
	for n := range g.updates + 1 {
		if mean, _, ok := g.at(method, n); ok {
			all = append(all, mean)
		}
	}
	t.first, _, _ = g.at(method, 0)
	t.last, _, _ = g.at(method, g.updates)
	if len(all) == g.updates+1 { // else the mean is of other steps than those of whole trials
		t.mean, _ = meanAndDeviation(all)
	}
	return t
}

func (s *search) figure() (figure, string) {
	name := s.setting.name()
	t := table{
		Caption: name + ": accuracy by ridge and scale",
		Columns: []column{
			{Head: "s", Text: true}, {Head: "lambda"}, {Head: "mean of all steps", Unit: "%"}, {Head: "after the start", Unit: "%"},
			{Head: "after the last update", Unit: "%"}, {Head: "seeds"},
		},
	}
	var best, paper *trial
	for i, of := range s.trials {
		t.Rows = append(t.Rows, []string{
			short(of.shrink), ridge(of.lambda), fixed(of.mean, 2), fixed(of.first, 2), fixed(of.last, 2), fmt.Sprint(of.seeds),
		})
		if !math.IsNaN(of.mean) && (best == nil || of.mean > best.mean) {
			best = &s.trials[i]
		}
		if !math.IsNaN(of.mean) && of.paperRecipe() {
			paper = &s.trials[i]
		}
	}
	finding := name + ": no pair of ridge and scale has all steps."
	if best != nil {
		finding = fmt.Sprintf("%s: of %s of ridge and scale, s = %s with lambda = %s has the best mean accuracy over all steps, %s%%",
			name, count(len(s.trials), "pair", "pairs"), short(best.shrink), ridge(best.lambda), fixed(best.mean, 2))
		if paper != nil && paper != best {
			finding += fmt.Sprintf("; the paper's, s = %s with lambda = %s, has %s%%", short(paper.shrink), ridge(paper.lambda), fixed(paper.mean, 2))
		}
		finding += "."
	}
	return figure{Title: name + ": the ridge and the scale", Caption: finding + " The test set was not used." + s.caution(), Tables: []table{t}}, finding
}

package report

import (
	"fmt"
	"math"
	"slices"
)

// A kind is runs that differ in the table alone, so that one sentence can be said of several of them.
type kind struct {
	suffix string // of setting
	place
	runs []*run
}

// timeFindings sums up the sentences of runs of one kind: a sentence for each form of Improved about retraining and
// about the planner's method, which names the tables that it is about, and one about the totals.
func timeFindings(runs []*run) ([]string, *Number) {
	var kinds []*kind
	for _, r := range runs {
		i := slices.IndexFunc(kinds, func(k *kind) bool { return k.suffix == r.suffix() && k.place == r.place })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, &kind{suffix: r.suffix(), place: r.place})
		}
		kinds[i].runs = append(kinds[i].runs, r)
	}
	var findings []string
	var wins []float64
	for _, k := range kinds {
		var variants []string
		for _, r := range k.runs {
			for _, m := range r.variants("improved") {
				if !slices.Contains(variants, m) {
					variants = append(variants, m)
				}
			}
		}
		for _, m := range variants {
			findings = append(findings, k.losses(m)...)
		}
		for _, m := range variants {
			text, whole := k.wins(m)
			findings, wins = append(findings, text...), append(wins, whole...)
		}
		findings = append(findings, k.totals()...)
	}
	if len(wins) == 0 {
		return findings, nil
	}
	return findings, &Number{between(wins, times) + "×", "speed of the method that the planner chooses over Improved in total training time: it keeps AᵀA and no pseudoinverse, for the same weights"}
}

// name names the tables of some of the runs, and what they have in common.
func (k *kind) name(of []*run) string {
	var tables []string
	for _, r := range of {
		if number := fmt.Sprint(r.table); !slices.Contains(tables, number) {
			tables = append(tables, number)
		}
	}
	name := "Table "
	if len(tables) > 1 {
		name = "Tables "
	}
	return name + list(tables) + k.suffix + ", " + k.place.String()
}

// losses says where updating by a form of Improved loses to retraining.
func (k *kind) losses(method string) []string {
	var of []*run
	var all loss
	for _, r := range k.runs {
		if l := r.loss(method); slices.Contains(r.methods, method) && len(l.inverse) > 0 {
			of = append(of, r)
			for _, by := range l.ways {
				if !slices.Contains(all.ways, by) {
					all.ways = append(all.ways, by)
				}
			}
			all.inverse, all.weights = append(all.inverse, l.inverse...), append(all.weights, l.weights...)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: updating the pseudoinverse by %s %v", k.name(of), method, all)}
}

// wins says by how much the planner's method wins over a form of Improved.
func (k *kind) wins(method string) (findings []string, whole []float64) {
	var of []*run
	var updates []float64
	for _, r := range k.runs {
		v := r.medianRatio(0, r.updates, secondsOf(method), secondsOf(plannerMethod))
		if method == r.planners() || math.IsNaN(v) {
			continue
		}
		of = append(of, r)
		whole, updates = append(whole, v), append(updates, r.against(updateOf(method), updateOf(plannerMethod))...)
	}
	if len(of) == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("%s: the planner's method is %s times as fast as %s in the whole training with features, and %s times in the updates alone.",
		k.name(of), between(whole, times), method, between(updates, times))}, whole
}

// totals says what the whole training takes by the planner's method.
func (k *kind) totals() []string {
	var of []*run
	var says []string
	for _, r := range k.runs {
		if all := r.sums(0, r.updates, secondsOf(plannerMethod)); len(all) > 0 {
			of = append(of, r)
			says = append(says, fmt.Sprintf("%s for Table %d by %s", spread(all), r.table, r.planners()))
		}
	}
	if len(of) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: by the planner's method the whole training with features takes %s.", k.name(of), list(says))}
}

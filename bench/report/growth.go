package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"
	"blskernel/bench/result"
)

// A growthGroup is the points of one backend, place and ridge, in order of condition.
type growthGroup struct {
	backend string
	place
	versions
	lambda float64
	l, k   int
	points []bench.GrowthPoint
}

func growthGroups(parts []*result.File, at places) []*growthGroup {
	var all []*growthGroup
	for _, f := range parts {
		here := at.of(machineOf(f))
		for _, p := range f.Growth {
			i := slices.IndexFunc(all, func(g *growthGroup) bool {
				return g.backend == p.Backend && g.lambda == p.Lambda && g.l == p.Samples && g.k == p.Nodes && g.place == here
			})
			if i < 0 {
				i = len(all)
				all = append(all, &growthGroup{backend: p.Backend, place: here, lambda: p.Lambda, l: p.Samples, k: p.Nodes})
			}
			g := all[i]
			g.versions.add(machineOf(f).Version)
			same := func(old bench.GrowthPoint) bool {
				return growthName(old) == growthName(p) && old.Condition == p.Condition
			}
			g.points = append(slices.DeleteFunc(g.points, same), p) // what was measured again counts
		}
	}
	for _, g := range all {
		slices.SortStableFunc(g.points, func(a, b bench.GrowthPoint) int { return cmp.Compare(a.Condition, b.Condition) })
	}
	return all
}

// growthName names the variant of a point.
func growthName(p bench.GrowthPoint) string { return variantName(p.Method, p.Form, p.Solve) }

func growthSection(parts []*result.File, at places) section {
	sec := section{
		ID: "errors", Title: "Errors against condition number",
		Text: []string{"The relative error of the weights after a sequence of updates, against the condition number of A, the largest of all seeds. The thin dotted lines are the bounds that methods are held to, proportional to the condition number κ of [A; √λ I] or to its square. A method that refuses rather than give wrong weights has no point there; the table has its reason."},
	}
	for _, g := range growthGroups(parts, at) {
		f, finding := g.figure()
		sec.Figures = append(sec.Figures, f)
		sec.findings = append(sec.findings, finding)
	}
	return sec
}

func (g *growthGroup) figure() (figure, string) {
	backend := g.place.with(g.backend)
	where := fmt.Sprintf("λ = %s, l = %d, k = %d, %s", ridge(g.lambda), g.l, g.k, backend)
	f := figure{Title: where}
	p := &Plot{
		Name: slug(fmt.Sprintf("errors lambda %s %s", short(g.lambda), g.backend)), Title: fmt.Sprintf("Error of the weights, λ = %s, %s", ridge(g.lambda), backend),
		x: axis{label: "condition number of A", log: true}, y: axis{label: "relative error of W", log: true},
	}
	t := table{
		Caption: "Errors of the weights, " + where,
		Columns: []column{{Head: "method", Text: true}, {Head: "condition of A"}, {Head: "κ"}, {Head: "error"}, {Head: "bound"}, {Head: "digits by the model"}, {Head: "refused", Text: true}},
	}
	var methods []*series
	var bounds []series // by method
	var l looks
	refused, within, measured := 0, 0, 0
	var beyond []string
	for _, point := range g.points {
		name := growthName(point)
		i := slices.IndexFunc(methods, func(s *series) bool { return s.name == name })
		if i < 0 {
			i = len(methods)
			s := l.method(name)
			methods = append(methods, &s)
			bounds = append(bounds, series{ink: s.ink, dash: 2, style: thinLine})
		}
		if point.Failed == "" { // a method that refused did not come to the form that decides its bound
			bounds[i].add(point.Condition, point.Bound)
		}
		row := []string{name, power(point.Condition), power(point.Kappa), power(point.Error), power(point.Bound), fixed(point.Digits, 1), ""}
		if point.Failed != "" {
			refused++
			row[3], row[5], row[6] = absent, absent, point.Failed
			if point.Refused > 0 {
				row[6] = fmt.Sprintf("%d of %s: %s", point.Refused, count(point.Seeds, "seed", "seeds"), point.Failed)
			}
		} else {
			measured++
			methods[i].add(point.Condition, point.Error)
			if point.Within() {
				within++
			} else {
				beyond = append(beyond, fmt.Sprintf("%s at condition %s", name, power(point.Condition)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	var drawn []series
	for _, b := range bounds {
		again := slices.ContainsFunc(drawn, func(d series) bool { return slices.Equal(d.x, b.x) && slices.Equal(d.y, b.y) })
		if !again {
			drawn = append(drawn, b)
		}
	}
	for i := range drawn {
		drawn[i].ink = inkMuted
		if i == 0 {
			drawn[i].name = "bounds"
		}
	}
	p.series = drawn
	for _, s := range methods {
		p.series = append(p.series, *s)
	}
	finding := fmt.Sprintf("With λ = %s on %s the errors of the weights are within the bounds of their methods at %d of %s", ridge(g.lambda), backend, within, count(measured, "point", "points"))
	if len(beyond) > 0 {
		finding += "; beyond: " + list(beyond)
	}
	finding += "."
	if refused > 0 {
		finding += fmt.Sprintf(" At %s the method refused, and said why.", count(refused, "further point", "further points"))
	}
	if worst := g.worst(); worst != "" {
		finding += " " + worst
	}
	f.Caption, p.About = finding+g.versions.note(), finding
	f.plot, f.Tables = p, []table{t}
	return f, finding
}

// worst compares the methods at the largest condition at which several gave weights.
func (g *growthGroup) worst() string {
	for i := len(g.points) - 1; i >= 0; i-- {
		condition := g.points[i].Condition
		least, most := math.Inf(1), 0.0
		var best, worst string
		n := 0
		for _, p := range g.points {
			if p.Condition != condition || p.Failed != "" || !(p.Error > 0) {
				continue
			}
			n++
			if p.Error < least {
				least, best = p.Error, growthName(p)
			}
			if p.Error > most {
				most, worst = p.Error, growthName(p)
			}
		}
		if n >= 2 {
			return fmt.Sprintf("At condition %s the errors go from %s (%s) to %s (%s).", power(condition), power(least), best, power(most), worst)
		}
	}
	return ""
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bench"
	"blskernel/blsupdate"
)

// growthTable has a line for each lambda and condition number and a column for each method and form.
type growthTable struct {
	g       *bench.Growth
	groups  []group[[]bench.GrowthPoint]
	bias    bool // whether there were methods left out
	beyond  int  // errors beyond their bounds
	refused []refusal
}

// A refusal is what a method said the first time that it refused at a lambda, and all conditions at
// which it did.
type refusal struct {
	method, lambda, reason string
	conditions             []string
}

func newGrowthTable(g *bench.Growth) *growthTable {
	t := &growthTable{g: g}
	t.groups = []group[[]bench.GrowthPoint]{{heads: []string{"lambda", "cond(A)", "kappa"}, cells: func(points []bench.GrowthPoint) []string {
		lambda := ridge(points[0].Lambda)
		return []string{lambda.String(), fmt.Sprintf("%.0e", points[0].Condition), fmt.Sprintf("%.1e", points[0].Kappa)}
	}}}
	for from := 0; from < len(g.Variants); {
		to := from + 1
		for to < len(g.Variants) && g.Variants[to].Method == g.Variants[from].Method {
			to++
		}
		variants := g.Variants[from:to]
		columns := group[[]bench.GrowthPoint]{title: variants[0].Method.String(), cells: func(points []bench.GrowthPoint) []string {
			var cells []string
			for _, v := range variants {
				cells = append(cells, t.cell(v, points))
			}
			return cells
		}}
		for _, v := range variants {
			columns.heads = append(columns.heads, strings.TrimPrefix(strings.TrimPrefix(v.String(), v.Method.String()), "/"))
		}
		t.groups = append(t.groups, columns)
		from = to
	}
	return t
}

// cell returns what is shown of a variant, and takes in what the foot says of it.
func (t *growthTable) cell(v bench.Variant, points []bench.GrowthPoint) string {
	for _, p := range points {
		switch {
		case p.Method != v.Method.String() || p.Form != v.Form.String() || p.Solve != v.Solve:
		case p.Failed != "" && p.Refused == p.Seeds:
			return "refused"
		case p.Failed != "":
			return fmt.Sprintf("%d of %d", p.Refused, p.Seeds)
		case !p.Within():
			return fmt.Sprintf("%.0e!", p.Error)
		default:
			return fmt.Sprintf("%.1e", p.Error)
		}
	}
	return "bias"
}

// head says what is about to be run and prints the heads of the columns.
func (t *growthTable) head() string {
	cuts := t.g.Cuts()
	return fmt.Sprintf("problems   %d for each line: %d samples, k = %d nodes, one target; from %d samples on by updates of %d, %d and %d\n",
		t.g.Seeds, cuts[3], t.g.Nodes, cuts[0], cuts[1]-cuts[0], cuts[2]-cuts[1], cuts[3]-cuts[2]) +
		fmt.Sprintf("backend    %s, threads: %d\n", t.g.Backend.Name(), blskernel.Threads()) +
		"Relative errors of the weights, the largest of all problems\n\n" + heads(t.groups)
}

func (t *growthTable) line(points []bench.GrowthPoint) string {
	for _, p := range points {
		switch {
		case p.Failed != "":
			t.refuse(p)
		case !p.Within():
			t.beyond++
		}
	}
	t.bias = t.bias || len(points) < len(t.g.Variants)
	return line(t.groups, points)
}

// refuse takes in a refusal.
func (t *growthTable) refuse(p bench.GrowthPoint) {
	lambda := ridge(p.Lambda)
	r := refusal{method: p.Variant(), lambda: lambda.String(), reason: p.Failed}
	i := slices.IndexFunc(t.refused, func(o refusal) bool { return o.method == r.method && o.lambda == r.lambda })
	if i < 0 {
		i = len(t.refused)
		t.refused = append(t.refused, r)
	}
	t.refused[i].conditions = append(t.refused[i].conditions, fmt.Sprintf("%.0e", p.Condition))
}

// foot explains what the cells say.
func (t *growthTable) foot() string {
	var b strings.Builder
	if t.beyond == 0 {
		b.WriteString("\nEvery error is within the bound that its method is held to.\n")
	} else {
		fmt.Fprintf(&b, "\n!      %d errors are beyond the bound that their method is held to.\n", t.beyond)
	}
	if t.bias {
		fmt.Fprintf(&b, "bias   With lambda > 0 %v and %v do not solve the ridge problem: how far their weights are from its\n"+
			"       solution is no rounding error, but about lambda over the square of the smallest singular value of A.\n", blsupdate.Original, blsupdate.Improved)
	}
	if len(t.refused) > 0 {
		b.WriteString("refused, with what was said first:\n")
		for _, r := range t.refused {
			fmt.Fprintf(&b, "       %s, lambda = %s, cond(A) %s: %s\n", r.method, r.lambda, strings.Join(r.conditions, ", "), r.reason)
		}
	}
	return b.String()
}

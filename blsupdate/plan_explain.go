package blsupdate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Explain returns an explanation of why Plan chose the method, with a table of all candidates.
func (p Choice) Explain() string {
	var text strings.Builder
	n := p.needs
	when := "after every batch"
	if n.WeightsAtEnd {
		when = "at the end"
	}
	fmt.Fprintf(&text, "Batches: %d of %d rows; nodes: %d; targets: %d; samples before: %d; lambda = %g; weights %s.\n",
		n.Batches, p.q, p.k, p.c, p.l, n.Lambda, when)
	fmt.Fprintf(&text, "Rates for the predicted times: %v.\n", n.Rates)
	if n.Condition > 0 {
		fmt.Fprintf(&text, "The condition number is %.2g; %.3g digits are needed.\n\n", n.Condition, n.Digits)
	} else {
		text.WriteString("The condition number is not known, so the digits of the weights are not predicted.\n\n")
	}
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "method\tform\tGflop\ttime\tmemory\terror\tnot valid because")
	for _, c := range p.Candidates {
		form, growth := "-", "eps κ"
		if c.Options.Form != Auto {
			form = c.Options.Form.String()
		}
		if c.Power == 2 {
			growth = "eps κ²"
		}
		fmt.Fprintf(w, "%v\t%s\t%.3g\t%s\t%s\t%s\t%s\n", c.Method, form, c.Flops/1e9,
			quantity(c.Seconds, "s"), quantity(c.Memory, "B"), growth, cmp.Or(c.WhyNot, "-"))
	}
	w.Flush()
	return text.String() + "\n" + p.reason()
}

func (p Choice) reason() string {
	best, ok := choose(p.Candidates)
	if !ok { // after a *PlanError, or for the zero value
		return "No method meets all needs.\n"
	}
	faster := func(c Candidate) bool { return c.Valid() && c.Seconds < best.Seconds }
	why := "the fastest that meets all needs"
	if first := p.Candidates[0]; first.name() != best.name() {
		why = fmt.Sprintf("within %.0f%% of the time of %s, and its error grows with κ instead of κ²", 100*tie, first.name())
	} else if slices.ContainsFunc(p.Candidates, faster) {
		why = "the fastest apart from original, which is chosen only if no other method is valid"
	}
	text := fmt.Sprintf("%s: %s, %s", best.name(), quantity(best.Seconds, "s"), why)
	for _, c := range p.Candidates {
		if c.Valid() && c.Method != best.Method {
			text += fmt.Sprintf("; %s would take %.3g times as long", c.name(), c.Seconds/best.Seconds)
			break
		}
	}
	return text + ".\n"
}

func (c Candidate) name() string {
	if c.Options.Form == Auto {
		return c.Method.String()
	}
	return c.Method.String() + "/" + c.Options.Form.String()
}

// quantity formats v with at most three significant digits and a metric prefix, as in "1.5 ms".
func quantity(v float64, unit string) string {
	scale, prefix := 1e-6, "µ"
	for _, p := range []struct {
		scale  float64
		prefix string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}} {
		if v >= p.scale {
			scale, prefix = p.scale, p.prefix
			break
		}
	}
	return fmt.Sprintf("%.3g %s%s", v/scale, prefix, unit)
}

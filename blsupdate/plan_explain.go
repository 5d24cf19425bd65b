package blsupdate

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// Explain says in words and a table why Plan chose the method.
func (p Choice) Explain() string {
	var text strings.Builder
	b, n := p.batches, p.needs
	fmt.Fprintf(&text, "%s of %d rows for %s and %s, after %s; lambda = %g; weights %s.\n",
		count(b.count, "batch", "batches"), b.q, count(b.k, "node", "nodes"), count(b.c, "target", "targets"),
		count(b.l, "sample", "samples"), n.Lambda, when(b.atEnd))
	fmt.Fprintf(&text, "Times by %v.\n", p.rates)
	if n.Condition > 0 {
		fmt.Fprintf(&text, "The condition number is %.2g; %.3g digits are wanted.\n", n.Condition, n.Digits)
	} else {
		text.WriteString("The condition number is not known: no method is ruled out by its errors.\n")
	}
	text.WriteString("\n" + p.table() + "\n" + p.reason())
	return text.String()
}

// table lists the candidates.
func (p Choice) table() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "method\tform\tGflop\ttime\tmemory\terror\tnot valid because")
	for _, c := range p.Candidates {
		growth := "eps κ"
		if c.Power == 2 {
			growth = "eps κ²"
		}
		why := c.WhyNot
		if why == "" {
			why = "-"
		}
		fmt.Fprintf(w, "%v\t%s\t%.3g\t%s\t%s\t%s\t%s\n", c.Method, c.form(), c.Flops/1e9, duration(c.Seconds), byteCount(c.Memory), growth, why)
	}
	w.Flush()
	return text.String()
}

// reason says why the choice was made.
func (p Choice) reason() string {
	best, ok := choose(p.Candidates)
	if !ok {
		return "No method does all that is needed.\n"
	}
	fastest := p.Candidates[0]
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", best.name(), duration(best.Seconds))
	switch {
	case fastest.name() == best.name():
		text.WriteString(", the fastest that does all that is needed")
	case fastest.Method == Original:
		text.WriteString(", the fastest but for original, which is chosen only where nothing else will do")
	default:
		fmt.Fprintf(&text, ", within %.0f%% of %s, and its error grows with κ instead of κ²", 100*tie, fastest.name())
	}
	if second, ok := p.second(best); ok {
		fmt.Fprintf(&text, "; %s would take %.3g times as long", second.name(), second.Seconds/best.Seconds)
	}
	text.WriteString(".\n")
	return text.String()
}

// second returns the fastest valid candidate of another method.
func (p Choice) second(best Candidate) (Candidate, bool) {
	for _, c := range p.Candidates {
		if c.Valid() && c.Method != best.Method {
			return c, true
		}
	}
	return Candidate{}, false
}

// form returns the name of the form, "-" where the method has none.
func (c Candidate) form() string {
	if c.Options.Form == Auto {
		return "-"
	}
	return c.Options.Form.String()
}

// name returns the method with its form.
func (c Candidate) name() string {
	if c.Options.Form == Auto {
		return c.Method.String()
	}
	return c.Method.String() + "/" + c.Options.Form.String()
}

func when(atEnd bool) string {
	if atEnd {
		return "at the end"
	}
	return "after every batch"
}

// count returns a number with a noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// duration returns a time to three digits.
func duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "-"
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", 1e3*seconds)
	default:
		return fmt.Sprintf("%.3g µs", 1e6*seconds)
	}
}

// byteCount returns an amount of memory to three digits.
func byteCount(n float64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3g GB", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3g MB", n/1e6)
	default:
		return fmt.Sprintf("%.3g kB", n/1e3)
	}
}

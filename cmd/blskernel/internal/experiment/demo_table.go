package experiment

import (
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
)

// demoTable has a line for each step, with the methods side by side.
type demoTable struct {
	e      *bench.Incremental
	groups []ui.Group[[]bench.Row]
	spread float64 // largest difference of accuracies in one step
	start  []bench.Row
	last   []bench.Row
}

func newDemoTable(e *bench.Incremental) *demoTable {
	var methods []string
	for _, v := range e.Variants {
		methods = append(methods, v.String())
	}
	type step = []bench.Row
	value := func(format func(float64) string, value func(bench.Row) float64) func(step) []string {
		return ui.Each[bench.Row, step](func(r bench.Row) string { return format(value(r)) })
	}
	t := &demoTable{e: e}
	t.groups = []ui.Group[step]{
		{Heads: []string{"samples"}, Cells: func(s step) []string { return []string{fmt.Sprint(s[0].Samples)} }},
		{Title: "accuracy, %", Heads: methods, Cells: value(ui.Hundredths, func(r bench.Row) float64 { return r.Accuracy })},
		{Title: "step, s", Heads: methods, Cells: value(ui.Significant, func(r bench.Row) float64 { return r.UpdateSeconds })},
		{Title: "total, s", Heads: methods, Cells: value(ui.Significant, func(r bench.Row) float64 { return r.TotalSeconds })},
		{Title: "Gflop by model", Heads: methods, Cells: value(gigaflops, func(r bench.Row) float64 { return r.FlopsModel })},
		{Heads: []string{"counted"}, Cells: func(s step) []string { return []string{agreement(s)} }},
	}
	if len(methods) > 1 {
		// The sum is that of the updates: methods are not compared by the start.
		t.groups = append(t.groups, ui.Group[step]{Title: "speed-up", Heads: []string{"step", "sum"}, Cells: func(s step) []string {
			if t.start == nil {
				return []string{"-", "-"}
			}
			last := len(s) - 1
			return []string{ui.Hundredths(s[0].UpdateSeconds / s[last].UpdateSeconds), ui.Hundredths(t.updates(s, 0) / t.updates(s, last))}
		}})
	}
	return t
}

// agreement returns the largest difference of the counted flops from the model, or equal.
func agreement(step []bench.Row) string {
	var largest float64
	for _, r := range step {
		if d := r.FlopsCounted - r.FlopsModel; math.Abs(d) > math.Abs(largest) {
			largest = d
		}
	}
	if largest == 0 {
		return "equal"
	}
	return fmt.Sprintf("%+.0e", largest)
}

// head returns the settings and the heads of the columns.
func (t *demoTable) head() string {
	e := t.e
	f, lambda := e.Features, ui.Ridge(e.Update.Lambda)
	var b strings.Builder
	fmt.Fprintf(&b, "training   %s: %d images of %d x %d in %d classes\n", e.Train.Name, e.Train.Len(), e.Train.Rows, e.Train.Cols, e.Train.Classes)
	fmt.Fprintf(&b, "test       %s: %d images\n", e.Test.Name, e.Test.Len())
	fmt.Fprintf(&b, "nodes      k = %d: %d groups of %d feature nodes, %d enhancement nodes; seed %d\n",
		e.Nodes(), f.Groups, f.GroupNodes, f.EnhancementNodes, f.Seed)
	fmt.Fprintf(&b, "samples    %d, then %d updates of q = %d; lambda = %s\n", e.Initial, e.Updates, e.Batch, &lambda)
	return b.String() + backendLine(e.Update.Backend) + "\n" + ui.Heads(t.groups)
}

// line returns the line of a step, and a line for each check.
func (t *demoTable) line(step []bench.Row) string {
	var b strings.Builder
	b.WriteString(ui.Line(t.groups, step))
	for i, r := range step {
		t.spread = max(t.spread, math.Abs(r.Accuracy-step[0].Accuracy))
		if c := r.Check; c != nil {
			fmt.Fprintf(&b, "  %-9s W: rounding %.0e (bound %.0e, condition %.0e), bias against ridge %.0e",
				r.Variant, c.OneShotError, c.Bound, c.Condition, c.RidgeDifference)
			if i > 0 {
				fmt.Fprintf(&b, ", %.0e from %s", c.FirstMethodError, step[0].Variant)
			}
			b.WriteString("\n")
		}
	}
	if t.start == nil {
		t.start = step
	}
	t.last = step
	return b.String()
}

// updates returns the seconds of a method for all updates up to a step.
func (t *demoTable) updates(step []bench.Row, method int) float64 {
	return step[method].TotalSeconds - t.start[method].TotalSeconds
}

// foot compares the methods, if there are several.
func (t *demoTable) foot() string {
	var b strings.Builder
	for i := 1; i < len(t.last) && t.e.Updates > 0; i++ {
		fmt.Fprintf(&b, "\nupdates: %s took %s s, %s %s s: %.2f times the speed; accuracies differ by at most %.2f points\n",
			t.last[i].Variant, ui.Significant(t.updates(t.last, i)), t.last[0].Variant, ui.Significant(t.updates(t.last, 0)),
			t.updates(t.last, 0)/t.updates(t.last, i), t.spread)
	}
	return b.String()
}

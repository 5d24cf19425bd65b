package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"blskernel"
	"blskernel/bench"
)

// A rowPrinter prints the rows of a run as they come, between a head and a foot.
type rowPrinter interface {
	head() error
	print(step []bench.Row) error
	foot() error
}

// jsonRows prints an object for each row, each on a line, and nothing else.
type jsonRows struct{ w io.Writer }

func (j jsonRows) head() error { return nil }
func (j jsonRows) foot() error { return nil }

func (j jsonRows) print(step []bench.Row) error {
	enc := json.NewEncoder(j.w)
	for _, r := range step {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// table prints a line for each step, with the methods side by side.
type table struct {
	e      *bench.Incremental
	w      io.Writer
	groups []group[[]bench.Row]
	spread float64 // largest difference of accuracies in one step
	start  []bench.Row
	last   []bench.Row
}

func newTable(e *bench.Incremental, w io.Writer) *table {
	var methods []string
	for _, v := range e.Variants {
		methods = append(methods, v.Method.String())
	}
	each := func(format func(float64) string, value func(bench.Row) float64) func([]bench.Row) []string {
		return func(step []bench.Row) []string {
			var cells []string
			for _, r := range step {
				cells = append(cells, format(value(r)))
			}
			return cells
		}
	}
	percent := func(v float64) string { return fmt.Sprintf("%.2f", v) }
	t := &table{e: e, w: w}
	t.groups = []group[[]bench.Row]{
		{"", []string{"samples"}, func(step []bench.Row) []string { return []string{fmt.Sprint(step[0].Samples)} }},
		{"accuracy, %", methods, each(percent, func(r bench.Row) float64 { return r.Accuracy })},
		{"step, s", methods, each(significant, func(r bench.Row) float64 { return r.UpdateSeconds })},
		{"total, s", methods, each(significant, func(r bench.Row) float64 { return r.TotalSeconds })},
		{"Gflop by model", methods, each(significant, func(r bench.Row) float64 { return r.FlopsModel / 1e9 })},
		{"", []string{"counted"}, func(step []bench.Row) []string { return []string{agreement(step)} }},
	}
	if len(methods) > 1 {
		// The sum is that of the updates: a start is not what the methods are compared by.
		t.groups = append(t.groups, group[[]bench.Row]{"speed-up", []string{"step", "sum"}, func(step []bench.Row) []string {
			if t.start == nil {
				return []string{"-", "-"}
			}
			last := len(step) - 1
			return []string{percent(step[0].UpdateSeconds / step[last].UpdateSeconds), percent(t.updates(step, 0) / t.updates(step, last))}
		}})
	}
	return t
}

// significant writes a number that is not negative in 7 characters, with at most 3 decimals, as
// long as it is below ten million.
func significant(v float64) string {
	decimals := 3
	for limit := 1e3; decimals > 0 && v >= limit; limit *= 10 {
		decimals--
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// agreement tells whether the flops counted are those of the model, or else the largest difference.
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

// head says what is about to be run and prints the heads of the columns.
func (t *table) head() error {
	e := t.e
	groups, nodes := e.Features.Groups, e.Features.GroupNodes
	lambda := ridge(e.Update.Lambda)
	var b strings.Builder
	fmt.Fprintf(&b, "training   %s: %d images of %d x %d in %d classes\n", e.Train.Name, e.Train.Len(), e.Train.Rows, e.Train.Cols, e.Train.Classes)
	fmt.Fprintf(&b, "test       %s: %d images\n", e.Test.Name, e.Test.Len())
	fmt.Fprintf(&b, "nodes      k = %d: %d groups of %d feature nodes, %d enhancement nodes; seed %d\n", e.Nodes(), groups, nodes, e.Features.EnhancementNodes, e.Features.Seed)
	fmt.Fprintf(&b, "samples    %d, then %d updates of q = %d; lambda = %s\n", e.Initial, e.Updates, e.Batch, &lambda)
	fmt.Fprintf(&b, "backend    %s, threads: %d\n\n", e.Update.Backend.Name(), blskernel.Threads())
	b.WriteString(heads(t.groups))
	_, err := io.WriteString(t.w, b.String())
	return err
}

func (t *table) print(step []bench.Row) error {
	var b strings.Builder
	b.WriteString(line(t.groups, step))
	for i, r := range step {
		t.spread = max(t.spread, math.Abs(r.Accuracy-step[0].Accuracy))
		if c := r.Check; c != nil {
			fmt.Fprintf(&b, "  %-9s W: rounding %.0e (bound %.0e, condition %.0e), bias against ridge %.0e", r.Method, c.OneShotError, c.Bound, c.Condition, c.RidgeDifference)
			if i > 0 {
				fmt.Fprintf(&b, ", %.0e from %s", c.FirstMethodError, step[0].Method)
			}
			b.WriteString("\n")
		}
	}
	if t.start == nil {
		t.start = step
	}
	t.last = step
	_, err := io.WriteString(t.w, b.String())
	return err
}

// updates returns the seconds that a method has taken for all updates up to a step.
func (t *table) updates(step []bench.Row, method int) float64 {
	return step[method].TotalSeconds - t.start[method].TotalSeconds
}

// foot sums up the comparison, where there was one.
func (t *table) foot() error {
	if len(t.last) < 2 {
		return nil
	}
	var b strings.Builder
	for i := 1; i < len(t.last) && t.e.Updates > 0; i++ {
		fmt.Fprintf(&b, "\nupdates: %s took %s s, %s %s s: %.2f times the speed; accuracies differ by %.2f points at most\n",
			t.last[i].Method, significant(t.updates(t.last, i)), t.last[0].Method, significant(t.updates(t.last, 0)),
			t.updates(t.last, 0)/t.updates(t.last, i), t.spread)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

package experiment

import (
	"fmt"
	"math"

	"blskernel/bench"
	"blskernel/internal/io/names"
)

// A StepTable formats an experiment that compares Variants: for each row, as it arrives, one line per
// variant, and then a summary.
type StepTable struct {
	Variants []bench.Variant
	rows     []bench.TableRow
}

const stepFormat = "%7s  %-22s %11s %9s %9s %9s %8s %9s %9s\n"

// Heads returns a line with the column headings.
func (*StepTable) Heads() string {
	return fmt.Sprintf(stepFormat, "samples", "method", "accuracy, %", "step, s", "total, s", "Gflop", "counted", "speed-up", "so far")
}

// Lines stores r and returns a line for each method, with its speed-up over the first method in this
// step and in all updates so far. The first step trains the model, and is not an update.
func (t *StepTable) Lines(r bench.TableRow) (text string) {
	t.rows = append(t.rows, r)
	for i, c := range r.Cells {
		step, sum := "-", "-"
		if i > 0 && r.Step > 0 {
			step, sum = names.Fixed(r.Cells[0].Seconds/c.Seconds, 2), names.Fixed(t.updates(0)/t.updates(i), 2)
		}
		text += fmt.Sprintf(stepFormat, fmt.Sprint(r.Samples), t.Variants[i], accuracy(c), names.Significant(c.Seconds, 4), names.Significant(c.TotalSeconds, 4),
			names.Significant(c.FlopsModel/1e9, 4), agreement(c), step, sum)
	}
	return text
}

// updates returns the seconds that the method with the given index took for all updates so far.
func (t *StepTable) updates(method int) float64 {
	return t.rows[len(t.rows)-1].Cells[method].TotalSeconds - t.rows[0].Cells[method].TotalSeconds
}

func accuracy(c bench.TableCell) string {
	if c.Accuracy == nil {
		return "no data"
	}
	return names.Fixed(*c.Accuracy, 2)
}

// agreement returns the counted flops of c minus the flops by the flop model, or "equal" if they agree.
func agreement(c bench.TableCell) string {
	if d := c.FlopsCounted - c.FlopsModel; d != 0 {
		return fmt.Sprintf("%+.0e", d)
	}
	return "equal"
}

// Compared returns a line for each method but the first: the speed-up over the first, and how far
// accuracies and weights differ. It returns "" if there is only one method, or no update yet.
func (t *StepTable) Compared() (text string) {
	for i := 1; i < len(t.Variants) && len(t.rows) > 1; i++ {
		points, weights := 0.0, 0.0
		for _, r := range t.rows {
			if r.Cells[i].Accuracy != nil {
				points = max(points, math.Abs(*r.Cells[i].Accuracy-*r.Cells[0].Accuracy))
			}
			weights = max(weights, r.Cells[i].Difference)
		}
		text += fmt.Sprintf("\nupdates: %s %s s, %s %s s (speed-up %.2f); accuracies within %.2f points, W within %.0e\n",
			t.Variants[i], names.Significant(t.updates(i), 4), t.Variants[0], names.Significant(t.updates(0), 4), t.updates(0)/t.updates(i), points, weights)
	}
	return text
}

package learn

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/columns"
)

// knownLabels is the flag with which a label that is not the model's is an error.
const knownLabels = "known-labels"

// numbersOf returns the classes of the rows of a batch. A label that the model does not have becomes a
// class of its own, unless closed names a flag that forbids it. On error the model is unchanged.
func (m *model) numbersOf(ctx context.Context, b *stream.Batch) ([]int, error) {
	if b.Labels == nil {
		return nil, errNoTargets
	}
	numbers, added, first := make([]int, len(b.Labels)), map[string]int{}, 0
	var labels []string // that are new, in their order
	for i, label := range b.Labels {
		n, known := m.numbers[label]
		if !known {
			n, known = added[label]
		}
		if !known {
			if !utf8.ValidString(label) {
				return nil, unreadableLabel(label, labelPlace(b, i, m.labelsIn))
			}
			if m.closed != "" {
				return nil, m.unknownLabel(b, i, m.closed)
			}
			if len(labels) == 0 {
				first = i
			}
			n = len(m.numbers) + len(labels)
			added[label] = n
			labels = append(labels, label)
		}
		numbers[i] = n
	}
	if len(labels) == 0 {
		return numbers, nil
	}
	if n := len(m.numbers) + len(labels); n > mostClasses || len(labels) > fewLabels && 2*len(labels) > len(b.Labels) {
		return nil, ui.Usagef("%s: %s of %s have labels that are new to the model, such as %q: is --target the right column? At most %d classes can be",
			labelPlace(b, first, m.labelsIn), ui.Count(len(labels), "class", "classes"), ui.Count(len(b.Labels), "row"), labels[0], mostClasses)
	}
	// A row that cannot be learned adds no class.
	if err := m.learnable(ctx, b); err != nil {
		return nil, err
	}
	return numbers, m.gain(b, first, labels)
}

// unknownLabel returns the error for the label of a row, which is none of the model's.
func (m *model) unknownLabel(b *stream.Batch, i int, why string) error {
	return fmt.Errorf("%s: the label %q is none of the %s of the model (%s): %s",
		labelPlace(b, i, m.labelsIn), b.Labels[i], ui.Count(len(m.numbers), "class", "classes"), columns.List(m.labels()), why)
}

// gain adds classes that no row so far is of. first is the row of a batch with the first of the labels.
func (m *model) gain(b *stream.Batch, first int, labels []string) error {
	all := slices.Concat(m.labels(), labels)
	more := m.Metadata
	if more.Classes = all; more.Check() != nil {
		return fmt.Errorf("%s: the model has no room for the names of %d classes, such as %.40q: is --target the right column?",
			labelPlace(b, first, m.labelsIn), len(all), labels[0])
	}
	if err := m.Classifier.Relabel(upTo(len(m.numbers)), len(all)); err != nil {
		return explainLearning(err)
	}
	for i, label := range labels {
		m.numbers[label] = len(all) - len(labels) + i
	}
	m.Metadata.Classes = all
	what := fmt.Sprintf("the label %q is", labels[0])
	if len(labels) > 1 {
		what = fmt.Sprintf("the labels %s are", columns.List(labels))
	}
	m.note(fmt.Sprintf("%s: %s new to the model, which has %d classes now", labelPlace(b, first, m.labelsIn), what, len(all)))
	return nil
}

// openTo lets the model say what classes it gains, or refuse them.
func (run *run) openTo() {
	run.model.closed = run.closed
	run.model.note = func(text string) { run.Warn("%s", text) }
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/factor"
)

const (
	// MaxClasses bounds the number of classes, so that a column of serial numbers is rejected.
	MaxClasses = 4096
	// FewLabels is a number of distinct labels that is never too large for classification.
	FewLabels = 20
)

// Classes holds the class labels of a model, by class number. The zero value has none.
type Classes struct {
	labels  []string
	numbers map[string]int
}

// NewClasses returns the classes with the given labels, which must be distinct.
func NewClasses(labels []string) Classes {
	c := Classes{labels, make(map[string]int, len(labels))}
	for i, label := range labels {
		c.numbers[label] = i
	}
	return c
}

// Number returns the number of the class with the given label, and whether there is one.
func (c Classes) Number(label string) (number int, ok bool) {
	number, ok = c.numbers[label]
	return number, ok
}

// With returns all labels: the labels of c, then the labels of more that c lacks, in their order. Label
// more[i] is all[to[i]].
func (c Classes) With(more []string) (all []string, to []int) {
	all, to = slices.Clone(c.labels), make([]int, len(more))
	numbers := NewClasses(all).numbers
	for i, label := range more {
		n, known := numbers[label]
		if !known {
			n = len(all)
			numbers[label] = n
			all = append(all, label)
		}
		to[i] = n
	}
	return all, to
}

// ClassesOf returns the distinct labels of b, the first batch of a model, in the order of SortLabels.
// labelsIn names the file of the labels; it is empty if the file of the inputs has them.
//
//	errors: *Error for a label that is not UTF-8, which no model can hold.
func ClassesOf(b *stream.Batch, labelsIn string) ([]string, error) {
	seen := map[string]bool{}
	for row, label := range b.Labels {
		if err := readable(b, row, labelsIn); err != nil {
			return nil, err
		}
		seen[label] = true
	}
	return SortLabels(maps.Keys(seen)), nil
}

// ClassOf returns the class number of a row of b, and whether the model has its label.
//
//	errors: *Error for a label that is not UTF-8.
func (m *Model) ClassOf(b *stream.Batch, row int) (number int, ok bool, err error) {
	if number, ok = m.Class(b.Labels[row]); !ok {
		err = readable(b, row, m.LabelsIn)
	}
	return number, ok, err
}

func readable(b *stream.Batch, row int, labelsIn string) error {
	if label := b.Labels[row]; !utf8.ValidString(label) {
		return labelError(b, row, labelsIn, fmt.Sprintf("the label %q is not UTF-8", label), SaveUTF8)
	}
	return nil
}

// numbers returns the class of each row of a batch. New labels become classes, but cause an *Error if
// the model is closed or there are too many. On an error the model is unchanged.
func (m *Model) numbers(ctx context.Context, b *stream.Batch) ([]int, error) {
	have := len(m.classes.labels)
	all, numbers := m.classes.With(b.Labels)
	added := all[have:]
	if len(added) == 0 {
		return numbers, nil
	}
	first := slices.IndexFunc(numbers, func(n int) bool { return n >= have })
	for row, n := range numbers {
		if n < have {
			continue
		}
		if err := readable(b, row, m.LabelsIn); err != nil {
			return nil, err
		}
		if m.Closed {
			return nil, labelError(b, row, m.LabelsIn, fmt.Sprintf("the label %q is not a class of the model (%s)", b.Labels[row], names.List(m.Labels())), AddClass)
		}
	}
	if len(all) > MaxClasses || len(added) > FewLabels && 2*len(added) > len(b.Labels) {
		e := labelError(b, first, m.LabelsIn, fmt.Sprintf("%s would add %s to the model, such as %q",
			names.Count(len(b.Labels), "row"), names.Count(len(added), "class", "classes"), added[0]), OtherTarget)
		e.Many = true
		return nil, e
	}
	// A row that cannot be learned adds no class.
	if m.FittedFeatures() != nil {
		if err := m.checkNodes(ctx, b); err != nil {
			return nil, err
		}
	}
	more := m.Metadata
	if more.Classes = all; more.Check() != nil {
		return nil, labelError(b, first, m.LabelsIn, fmt.Sprintf("the names of %d classes, such as %.40q, do not fit into the model file", len(all), added[0]), OtherTarget)
	}
	if err := m.become(all, factor.Indices(have)); err != nil {
		return nil, err
	}
	if m.Gained != nil {
		m.Gained(labelPlace(b, first, m.LabelsIn), added)
	}
	return numbers, nil
}

// become replaces the labels of the model. Class i becomes class to[i]. For an unfitted model it sets
// the classes of the first fit.
func (m *Model) become(labels []string, to []int) error {
	if slices.Equal(labels, m.Labels()) {
		return nil
	}
	if m.Classifier.NumClasses() == 0 {
		m.Classifier.Classes = len(labels)
	} else if err := m.Classifier.Relabel(to, len(labels)); err != nil {
		return err
	}
	m.classes, m.Metadata.Classes = NewClasses(labels), labels
	return nil
}

// labelPlace returns the place of a row's label: the place of its inputs or, if labelsIn names a file
// of labels, that file and the number of the row in it.
func labelPlace(b *stream.Batch, row int, labelsIn string) string {
	if labelsIn == "" {
		return b.Where(row).String()
	}
	return fmt.Sprintf("%s, sample %d (its inputs are at %s)", labelsIn, b.Number(row), b.Where(row))
}

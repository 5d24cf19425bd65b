package scaleout

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/internal/io/names"
	"blskernel/mat"
)

// A shard may have labels that the base model lacks. Each becomes a new class, whose target is -1 for
// all earlier rows: the negative of the constant target. A State lists the labels of its classes, the
// labels of the model first. Its targets are the constant, then its classes.

// unknown returns a message for a label that the model lacks, with advice.
func (b *base) unknown(label string) string {
	do := "train the model with all classes, or leave the row out"
	if !utf8.ValidString(label) {
		do = "it is not UTF-8: save the file as UTF-8"
	}
	return fmt.Sprintf("the label %.80q is not a class of the model (%s); %s", label, names.List(b.Labels()), do)
}

// targetsOf returns the targets Y of rows with the given labels, in the form that Expand returns. all
// lists the classes: the given ones, then the new ones among the labels.
func targetsOf(labels []string, classes []string) (y *mat.Dense, all []string, err error) {
	all, numbers := model.NewClasses(classes).With(labels)
	if err := checkClasses(len(all)); err != nil {
		return nil, nil, err
	}
	for i := range numbers {
		numbers[i]++ // column 0 is the constant
	}
	if y, err = bls.OneHot(numbers, 1+len(all)); err != nil {
		return nil, nil, err
	}
	for i := range labels {
		y.Set(i, 0, 1)
	}
	return y, all, nil
}

func checkClasses(n int) error {
	if n > model.MaxClasses {
		return fmt.Errorf("the model and the labels have %d classes; want at most %d: check that the target column is the right one", n, model.MaxClasses)
	}
	return nil
}

// become makes labels the classes of the state, in this order. They must include all current classes of
// s; added classes have no rows yet.
func (s *State) become(labels []string) error {
	if slices.Equal(s.classes, labels) {
		return nil
	}
	if err := checkClasses(len(labels)); err != nil {
		return err
	}
	_, to := model.NewClasses(labels).With(s.classes)
	if err := s.updater.MapTargets(bls.TargetMap(to, len(labels))); err != nil {
		return err
	}
	s.classes = slices.Clone(labels)
	return nil
}

// sorted keeps the classes [0, known) in place and sorts the rest: numerically if all of the rest are
// numbers, otherwise in byte order.
func (s *State) sorted(known int) error {
	known = min(known, len(s.classes))
	return s.become(slices.Concat(s.classes[:known], model.SortLabels(slices.Values(s.classes[known:]))))
}

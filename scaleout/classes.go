package scaleout

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

// A shard may have labels that the base model lacks. Each becomes a new class, whose target is -1 for
// all earlier rows: the negative of the constant target. A State lists the labels of its new classes.
// Its targets are the constant, then the classes of the model, then the new classes.

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
	targets, err := bls.OneHot(numbers, len(all))
	if err != nil {
		return nil, nil, err
	}
	y = mat.NewDense(len(labels), 1+len(all), nil)
	for i := range labels {
		row := y.RawRowView(i)
		row[0] = 1
		copy(row[1:], targets.RawRowView(i))
	}
	return y, all, nil
}

func checkClasses(n int) error {
	if n > model.MaxClasses {
		return fmt.Errorf("the model and the labels have %d classes; want at most %d: check that the target column is the right one", n, model.MaxClasses)
	}
	return nil
}

// become makes labels the new classes of the state, in this order. They must include all current new
// classes of s; added classes have no rows yet.
func (s *State) become(labels []string) error {
	if slices.Equal(s.classes, labels) {
		return nil
	}
	first := s.updater.Targets() - 1 - len(s.classes) // the number of classes of the model
	if err := checkClasses(first + len(labels)); err != nil {
		return err
	}
	to := factor.Indices(first)
	_, own := model.NewClasses(labels).With(s.classes)
	for _, j := range own {
		to = append(to, first+j)
	}
	if err := s.updater.MapTargets(bls.TargetMap(to, first+len(labels))); err != nil {
		return err
	}
	s.classes = slices.Clone(labels)
	return nil
}

// sorted sorts the new classes in numerical order if all are numbers, and otherwise in byte order.
func (s *State) sorted() error { return s.become(model.SortLabels(slices.Values(s.classes))) }

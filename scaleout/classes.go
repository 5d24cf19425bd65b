package scaleout

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/internal/io/names"
	"blskernel/mat"
)

// A shard may have labels that the model of the features does not have. Each is a class more: its
// target is -1 for all rows before, the negative of the constant target. A State lists the labels of
// its new classes, which the model does not have, and its targets are the constant, the classes of the
// model, and the new ones.

// unknown says that the model does not have a label.
func (b *base) unknown(label string) string {
	do := "train the model with all classes, or leave the row out"
	if !utf8.ValidString(label) {
		do = "it is not UTF-8: save the file as UTF-8"
	}
	return fmt.Sprintf("the label %.80q is not one of the %d classes of the model (%s); %s", label, len(b.Labels()), names.List(b.Labels()), do)
}

// numbered returns the numbers of labels that the model has or gains, and those that are new, by their
// rows. The number of a new one is 0.
func (b *base) numbered(labels []string) (numbers []int, others map[int]string) {
	numbers, others = make([]int, len(labels)), map[int]string{}
	for i, label := range labels {
		var known bool
		if numbers[i], known = b.Class(label); !known {
			others[i] = label
		}
	}
	return numbers, others
}

// become gives the state the classes of labels, in their order. The classes of the state are among
// them; the others have no row so far.
func (s *State) become(labels []string) error {
	if slices.Equal(s.classes, labels) {
		return nil
	}
	first := s.updater.Targets() - 1 - len(s.classes) // the classes of the model
	if n := first + len(labels); n > model.MaxClasses {
		return fmt.Errorf("the labels have %d classes, more than %d: is it the right column?", n, model.MaxClasses)
	}
	to := upTo(first)
	_, own := model.NewClasses(labels).With(s.classes)
	for _, j := range own {
		to = append(to, first+j)
	}
	t := bls.TargetMap(to, first+len(labels))
	if err := s.updater.MapTargets(t); err != nil {
		return err
	}
	s.classes = slices.Clone(labels)
	return nil
}

// with returns the classes of s and behind them the labels that it lacks, in the order of the alphabet.
func (s *State) with(labels []string) []string {
	all, _ := model.NewClasses(s.classes).With(slices.Sorted(slices.Values(labels)))
	return all
}

// targets returns the targets Y of rows with the columns of the classes of s. others has the labels of
// rows whose class in Y, the first, is not theirs.
func (s *State) targets(y *mat.Dense, others map[int]string) *mat.Dense {
	if len(s.classes) == 0 {
		return y
	}
	rows, first := y.Dims()
	wide := mat.NewDense(rows, first+len(s.classes), nil)
	for i := range rows {
		row := wide.RawRowView(i)
		copy(row, y.RawRowView(i))
		for j := range s.classes {
			row[first+j] = -1
		}
		if label, other := others[i]; other {
			row[1], row[first+slices.Index(s.classes, label)] = -1, 1
		}
	}
	return wide
}

// copy returns a copy of s in storage of its own.
func (s *State) copy() (*State, error) {
	in, err := encodeState(s)
	if err != nil {
		return nil, err
	}
	return decodeState(in)
}

// addOther is add for states of different classes.
func (s *State) addOther(other *State) error {
	sum, err := s.copy()
	if err != nil {
		return err
	}
	o, err := other.copy()
	if err != nil {
		return err
	}
	all := sum.with(o.classes)
	if err := cmp.Or(sum.become(all), o.become(all)); err != nil {
		return err
	}
	if err := sum.updater.Merge(o.updater); err != nil {
		return err
	}
	*s = *sum
	return nil
}

// sorted sorts the classes by number if all are numbers, else alphabetically.
func (s *State) sorted() error { return s.become(model.SortLabels(slices.Values(s.classes))) }

// withClasses returns the model with more classes.
func (b *base) withClasses(labels []string) (*bls.Classifier, error) {
	if len(labels) == 0 {
		return b.Classifier, nil
	}
	var encoded bytes.Buffer
	if err := b.Classifier.Encode(&encoded); err != nil {
		return nil, err
	}
	c, err := bls.DecodeClassifier(&encoded, nil)
	if err != nil {
		return nil, err
	}
	return c, c.Relabel(upTo(len(b.Labels())), len(b.Labels())+len(labels))
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

package scaleout

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"blskernel/bls"
	"blskernel/internal/columns"
	"blskernel/mat"
)

// A shard may have labels that the model of the features does not have. Each is a class more: its
// target is -1 for all rows before, the negative of the constant target. A State lists the labels of
// the classes that it has beside those of the model, and its targets are the constant, the classes of
// the model, and these.

// mostClasses bounds the number of classes, so that a column of serial numbers is an error.
const mostClasses = 4096

// grows reports whether the model can gain classes. Those of files of version 1 have no constant
// target.
func (b *base) grows() bool {
	return b.classifies() && b.updater().Targets() == len(b.labels)+1
}

// unknown says that the model does not have a label.
func (b *base) unknown(label string) string {
	do := "train the model with all classes, or leave the row out"
	switch {
	case !utf8.ValidString(label):
		do = "it is not UTF-8: save the file as UTF-8"
	case !b.grows():
		do = "a model file of version 1 cannot gain classes: train it anew, or leave the row out"
	}
	return fmt.Sprintf("the label %.80q is none of the %d classes of the model (%s); %s", label, len(b.labels), columns.List(b.labels), do)
}

// numbered returns the numbers of the labels of a batch, and those labels that are new, by their rows.
// The number of a new one is 0.
func (b *base) numbered(batch *Batch) (numbers []int, others map[int]string, err error) {
	numbers = make([]int, len(batch.Labels))
	for i, label := range batch.Labels {
		n, known := b.numbers[label]
		if numbers[i] = n; known {
			continue
		}
		if !b.grows() || !utf8.ValidString(label) {
			return nil, nil, fmt.Errorf("scaleout: %s: %s", batch.sample(i), b.unknown(label))
		}
		if others == nil {
			others = map[int]string{}
		}
		others[i] = label
	}
	return numbers, others, nil
}

// gain adds classes that no row so far is of.
func (s *State) gain(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	targets := s.updater.Targets()
	if n := targets - 1 + len(labels); n > mostClasses {
		return fmt.Errorf("the labels are of %d classes, and at most %d can be: are they those of the right column?", n, mostClasses)
	}
	t := mat.NewDense(targets, len(labels), nil)
	for j := range labels {
		t.Set(0, j, -1)
	}
	if err := s.updater.AddTargets(t); err != nil {
		return err
	}
	s.classes = slices.Concat(s.classes, labels)
	return nil
}

// order brings the classes into the order of labels, which are the same.
func (s *State) order(labels []string) error {
	if slices.Equal(s.classes, labels) {
		return nil
	}
	targets := s.updater.Targets()
	first := targets - len(labels)
	t := mat.NewDense(targets, targets, nil)
	for j := range targets {
		from := j
		if j >= first {
			from = first + slices.Index(s.classes, labels[j-first])
		}
		t.Set(from, j, 1)
	}
	if err := s.updater.MapTargets(t); err != nil {
		return err
	}
	s.classes = slices.Clone(labels)
	return nil
}

// missing returns the labels that s has no class for, in the order of the alphabet.
func (s *State) missing(labels []string) []string {
	var found []string
	for _, label := range slices.Sorted(slices.Values(labels)) {
		if !slices.Contains(s.classes, label) && !slices.Contains(found, label) {
			found = append(found, label)
		}
	}
	return found
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
	u, err := s.Updater()
	return &State{u, slices.Clone(s.classes)}, err
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
	if err := cmp.Or(sum.gain(sum.missing(o.classes)), o.gain(o.missing(sum.classes))); err != nil {
		return err
	}
	if err := cmp.Or(o.order(sum.classes), sum.updater.Merge(o.updater)); err != nil {
		return err
	}
	*s = *sum
	return nil
}

// sorted brings the classes into the order of numbers if all are numbers, else of the alphabet.
func (s *State) sorted() error {
	labels, values := slices.Sorted(slices.Values(s.classes)), map[string]float64{}
	for _, label := range labels {
		if v, err := strconv.ParseFloat(label, 64); err == nil {
			values[label] = v
		}
	}
	if len(values) == len(labels) {
		slices.SortStableFunc(labels, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	}
	return s.order(labels)
}

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
	same := make([]int, len(b.labels))
	for i := range same {
		same[i] = i
	}
	return c, c.Relabel(same, len(b.labels)+len(labels))
}

// labelled begins the encoding of a state with classes of its own: their number follows, and for each
// its length and its label.
const labelled = "blslabel"

// appendClasses appends the labels of a state to its encoding; of none nothing.
func appendClasses(to []byte, labels []string) []byte {
	if len(labels) == 0 {
		return to
	}
	to = binary.LittleEndian.AppendUint64(append(to, labelled...), uint64(len(labels)))
	for _, label := range labels {
		to = append(binary.LittleEndian.AppendUint64(to, uint64(len(label))), label...)
	}
	return to
}

// cutClasses reads what appendClasses wrote, and returns the rest.
func cutClasses(in []byte) (labels []string, rest []byte, err error) {
	rest, is := bytes.CutPrefix(in, []byte(labelled))
	if !is {
		return nil, in, nil
	}
	damaged := errors.New("its labels are damaged")
	word := func() (n uint64) {
		if len(rest) < 8 {
			err = damaged
			return 0
		}
		n, rest = binary.LittleEndian.Uint64(rest), rest[8:]
		return n
	}
	seen := map[string]bool{}
	for n := word(); err == nil && uint64(len(labels)) < n; {
		length := word()
		if err != nil || length > uint64(len(rest)) {
			return nil, nil, damaged
		}
		label := string(rest[:length])
		if rest = rest[length:]; seen[label] || !utf8.ValidString(label) {
			return nil, nil, damaged
		}
		seen[label] = true
		labels = append(labels, label)
	}
	if len(labels) == 0 {
		err = damaged
	}
	return labels, rest, err
}

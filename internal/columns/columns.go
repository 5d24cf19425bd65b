// Package columns finds the columns of a model in data, by their names.
package columns

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"blskernel/dataset/stream"
)

// The options by which the columns of the data are chosen.
var (
	inputs  = stream.Remedy{Option: stream.OptionInputs}
	targets = stream.Remedy{Option: stream.OptionTargets}
	exclude = stream.Remedy{Option: stream.OptionExclude}
)

// List quotes the first ten names, and says how many more there are. Of a long name it quotes the two
// ends, since names may differ in either.
func List(names []string) string {
	const most, end = 10, 40
	quoted := make([]string, min(most, len(names)))
	for i := range quoted {
		quoted[i] = strconv.Quote(names[i])
		if r := []rune(names[i]); len(r) > 2*end {
			quoted[i] = fmt.Sprintf("%q...%q", string(r[:end]), string(r[len(r)-end:]))
		}
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Sorted returns labels in the order of numbers if all are numbers, else of the alphabet.
func Sorted(of iter.Seq[string]) []string {
	labels, values := slices.Sorted(of), map[string]float64{}
	for _, label := range labels {
		if v, err := strconv.ParseFloat(label, 64); err == nil {
			values[label] = v
		}
	}
	if len(values) == len(labels) {
		slices.SortStableFunc(labels, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	}
	return labels
}

// ErrNoTarget reports that nothing identifies the targets.
var ErrNoTarget = errors.New("no column holds the targets")

// Wanted describes the columns that a model needs.
type Wanted struct {
	Inputs, Targets []string // the names of the columns that the model has, none where it has no names

	Number  int            // of the columns of the inputs; 0 for any
	Columns stream.Columns // how they become inputs; nil for numbers
	Missing stream.Missing // what becomes of a missing cell
	Exclude []string       // without names: the columns that the training left out

	Learn     bool // the labels or targets, too
	Elsewhere bool // the targets are in a separate file
	Single    bool // of one file of samples
}

// Match selects columns of r. If both the data and the model have names and no columns are given, the
// inputs are the columns with the model's names, in any place. Else they are all columns but the
// targets, in their order. Given columns keep their order, unless their names are the model's: then
// they take its order. Without names, the columns that the training left out are left out if only then
// the number is right.
//
//	errors: a *stream.Error without a path for columns that do not fit the model, ErrNoTarget; an
//	error of r.Select.
func Match(r *stream.Reader, want Wanted) error {
	given := r.Selection()
	if err := choose(r, want); err != nil {
		return err
	}
	s := r.Selection()
	if want.Number > 0 && r.Dim() != want.Number && given.Inputs == nil && s.Inputs == nil && given.Exclude == nil && want.Exclude != nil {
		s.Exclude = slices.DeleteFunc(slices.Clone(want.Exclude), func(spec string) bool { return spec == s.Weight })
		if err := r.Select(s); err != nil {
			return err
		}
	}
	if n := r.Dim(); want.Number > 0 && n != want.Number {
		return stream.Errorf("has %d columns of inputs, and the model %d: choose the columns by %v or %v, "+
			"and name the column of the labels or targets by %v", n, want.Number, inputs, exclude, targets)
	}
	if want.Columns == nil && want.Missing != stream.MissingDrop {
		return nil
	}
	s.Columns, s.Missing = want.Columns, want.Missing
	return r.Select(s)
}

// choose selects the columns.
func choose(r *stream.Reader, want Wanted) error {
	heading, selected := r.Heading(), r.Selection()
	names := heading.Names
	if names == nil && selected.Header == stream.HeaderAuto && len(want.Inputs) > 0 && holds(heading.First, want.Inputs) {
		names = heading.First // which are all numbers
	}
	byName := names != nil && len(want.Inputs) > 0 && len(selected.Inputs) == 0
	given := selected
	var err error
	if byName {
		selected.Inputs, err = named(want.Inputs, names)
	} else {
		selected.Inputs, err = inOrder(selected.Inputs, r.Inputs(), want.Inputs)
	}
	if err != nil {
		return err
	}
	if selected.Targets, err = inOrder(selected.Targets, r.Targets(), want.Targets); err != nil {
		return err
	}
	changed := !slices.Equal(given.Inputs, selected.Inputs) || !slices.Equal(given.Targets, selected.Targets)
	byTarget := names != nil && len(want.Targets) > 0 && len(selected.Targets) == 0 && !want.Elsewhere &&
		(want.Learn || !byName && holds(names, want.Targets))
	switch {
	case byTarget:
		if selected.Targets, err = named(want.Targets, names); err != nil {
			return err
		}
	case want.Learn && r.Outputs() == 0 && len(want.Targets) == 1 && holds(heading.Arrays, want.Targets):
		selected.Targets = want.Targets
	case want.Learn && r.Outputs() == 0 && heading.Format != stream.IDX:
		return ErrNoTarget
	case !changed:
		return nil
	}
	return selectNamed(r, selected, names != nil, want.Single)
}

// selectNamed selects columns. A first line with their names is the header, even if the selected
// columns do not show that. Of several files, some may have no header.
func selectNamed(r *stream.Reader, selected stream.Selection, names, single bool) error {
	if names && single {
		selected.Header = stream.HeaderPresent
	}
	if err := r.Select(selected); err != nil || !names || r.Heading().HasHeader {
		return err
	}
	selected.Header = stream.HeaderPresent
	return r.Select(selected)
}

// named returns the numbers of the columns with the wanted names, from 1.
func named(wanted, names []string) ([]string, error) {
	var columns, missing []string
	for _, name := range wanted {
		i := slices.Index(names, name)
		if i < 0 {
			missing = append(missing, name)
			continue
		}
		if slices.Contains(names[i+1:], name) {
			return nil, stream.Errorf("has more than one column named %q: give its number from 1, by %v or %v", name, inputs, targets)
		}
		columns = append(columns, strconv.Itoa(i+1))
	}
	if missing != nil {
		return nil, stream.Errorf("lacks the columns %s of the model, and has %s: name the columns by %v and %v, or use %v if the first line is data",
			List(missing), List(names), inputs, targets, stream.Remedy{Option: stream.OptionHeader, Value: stream.HeaderAbsent.String()})
	}
	return columns, nil
}

// inOrder returns the columns of specs, or all without specs, in the order of the model's names. chosen
// are their names; columns with other names, or none, stay in place.
func inOrder(specs, chosen, model []string) ([]string, error) {
	if slices.Equal(chosen, model) || !slices.Equal(slices.Sorted(slices.Values(chosen)), slices.Sorted(slices.Values(model))) {
		return specs, nil
	}
	if len(specs) != 0 && len(specs) != len(chosen) {
		return nil, stream.Errorf("has the columns of a range in another order than the model: name them one by one, in its order: %s",
			List(model))
	}
	ordered := make([]string, len(model))
	for i, name := range model {
		at := slices.Index(chosen, name)
		if len(specs) == 0 {
			ordered[i] = strconv.Itoa(at + 1)
		} else {
			ordered[i] = specs[at]
		}
	}
	return ordered, nil
}

// holds reports whether names has all wanted names.
func holds(names, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(names, name) })
}

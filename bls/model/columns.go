package model

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
)

// inputs, targets and exclude are the options that messages suggest for choosing columns.
var (
	inputs  = stream.Remedy{Option: stream.OptionInputs}
	targets = stream.Remedy{Option: stream.OptionTargets}
	exclude = stream.Remedy{Option: stream.OptionExclude}
)

// SortLabels returns the labels in numerical order if all are numbers, and otherwise in byte order.
func SortLabels(of iter.Seq[string]) []string {
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

// Data describes the data in which Match selects columns.
type Data struct {
	Missing   stream.Missing // what to do with a missing cell
	Learn     bool           // whether the labels or targets are needed, too
	Elsewhere bool           // whether the targets are in a separate file
	Single    bool           // whether there is one file of samples and no file of targets
}

// Match selects the columns of the model in the data. Unless the caller has selected inputs, these are
// the columns with the model's names, in any order, or all columns except the targets if model or data
// has no names. If selected columns have the model's names, Match puts them into the model's order. If
// the model has no names and the data has all columns of training except targets and weights, Match
// leaves out the columns that training left out. If data.Learn is false, no column of the file of the
// inputs is read as a target, so the cells of the targets may be empty.
//
//	errors: a *stream.Error without a path if the columns do not fit the model; ErrNoTargets; the
//	errors of r.Select.
func (m *Model) Match(r *stream.Reader, data Data) error {
	as, given := m.Metadata.Options(), r.Selection()
	if err := choose(r, data, as.Inputs, m.Metadata.Targets); err != nil {
		return err
	}
	cells, _ := m.Columns()
	s := r.Selection()
	if runs := m.Metadata.Runs; r.Dim() != len(cells) && given.Inputs == nil && s.Inputs == nil && given.Exclude == nil && runs != nil {
		inputs, besides := r.Positions()
		if s.Exclude != nil { // the targets, which are not read
			besides = inputs
		}
		if inputs := inRuns(runs, besides); inputs != nil {
			s.Inputs = inputs
			if err := r.Select(s); err != nil {
				return err
			}
		}
	}
	if n := r.Dim(); n != len(cells) {
		return stream.Errorf("has %s, but the model has %d: choose the columns with %v or %v, "+
			"and name the column of the labels or targets with %v", names.Count(n, "input column", "input columns"), len(cells), inputs, exclude, targets)
	}
	if as.Columns == nil && data.Missing != stream.MissingDrop {
		return nil
	}
	named := r.Heading().HasHeader && slices.Equal(r.Inputs(), as.Inputs)
	s.Columns, s.Missing = as.Columns, data.Missing
	if err := r.Select(s); err != nil || !named || r.Heading().HasHeader {
		return err
	}
	s.Header = stream.HeaderPresent // a name in the header is also a category of its column
	return r.Select(s)
}

// choose makes r select the columns named inputs and targets. Both are nil if the model has no names.
// It returns ErrNoTargets if want.Learn is true and r has no targets.
func choose(r *stream.Reader, want Data, inputs, targets []string) error {
	heading, selected := r.Heading(), r.Selection()
	names := heading.Names
	if names == nil && selected.Header == stream.HeaderAuto && len(inputs) > 0 && holds(heading.First, inputs) {
		names = heading.First // the names are all numbers
	}
	byName := names != nil && len(inputs) > 0 && len(selected.Inputs) == 0
	given := selected
	var err error
	if byName {
		if selected.Inputs = ofInputs(r, inputs); selected.Inputs == nil {
			selected.Inputs, err = named(inputs, names)
		}
	} else {
		selected.Inputs, err = inOrder(selected.Inputs, r.Inputs(), inputs)
	}
	if err != nil {
		return err
	}
	if selected.Targets, err = inOrder(selected.Targets, r.Targets(), targets); err != nil {
		return err
	}
	unread := !want.Learn && !want.Elsewhere && len(given.Targets) > 0
	changed := unread || !slices.Equal(given.Inputs, selected.Inputs) || !slices.Equal(given.Targets, selected.Targets)
	byTarget := names != nil && len(targets) > 0 && len(selected.Targets) == 0 && !want.Elsewhere &&
		(want.Learn || !byName && holds(names, targets))
	switch {
	case byTarget:
		if selected.Targets, err = named(targets, names); err != nil {
			return err
		}
		unread = !want.Learn
	case want.Learn && r.Outputs() == 0 && len(targets) == 1 && holds(heading.Arrays, targets):
		selected.Targets = targets
	case want.Learn && r.Outputs() == 0 && heading.Format != stream.IDX:
		return ErrNoTargets
	case !changed:
		return nil
	}
	if unread && !holds(heading.Arrays, selected.Targets) { // a selected array of targets shows which array has the inputs
		if selected.Inputs == nil {
			selected.Exclude = append(selected.Exclude, selected.Targets...)
		}
		selected.Targets = nil
	}
	if !byTarget && (len(inputs) == 0 || !holds(names, inputs)) {
		return r.Select(selected)
	}
	// A first line with the names is the header, whatever is selected. Later files may lack it.
	if want.Single {
		selected.Header = stream.HeaderPresent
	}
	if err := r.Select(selected); err != nil || r.Heading().HasHeader {
		return err
	}
	selected.Header = stream.HeaderPresent
	return r.Select(selected)
}

// inRuns returns the numbers, from 1, of the inputs among the columns in besides. The elements of runs
// are, in turn, numbers of columns left out and of inputs, as in Metadata.Runs. The result is nil if
// the sum of runs is not len(besides).
func inRuns(runs, besides []int) (inputs []string) {
	total := 0
	for _, n := range runs {
		total += n
	}
	if total != len(besides) {
		return nil
	}
	for i, n := range runs {
		for _, col := range besides[:n] {
			if i%2 == 1 {
				inputs = append(inputs, strconv.Itoa(col+1))
			}
		}
		besides = besides[n:]
	}
	return inputs
}

// ofInputs is like named, but searches only the inputs that r selects, so that a column left out may
// have the same name. It returns nil unless each name in of occurs exactly once.
func ofInputs(r *stream.Reader, of []string) (columns []string) {
	have := r.Inputs()
	positions, _ := r.Positions()
	at := names.Index(have)
	for _, name := range of {
		i, found := at[name]
		if !found || i < 0 || len(have) != len(positions) {
			return nil
		}
		columns = append(columns, strconv.Itoa(positions[i]+1))
	}
	return columns
}

// named returns the numbers, from 1, of the columns whose names are in of. Each of these names must
// occur exactly once in have, the names of all columns.
func named(of, have []string) ([]string, error) {
	var columns, missing []string
	at := names.Index(have)
	for _, name := range of {
		i, found := at[name]
		switch {
		case !found:
			missing = append(missing, name)
		case i < 0:
			return nil, repeated(name)
		default:
			columns = append(columns, strconv.Itoa(i+1))
		}
	}
	if missing != nil {
		return nil, stream.Errorf("lacks columns of the model (%s) and has %s: name the columns with %v and %v, or use %v if the first line is data",
			names.List(missing), names.List(have), inputs, targets, stream.Remedy{Option: stream.OptionHeader, Value: stream.HeaderAbsent.String()})
	}
	return columns, nil
}

// inOrder returns the columns of specs, or all columns if there are no specs, in the order of model,
// the model's names. chosen are the names of the columns in their current order. If chosen and model
// are not the same names, inOrder returns specs unchanged.
func inOrder(specs, chosen, model []string) ([]string, error) {
	if slices.Equal(chosen, model) || !slices.Equal(slices.Sorted(slices.Values(chosen)), slices.Sorted(slices.Values(model))) {
		return specs, nil
	}
	if len(specs) != 0 && len(specs) != len(chosen) {
		return nil, stream.Errorf("has the columns of a range in a different order from the model: name them one by one, in the order %s",
			names.List(model))
	}
	if len(specs) == 0 {
		return named(model, chosen)
	}
	ordered, at := make([]string, len(model)), names.Index(chosen)
	for i, name := range model {
		if at[name] < 0 {
			return nil, repeated(name)
		}
		ordered[i] = specs[at[name]]
	}
	return ordered, nil
}

func repeated(name string) error {
	return stream.Errorf("has more than one column named %q: select it by its number, counting from 1, with %v or %v", name, inputs, targets)
}

func holds(have, wanted []string) bool {
	at := names.Index(have)
	return !slices.ContainsFunc(wanted, func(name string) bool { _, found := at[name]; return !found })
}

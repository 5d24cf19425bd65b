package scaleout

import (
	"fmt"
	"slices"
	"strconv"

	"blskernel/dataset/stream"
)

// match selects the columns that the model wants of an opened shard, in the way of `blskernel update`.
// Its error is a *stream.Error with the path of the shard.
func (fn *readFn) match(r *stream.Reader, shard Shard) error {
	meta, heading, columns := &fn.base.Metadata, r.Heading(), r.Selection()
	names := heading.Names
	if names == nil && columns.Header == stream.HeaderAuto && len(meta.Inputs) > 0 && holdsAll(heading.First, meta.Inputs) {
		names = heading.First // which are all numbers
	}
	given := columns
	var err error
	if names != nil && len(meta.Inputs) > 0 && len(columns.Inputs) == 0 {
		columns.Inputs, err = namedColumns(meta.Inputs, names)
	} else {
		columns.Inputs, err = inModelOrder(columns.Inputs, r.Inputs(), meta.Inputs)
	}
	if err == nil {
		columns.Targets, err = inModelOrder(columns.Targets, r.Targets(), meta.Targets)
	}
	changed := !slices.Equal(given.Inputs, columns.Inputs) || !slices.Equal(given.Targets, columns.Targets)
	if err == nil && len(columns.Targets) == 0 && shard.Targets == "" {
		switch {
		case names != nil && len(meta.Targets) > 0:
			columns.Targets, err = namedColumns(meta.Targets, names)
			changed = true
		case r.Outputs() == 0 && len(meta.Targets) == 1 && holdsAll(heading.Arrays, meta.Targets):
			columns.Targets, changed = meta.Targets, true
		}
	}
	if err != nil {
		return &stream.Error{Path: shard.Path, What: err.Error()}
	}
	if changed {
		if names != nil {
			columns.Header = stream.HeaderPresent
		}
		if err := r.Select(columns); err != nil {
			return err
		}
	}
	return fn.fits(r, shard)
}

// fits returns an error unless the data has as many inputs and targets as the model.
func (fn *readFn) fits(r *stream.Reader, shard Shard) error {
	fault := func(format string, args ...any) error {
		return &stream.Error{Path: shard.Path, What: fmt.Sprintf(format, args...)}
	}
	if d := fn.base.inputs(); r.Dim() != d {
		return fault("has %d inputs, and the model %d: choose the columns of the inputs, and name those of the labels or targets, so that they are no inputs", r.Dim(), d)
	}
	want := 1
	if !fn.base.classifies() {
		want = fn.base.updater().Targets()
	}
	switch r.Outputs() {
	case want:
		return nil
	case 0:
		return fault("has no labels or targets: name their columns, or their files")
	default:
		return fault("has %d columns of labels or targets, and the model %d: name them", r.Outputs(), want)
	}
}

// namedColumns returns the numbers of the columns with the wanted names.
func namedColumns(wanted, names []string) ([]string, error) {
	var columns, missing []string
	for _, name := range wanted {
		i := slices.Index(names, name)
		if i < 0 {
			missing = append(missing, name)
			continue
		}
		if slices.Contains(names[i+1:], name) {
			return nil, fmt.Errorf("has more than one column named %q: give its number from 1", name)
		}
		columns = append(columns, strconv.Itoa(i+1))
	}
	if missing != nil {
		return nil, fmt.Errorf("lacks the columns %s of the model, and has %s: choose the columns of the inputs, or say that there is no header if the first line is one of data", someOf(missing), someOf(names))
	}
	return columns, nil
}

// inModelOrder returns columns that were given by specs, all if there are none, and have the names
// chosen, in the order of the model's names. Those that have other names, or none, are left as they
// are.
func inModelOrder(specs, chosen, model []string) ([]string, error) {
	if slices.Equal(chosen, model) || !slices.Equal(slices.Sorted(slices.Values(chosen)), slices.Sorted(slices.Values(model))) {
		return specs, nil
	}
	if len(specs) != 0 && len(specs) != len(chosen) {
		return nil, fmt.Errorf("has the columns of a range in another order than the model: name them one by one, in its order: %s", someOf(model))
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

// holdsAll tells whether all wanted names are there.
func holdsAll(names, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(names, name) })
}

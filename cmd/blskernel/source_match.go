package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"blskernel/dataset/stream"
)

// errTargetColumn asks for the column of the targets.
var errTargetColumn = usageError{errors.New("--target is missing: the columns have no names by which that of the labels or targets could be found; --targets-file names a file that has them")}

// openMatched opens data for a model, with its labels or targets if they are wanted. Where both have
// names of the columns, and none are given by flags, the inputs are the columns with the names of the
// model's, wherever they are; otherwise they are all columns but the targets, in their order. Columns that
// are given by flags are taken in their order too, unless their names are those of the model: then they
// are put in its order. The data is opened once, so that it can come from a pipe.
func openMatched(ctx context.Context, model *learner, s *sourceSettings, opt stream.Options, targets bool) (*stream.Reader, error) {
	opt.Classes = model.Classifier != nil
	r, err := openSource(ctx, s.paths, opt)
	if err != nil {
		return nil, err
	}
	if err = match(r, model, s, targets); err == nil {
		err = fits(r, model, targets)
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// match selects the columns of the data by the names of the model.
func match(r *stream.Reader, model *learner, s *sourceSettings, targets bool) error {
	meta, heading, columns := &model.Metadata, r.Heading(), r.Selection()
	names := heading.Names
	if names == nil && columns.Header == stream.HeaderAuto && len(meta.Inputs) > 0 && holdsAll(heading.First, meta.Inputs) {
		names = heading.First // which are all numbers
	}
	byName := names != nil && len(meta.Inputs) > 0 && len(columns.Inputs) == 0
	given := columns
	var err error
	if byName {
		columns.Inputs, err = namedColumns(s.paths[0], meta.Inputs, names)
	} else {
		columns.Inputs, err = inModelOrder(columns.Inputs, r.Inputs(), meta.Inputs)
	}
	if err != nil {
		return err
	}
	if columns.Targets, err = inModelOrder(columns.Targets, r.Targets(), meta.Targets); err != nil {
		return err
	}
	changed := !slices.Equal(given.Inputs, columns.Inputs) || !slices.Equal(given.Targets, columns.Targets)
	byTarget := names != nil && len(meta.Targets) > 0 && len(columns.Targets) == 0 && s.targetsFile == "" &&
		(targets || !byName && holdsAll(names, meta.Targets))
	switch {
	case byTarget:
		if columns.Targets, err = namedColumns(s.paths[0], meta.Targets, names); err != nil {
			return err
		}
	case targets && r.Outputs() == 0 && holdsAll(heading.Arrays, meta.Targets) && len(meta.Targets) == 1:
		columns.Targets = meta.Targets
	case targets && r.Outputs() == 0 && heading.Format != stream.IDX:
		return errTargetColumn
	case !changed:
		return nil
	}
	return selectNamed(r, columns, names != nil, len(s.all()) == 1)
}

// selectNamed selects columns. If the first line has their names it is the header, even if the columns
// that are left do not show that. Other files than the only one may have none.
func selectNamed(r *stream.Reader, columns stream.Selection, named, only bool) error {
	if named && only {
		columns.Header = stream.HeaderPresent
	}
	if err := r.Select(columns); err != nil || !named || r.HasHeader() {
		return err
	}
	columns.Header = stream.HeaderPresent
	return r.Select(columns)
}

// fits returns an error unless the data has what the model needs.
func fits(r *stream.Reader, model *learner, targets bool) error {
	if d := model.features().Inputs(); r.Dim() != d {
		return fmt.Errorf("the data has %s and the model %d: choose the columns by --inputs, and name that of the labels or targets by --target, so that it is no input", counted(r.Dim(), "input"), d)
	}
	if targets && r.Outputs() == 0 {
		return errNoTargets
	}
	return nil
}

// namedColumns returns the numbers of the columns with the wanted names.
func namedColumns(path string, wanted, names []string) ([]string, error) {
	var columns, missing []string
	for _, name := range wanted {
		i := slices.Index(names, name)
		if i < 0 {
			missing = append(missing, name)
			continue
		}
		if slices.Contains(names[i+1:], name) {
			return nil, &stream.Error{Path: path, What: fmt.Sprintf("has more than one column named %q: give its number from 1, by --inputs or --target", name)}
		}
		columns = append(columns, strconv.Itoa(i+1))
	}
	if missing != nil {
		return nil, fmt.Errorf("the data lacks the columns %s of the model, and has %s: name the columns by --inputs, or say --header absent if the first line is one of data",
			someQuoted(missing), someOf(names))
	}
	return columns, nil
}

// inModelOrder returns columns that were given by specs, all if there are none, and have the names chosen,
// in the order of the model's names. Those that have other names, or none, are left as they are.
func inModelOrder(specs, chosen, model []string) ([]string, error) {
	if slices.Equal(chosen, model) || !slices.Equal(slices.Sorted(slices.Values(chosen)), slices.Sorted(slices.Values(model))) {
		return specs, nil
	}
	if len(specs) != 0 && len(specs) != len(chosen) {
		return nil, usageError{fmt.Errorf("a range of columns has them in another order than the model: name them one by one, in its order: %s", someOf(model))}
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

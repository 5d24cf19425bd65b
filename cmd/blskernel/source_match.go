package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"blskernel/dataset/stream"
)

// openForX opens data whose columns are the inputs of the model, in their order.
func openForX(ctx context.Context, model *learner, s *sourceSettings, opt stream.Options) (*stream.Reader, error) {
	return openMatched(ctx, model, s, opt, false)
}

// openFor opens data that has the inputs of the model and its labels or targets.
func openFor(ctx context.Context, model *learner, s *sourceSettings, opt stream.Options) (*stream.Reader, error) {
	return openMatched(ctx, model, s, opt, true)
}

// openMatched opens data for a model. Where both have names of the columns, and none are given by
// flags, the inputs are the columns with the names of the model's, wherever they are; otherwise they
// are all columns but the targets, in their order.
func openMatched(ctx context.Context, model *learner, s *sourceSettings, opt stream.Options, targets bool) (*stream.Reader, error) {
	opt.Classes = model.Classifier != nil
	var err error
	if s.fromInput() {
		err = matchInput(model, &opt, targets)
	} else {
		err = matchFile(ctx, model, s, &opt, targets)
	}
	if err != nil {
		return nil, err
	}
	r, err := openSource(ctx, s.paths, opt)
	if err != nil {
		return nil, err
	}
	if d := model.features().Inputs(); r.Dim() != d {
		_ = r.Close()
		return nil, fmt.Errorf("the data has %s and the model %d: choose the columns by --inputs, and name that of the labels or targets by --target, so that it is no input", counted(r.Dim(), "input"), d)
	}
	if targets && r.Outputs() == 0 {
		_ = r.Close()
		return nil, errNoTargets
	}
	return r, nil
}

// errTargetColumn asks for the column of the targets.
var errTargetColumn = usageError{errors.New("--target is missing: the columns have no names by which that of the labels or targets could be found; --targets-file names a file that has them")}

// matchFile sets the columns of opt after a look at the names that the file has.
func matchFile(ctx context.Context, model *learner, s *sourceSettings, opt *stream.Options, targets bool) error {
	r, err := openSource(ctx, s.paths, stream.Options{Format: opt.Format, Comma: opt.Comma, Header: opt.Header, InputArray: opt.InputArray, Test: opt.Test})
	if err != nil {
		return err
	}
	names := r.Inputs()
	if err := r.Close(); err != nil {
		return err
	}
	if names != nil && len(s.paths) == 1 {
		opt.Header = stream.HeaderPresent // which the columns that are left may not show
	}
	meta := &model.Metadata
	byName := names != nil && meta.Inputs != nil && len(opt.Inputs) == 0
	if byName {
		if opt.Inputs, err = namedColumns(meta.Inputs, names); err != nil {
			return err
		}
	}
	if len(opt.Targets) > 0 || opt.TargetPath != "" {
		return nil
	}
	switch {
	case names != nil && meta.Targets != nil && (targets || !byName && holdsAll(names, meta.Targets)):
		opt.Targets, err = namedColumns(meta.Targets, names)
		return err
	case targets && s.guess() == stream.NPZ:
		opt.Targets = meta.Targets
	case targets && s.guess() != stream.IDX:
		return errTargetColumn
	}
	return nil
}

// matchInput sets the columns of opt for standard input, at which nobody can look before it is read: it
// is taken for a CSV file that has the names of the model, if it has any, unless the flags say
// something else.
func matchInput(model *learner, opt *stream.Options, targets bool) error {
	if opt.Format != stream.Auto && opt.Format != stream.CSV {
		return nil
	}
	meta := &model.Metadata
	named := opt.Header != stream.HeaderAbsent
	wantInputs := named && len(opt.Inputs) == 0
	wantTargets := targets && len(opt.Targets) == 0
	for _, name := range append(slices.Clone(meta.Inputs), meta.Targets...) {
		if (wantInputs || wantTargets) && named && !plainName.MatchString(name) {
			return usageError{fmt.Errorf("the column %q of the model cannot be found by its name on standard input: number the columns by --inputs and --target", name)}
		}
	}
	if wantInputs {
		opt.Inputs = meta.Inputs
	}
	if wantTargets {
		if !named || meta.Targets == nil {
			return errTargetColumn
		}
		opt.Targets = meta.Targets
	}
	return nil
}

// namedColumns returns the numbers of the columns with the wanted names.
func namedColumns(wanted, names []string) ([]string, error) {
	var columns, missing []string
	for _, name := range wanted {
		i := slices.Index(names, name)
		if i < 0 {
			missing = append(missing, strconv.Quote(name))
			continue
		}
		columns = append(columns, strconv.Itoa(i+1))
	}
	if missing != nil {
		return nil, fmt.Errorf("the data lacks the columns %s of the model, and has %s: name the columns by --inputs, or say --header absent if the first line is one of data",
			strings.Join(missing, ", "), strings.Join(names, ", "))
	}
	return columns, nil
}

// holdsAll tells whether all wanted names are there.
func holdsAll(names, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(names, name) })
}

// plainName matches the names of columns that stream does not read as positions or ranges.
var plainName = regexp.MustCompile(`^[^0-9:][^:]*$`)

package main

import (
	"context"
	"errors"
	"fmt"

	"blskernel/dataset/stream"
	"blskernel/internal/columns"
)

// errTargetColumn asks for the column of the targets.
var errTargetColumn = usageError{errors.New("--target is missing: the columns have no names by which that of the labels or targets could be found; --targets-file names a file that has them")}

// openMatched opens data for a model, with its labels or targets if they are wanted, and selects its columns as package
// columns has it. The data is opened once, so that it can come from a pipe.
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
	meta := &model.Metadata
	err := columns.Match(r, columns.Wanted{
		Inputs: meta.Inputs, Targets: meta.Targets,
		Learn: targets, Elsewhere: s.targetsFile != "", Single: len(s.all()) == 1,
	})
	var missing *columns.MissingError
	var twice *columns.TwiceError
	var ordered *columns.RangeError
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("the data lacks the columns %s of the model, and has %s: name the columns by --inputs, or say --header absent if the first line is one of data",
			someQuoted(missing.Missing), someOf(missing.Names))
	case errors.As(err, &twice):
		return &stream.Error{Path: s.paths[0], What: twice.Error() + ": give its number from 1, by --inputs or --target"}
	case errors.As(err, &ordered):
		return usageError{fmt.Errorf("a range of columns has them in another order than the model: name them one by one, in its order: %s", someOf(ordered.Want))}
	case errors.Is(err, columns.ErrNoTarget):
		return errTargetColumn
	}
	return err
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

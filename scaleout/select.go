package scaleout

import (
	"errors"
	"fmt"

	"blskernel/dataset/stream"
	"blskernel/internal/columns"
)

// match selects the columns of the model from a shard, as `blskernel update` does. Its error is a
// *stream.Error with the path of the shard.
func (fn *readFn) match(r *stream.Reader, shard Shard) error {
	meta := &fn.base.Metadata
	err := columns.Match(r, columns.Wanted{
		Inputs: meta.Inputs, Targets: meta.Targets,
		Learn: true, Elsewhere: shard.Targets != "", Single: shard.Targets == "",
	})
	fault := func(format string, args ...any) error {
		return &stream.Error{Path: shard.Path, What: fmt.Sprintf(format, args...)}
	}
	var missing *columns.MissingError
	var twice *columns.TwiceError
	var ordered *columns.RangeError
	switch {
	case errors.As(err, &missing):
		return fault("lacks the columns %s of the model, and has %s; choose the columns of the inputs, or set the header absent if the first line is data", someOf(missing.Missing), someOf(missing.Names))
	case errors.As(err, &twice):
		return fault("%v; give its number from 1", twice)
	case errors.As(err, &ordered):
		return fault("has the columns of a range in another order than the model; name them one by one, in its order: %s", someOf(ordered.Want))
	case errors.Is(err, columns.ErrNoTarget):
		return fault("%s", noTargets)
	case err != nil:
		return err
	}
	return fn.fits(r, shard)
}

// noTargets is the fault of data without anything to learn.
const noTargets = "has no labels or targets; name their columns, or their files"

// fits returns an error unless the data has as many inputs and targets as the model.
func (fn *readFn) fits(r *stream.Reader, shard Shard) error {
	fault := func(format string, args ...any) error {
		return &stream.Error{Path: shard.Path, What: fmt.Sprintf(format, args...)}
	}
	if d := fn.base.inputs(); r.Dim() != d {
		return fault("has %d inputs, and the model %d; choose the columns of the inputs, and name those of the labels or targets", r.Dim(), d)
	}
	want := 1
	if !fn.base.classifies() {
		want = fn.base.updater().Targets()
	}
	switch r.Outputs() {
	case want:
		return nil
	case 0:
		return fault("%s", noTargets)
	default:
		return fault("has %d columns of labels or targets, and the model %d; name them", r.Outputs(), want)
	}
}

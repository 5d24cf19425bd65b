package scaleout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"blskernel/dataset/stream"
	"blskernel/internal/columns"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// read passes the batches of a shard to use, and returns the number of samples in them. It leaves out
// the rows that bad accepts; the first other one ends the reading. A fault of the data is a
// *stream.Error.
func (fn *readFn) read(ctx context.Context, shard Shard, bad *faults, use func(Batch)) (rows int64, err error) {
	r, err := fn.open(ctx, shard, bad)
	if errors.Is(err, stream.ErrEmpty) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for before := int64(0); ; {
		b, err := r.Next(fn.Options.Batch)
		if errors.Is(err, io.EOF) {
			if bad == nil || bad.searched { // else the shard is read again
				fn.count(ctx, r.Tally())
			}
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		batch := Batch{X: b.X, Y: b.Y, Labels: b.Labels, Shard: shard.Path, First: b.First}
		places := make([]stream.Place, batch.rows())
		for i := range places {
			places[i] = b.Where(i)
		}
		if places, err = fn.removeUnknown(&batch, places, shard, bad); err != nil {
			return rows, err
		}
		known := int64(len(places))
		if err := fn.removeLarge(ctx, &batch, places, before, bad); err != nil {
			return rows, err
		}
		before += known
		if n := batch.rows(); n > 0 {
			rows += int64(n)
			use(batch)
		}
	}
}

// count counts what was left out, filled in or unknown in a shard.
func (fn *readFn) count(ctx context.Context, t stream.Tally) {
	droppedCounter.Inc(ctx, t.Dropped)
	names := fn.base.Metadata.Options().Inputs
	for i, n := range t.Unknown {
		filledCounter.Inc(ctx, t.Filled[i])
		if n == 0 {
			continue
		}
		name := strconv.Itoa(i + 1)
		if names != nil {
			name = names[i]
		}
		beam.NewCounter(MetricsNamespace, MetricUnknown+name).Inc(ctx, n)
	}
}

// removeUnknown removes the samples whose labels the model does not have, and returns the places of the
// others.
func (fn *readFn) removeUnknown(batch *Batch, places []stream.Place, shard Shard, bad *faults) ([]stream.Place, error) {
	if !fn.base.classifies() {
		return places, nil
	}
	return batch.filter(places, bad, func(i int) string {
		label := batch.Labels[i]
		_, known := fn.base.numbers[label]
		if known || !fn.Options.KnownLabels && fn.base.grows() && utf8.ValidString(label) {
			return ""
		}
		what := fn.base.unknown(label)
		if shard.Targets != "" {
			what = fmt.Sprintf("of %s: %s", shard.Targets, what)
		}
		return what
	})
}

// removeLarge removes the samples that overflow. before is the number of samples with known labels
// before the batch. If bad is nil, learning finds such a sample.
func (fn *readFn) removeLarge(ctx context.Context, batch *Batch, places []stream.Place, before int64, bad *faults) error {
	if bad == nil || batch.rows() == 0 {
		return nil
	}
	if !bad.searched {
		rows, err := fn.base.overflowing(ctx, batch)
		if err != nil {
			return err
		}
		for _, i := range rows {
			bad.large[before+int64(i)] = true
		}
	}
	_, err := batch.filter(places, bad, func(i int) string {
		if bad.large[before+int64(i)] {
			return tooLarge
		}
		return ""
	})
	return err
}

// filter removes the samples for which fault returns a text, if bad accepts them, and returns the
// places of the others.
func (b *Batch) filter(places []stream.Place, bad *faults, fault func(row int) string) ([]stream.Place, error) {
	var kept []int
	for i, place := range places {
		what := fault(i)
		if what == "" {
			kept = append(kept, i)
			continue
		}
		if err := bad.add(&stream.Error{Path: place.Path, Line: place.Line, Row: place.Row, What: what}); err != nil {
			return nil, err
		}
	}
	if len(kept) == len(places) {
		return places, nil
	}
	b.keep(kept)
	for to, from := range kept {
		places[to] = places[from]
	}
	return places[:len(kept)], nil
}

// open opens a shard with the columns that the model wants.
func (fn *readFn) open(ctx context.Context, shard Shard, bad *faults) (*stream.Reader, error) {
	if slices.Contains([]string{shard.Path, shard.Targets}, "-") {
		return nil, &stream.Error{Path: "-", What: "would be standard input, which no worker has; name a file"}
	}
	o, as := &fn.Options, fn.base.Metadata.Options()
	opt := stream.Options{
		Missing: as.Missing, Decimal: as.Decimal, Thousands: as.Thousands,
		Format: o.Format, Header: o.Header, Comma: o.Comma, Inputs: o.Inputs, Targets: o.Targets, Exclude: o.Exclude,
		TargetPath: shard.Targets, InputArray: o.InputArray, Classes: fn.base.classifies(),
	}
	if bad != nil {
		opt.Bad = bad.add
	}
	if !beamfile.Local(shard.Path) || !beamfile.Local(shard.Targets) {
		opt.Open = beamfile.Open
	}
	r, err := stream.Open(ctx, []string{shard.Path}, opt)
	if err != nil {
		return nil, err
	}
	if err := fn.match(r, shard); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// match selects the columns of the model, as `blskernel update` does, and checks their numbers. Its
// error is a *stream.Error with the path of the shard.
func (fn *readFn) match(r *stream.Reader, shard Shard) error {
	const noTargets = "has no labels or targets; name their columns, or their files"
	as, number := fn.base.Metadata.Options(), fn.base.inputs()
	if as.Columns != nil {
		number = len(as.Columns)
	}
	err := columns.Match(r, columns.Wanted{
		Inputs: as.Inputs, Targets: fn.base.Metadata.Targets,
		Number: number, Columns: as.Columns, Missing: as.Missing, Exclude: as.Exclude,
		Learn: true, Elsewhere: shard.Targets != "", Single: shard.Targets == "",
	})
	fault := func(format string, args ...any) error {
		return &stream.Error{Path: shard.Path, What: fmt.Sprintf(format, args...)}
	}
	var unfit columns.Error
	switch {
	case errors.As(err, &unfit):
		return fault("%v", unfit)
	case errors.Is(err, columns.ErrNoTarget):
		return fault(noTargets)
	case err != nil:
		return err
	}
	want := 1
	if !fn.base.classifies() {
		want = fn.base.updater().Targets()
	}
	switch r.Outputs() {
	case want:
		return nil
	case 0:
		return fault(noTargets)
	default:
		return fault("has %d columns of labels or targets, and the model %d; name them", r.Outputs(), want)
	}
}

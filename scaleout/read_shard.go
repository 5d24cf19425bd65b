package scaleout

import (
	"context"
	"errors"
	"fmt"
	"io"

	"blskernel/dataset/stream"
	"blskernel/scaleout/internal/beamfile"
)

// read passes the batches of a shard to use, and returns the number of samples in them. It leaves out
// bad rows and passes each to bad; without bad, or by its error, the first ends the reading. beyond
// finds samples that are too large to be learned. A fault of the data is a *stream.Error.
func (fn *readFn) read(ctx context.Context, shard Shard, beyond *large, bad func(*stream.Error) error, use func(Batch)) (rows int64, err error) {
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
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		batch := Batch{X: b.X, Y: b.Y, Labels: b.Labels, Shard: shard.Path, First: b.First}
		where, err := fn.known(&batch, shard, b, bad)
		if err != nil {
			return rows, err
		}
		known := int64(batch.rows())
		if err := beyond.leaveOut(ctx, fn.base, &batch, before, where, bad); err != nil {
			return rows, err
		}
		before += known
		if n := batch.rows(); n > 0 {
			rows += int64(n)
			use(batch)
		}
	}
}

// known leaves out the samples whose labels the model does not have, and returns the places of the
// others.
func (fn *readFn) known(batch *Batch, shard Shard, b *stream.Batch, bad func(*stream.Error) error) (where func(row int) stream.Place, err error) {
	if !fn.base.classifies() {
		return b.Where, nil
	}
	kept := make([]int, 0, len(batch.Labels))
	for i, label := range batch.Labels {
		if _, known := fn.base.numbers[label]; known {
			kept = append(kept, i)
			continue
		}
		place := b.Where(i)
		fault := &stream.Error{Path: place.Path, Line: place.Line, Row: place.Row, What: fn.base.unknown(label)}
		if shard.Targets != "" {
			fault.What = fmt.Sprintf("of %s: %s", shard.Targets, fault.What)
		}
		if bad == nil {
			return nil, fault
		}
		if err := bad(fault); err != nil {
			return nil, err
		}
	}
	if len(kept) == len(batch.Labels) {
		return b.Where, nil
	}
	batch.keep(kept)
	return func(row int) stream.Place { return b.Where(kept[row]) }, nil
}

// open opens a shard with the columns that the model wants.
func (fn *readFn) open(ctx context.Context, shard Shard, bad func(*stream.Error) error) (*stream.Reader, error) {
	for _, path := range []string{shard.Path, shard.Targets} {
		if path == "-" {
			return nil, &stream.Error{Path: path, What: "would be standard input, which no worker has; name a file"}
		}
	}
	o := &fn.Options
	opt := stream.Options{
		Format: o.Format, Header: o.Header, Comma: o.Comma, Inputs: o.Inputs, Targets: o.Targets,
		TargetPath: shard.Targets, InputArray: o.InputArray, Classes: fn.base.classifies(), Bad: bad,
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

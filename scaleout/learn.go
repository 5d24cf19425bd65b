package scaleout

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/bls/model"
	"blskernel/dataset/stream"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn4x1[context.Context, Shard, func(int64, *State), func(string), error](&learnFn{})
	register.Emitter2[int64, *State]()
	register.Emitter1[string]()
}

// A learnFn turns the samples of a bundle of shards into one state, with a line for each bad row set
// aside. The key of the state is a hash of the first path with samples, so a repeated bundle has the
// same key. Bundles have no side effects: StartBundle discards what a failed bundle left behind.
type learnFn struct {
	withModel
	Options Options

	state *State // of the bundle
	key   int64
}

// StartBundle begins a bundle with an empty state.
func (fn *learnFn) StartBundle(context.Context, func(int64, *State), func(string)) {
	fn.state, fn.key = &State{classes: fn.base.Labels()}, 0
}

// FinishBundle emits the state if there were samples.
func (fn *learnFn) FinishBundle(_ context.Context, emit func(int64, *State), _ func(string)) {
	if fn.state.updater != nil {
		emit(fn.key, fn.state)
	}
	fn.state = nil
}

// keyOf returns a 63-bit hash of the path of the shard, the key of a state. Keys spread the states over
// the lowest level of the merge tree.
func keyOf(shard Shard) int64 {
	sum := sha256.Sum256([]byte(shard.Path))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 1)
}

// ProcessElement learns the samples of a shard, and calls bad with a line for each bad row set aside.
func (fn *learnFn) ProcessElement(ctx context.Context, shard Shard, _ func(int64, *State), bad func(string)) error {
	if fn.state.updater == nil {
		fn.key = keyOf(shard)
	}
	count := int64(0)
	err := fn.read(ctx, shard, func(fault error) error {
		line := strings.TrimPrefix(fault.Error(), "stream: ") // it begins with the file
		switch limit := fn.Options.SkipBad; {
		case limit == 0:
			return fault
		case count == limit:
			return fmt.Errorf("there are more bad rows than the %d that may be set aside (the last is %s): correct the data, or raise the limit", limit, line)
		}
		count++
		badCounter.Inc(ctx, 1)
		bad(line)
		return nil
	})
	if err != nil {
		return fmt.Errorf("scaleout: %w", err)
	}
	return nil
}

// read learns the samples of a shard. It calls aside with the fault of each bad row, and skips the row
// unless aside returns an error.
func (fn *learnFn) read(ctx context.Context, shard Shard, aside func(error) error) (err error) {
	r, err := fn.open(ctx, shard, func(fault *stream.Error) error { return aside(fault.With(flagOf)) })
	if errors.Is(err, stream.ErrEmpty) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		b, err := r.Next(fn.Options.Batch)
		if errors.Is(err, io.EOF) {
			fn.count(ctx, r.Tally())
			return nil
		}
		if err == nil {
			err = fn.learn(ctx, b, shard, aside)
		}
		if err != nil {
			return err
		}
	}
}

// learn learns the samples of a batch, except the rows that aside accepts as bad: rows with a label
// that the model lacks and must not add, rows whose nodes overflow, and rows with a target that is not
// positive if the model learns logarithms.
func (fn *learnFn) learn(ctx context.Context, b *stream.Batch, shard Shard, aside func(error) error) (err error) {
	known, _ := b.Split(func(i int) bool {
		what := fn.unknown(b, i, shard)
		if what != "" && err == nil {
			err = aside(&model.Error{Place: b.Where(i).String(), What: what})
		}
		return what != ""
	})
	if err != nil {
		return err
	}
	learned, err := model.SkipBad(known, func(b *stream.Batch) error {
		a, y, classes, err := fn.base.expand(ctx, b, fn.state.classes)
		if err == nil {
			err = fn.state.learn(fn.Options.Method, a, y, classes)
		}
		if fault := (*model.Error)(nil); err == nil || errors.As(err, &fault) {
			return err
		}
		return fmt.Errorf("%s: %w", shard.Path, err)
	}, func(fault *model.Error) error { return aside(fault) })
	if err == nil && learned != nil {
		rowsCounter.Inc(ctx, int64(learned.X.RawMatrix().Rows))
	}
	return err
}

// unknown returns a message about the label of row i, or "" if the model has the label or may add it.
func (fn *learnFn) unknown(b *stream.Batch, i int, shard Shard) string {
	if !fn.base.classifies() {
		return ""
	}
	label := b.Labels[i]
	_, known := fn.base.Class(label)
	if known || !fn.Options.KnownLabels && utf8.ValidString(label) {
		return ""
	}
	what := fn.base.unknown(label)
	if shard.Targets != "" {
		what = fmt.Sprintf("target in %s: %s", shard.Targets, what)
	}
	return what
}

// count adds the left-out samples, filled-in cells and unknown words of a shard to the counters.
func (fn *learnFn) count(ctx context.Context, t stream.Tally) {
	droppedCounter.Inc(ctx, t.Dropped)
	_, names := fn.base.Columns()
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

func (fn *learnFn) open(ctx context.Context, shard Shard, aside func(*stream.Error) error) (*stream.Reader, error) {
	if slices.Contains([]string{shard.Path, shard.Targets}, "-") {
		return nil, &stream.Error{Path: "-", What: "is standard input, which workers cannot read; name a file"}
	}
	o, as := &fn.Options, fn.base.Metadata.Options()
	opt := stream.Options{
		Missing: as.Missing, Decimal: as.Decimal, Thousands: as.Thousands, NA: as.NA, TargetNotations: as.TargetNotations, Labels: as.Labels, Fixed: as.Fixed,
		Format: o.Format, Header: o.Header, Comma: o.Comma, Inputs: o.Inputs, Targets: o.Targets, Exclude: o.Exclude,
		TargetPath: shard.Targets, InputArray: o.InputArray, Classes: fn.base.classifies(), Bad: aside,
	}
	if !beamfile.Local(shard.Path) || !beamfile.Local(shard.Targets) {
		opt.Open = beamfile.Open
	}
	r, err := stream.Open(ctx, []string{shard.Path}, opt)
	if fault, ok := err.(*stream.Error); ok {
		return nil, fault.With(flagOf)
	}
	if err != nil {
		return nil, err
	}
	if err := fn.match(r, shard); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// flagOf returns the flag of blskernel-beam for a remedy of package stream. The worker puts it into the
// error, since Beam passes only the text on. The notation of numbers is set in the base model, so its
// flags are those of 'blskernel train'.
func flagOf(r stream.Remedy) string {
	flag := strings.TrimSpace("--" + strings.ToLower(r.Option.String()) + " " + r.Value)
	switch r.Option {
	case stream.OptionTargets:
		return "--target"
	case stream.OptionInputArray:
		return "--array"
	case stream.OptionDecimal, stream.OptionThousands:
		return "'blskernel train " + flag + "'"
	}
	return flag
}

// match selects the columns of the model, as `blskernel update` does, and checks the number of targets.
// If the columns do not fit, the error is a *stream.Error that names the file.
func (fn *learnFn) match(r *stream.Reader, shard Shard) error {
	const noTargets = "has no labels or targets; name their columns, or their files"
	err := fn.base.Match(r, model.Data{
		Missing: fn.base.Metadata.Options().Missing, Learn: true, Elsewhere: shard.Targets != "", Single: shard.Targets == "",
	})
	fault := func(format string, args ...any) error {
		return &stream.Error{Path: shard.Path, What: fmt.Sprintf(format, args...)}
	}
	unfit, ok := err.(*stream.Error)
	switch {
	case ok && unfit.Path == "": // a fault of the columns, without a path
		unfit.Path = shard.Path
		return unfit.With(flagOf)
	case errors.Is(err, model.ErrNoTargets):
		return fault(noTargets)
	case err != nil:
		return err
	}
	want := 1
	if !fn.base.classifies() {
		want = fn.base.Updater().Targets()
	}
	switch r.Outputs() {
	case want:
		return nil
	case 0:
		return fault(noTargets)
	default:
		return fault("has the wrong number of label or target columns (%d, but the model has %d); name the ones to use", r.Outputs(), want)
	}
}

package scaleout

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"blskernel/blsupdate"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, Batch, func(int64, *State), error](&statesFn{})
	register.Emitter2[int64, *State]()
}

// States learns batches, PCollection<Batch>: the samples of each bundle become one state, by the method
// Gram or QR with the feature maps of opt.Model. The result is a PCollection<KV<int64, *State>> for
// Merge, whose key is a hash of the first batch of the bundle, so that a bundle that is run again has
// the same one.
//
//	memory: of a worker, for each bundle at work, the state, 4k² bytes by Gram and 8k² by QR, and
//	the nodes of a batch, 8k bytes a row; and the model once for all of them.
//	panics: in Beam's manner where the pipeline cannot be built, as TryFitGram returns errors.
//	errors, of the pipeline: a batch that does not fit the model, a label that is none of its
//	classes, a NaN or an infinity, a sample beyond what the nodes can have. They name the shard and
//	the sample.
func States(s beam.Scope, method blsupdate.Method, batches beam.PCollection, opt Options) beam.PCollection {
	f, err := newFit(method, opt)
	if err != nil {
		panic(err)
	}
	return beam.Must(f.states(s.Scope("scaleout.States"), batches))
}

func (f *fit) states(s beam.Scope, batches beam.PCollection) (beam.PCollection, error) {
	if err := checkBounded("batches", batches); err != nil {
		return beam.PCollection{}, err
	}
	out, err := beam.TryParDo(s, &statesFn{Model: f.model, Method: int(f.method), base: f.base}, batches)
	if err != nil {
		return beam.PCollection{}, err
	}
	return out[0], nil
}

// A statesFn makes one state of the samples of a bundle. Its output is all that it does: what it has of
// a bundle that fails on the way is dropped by the next StartBundle.
type statesFn struct {
	Model  modelRef
	Method int

	base  *base  // until Setup that of the program that builds the pipeline, so that the model stays loaded
	state *State // of the bundle at work
	key   int64  // of its first batch
}

// Setup loads the model.
func (fn *statesFn) Setup(ctx context.Context) (err error) {
	fn.base, err = fn.Model.load(ctx)
	return err
}

// StartBundle begins with nothing.
func (fn *statesFn) StartBundle(_ context.Context, _ func(int64, *State)) {
	fn.state, fn.key = &State{}, 0
}

// ProcessElement learns a batch.
func (fn *statesFn) ProcessElement(ctx context.Context, batch Batch, _ func(int64, *State)) error {
	begun := time.Now()
	a, y, err := fn.base.expand(ctx, &batch)
	if err != nil {
		return err
	}
	if fn.state.updater == nil {
		fn.key = keyOf(&batch)
	}
	// Without the context: a panel of rows is then added in place, and a bundle that is stopped has
	// no output anyway.
	if err := fn.state.learn(blsupdate.Method(fn.Method), a, y); err != nil {
		return fmt.Errorf("scaleout: %s: %w", fn.base.blamed(ctx, &batch, err), err)
	}
	countKernel(ctx, begun)
	rowsCounter.Inc(ctx, int64(batch.rows()))
	return nil
}

// FinishBundle hands out the state, unless there were no samples.
func (fn *statesFn) FinishBundle(_ context.Context, emit func(int64, *State)) {
	if fn.state.updater != nil {
		emit(fn.key, fn.state)
	}
	fn.state = nil
}

// keyOf returns a key of 63 bits, not negative, by which states are spread over the lowest level of a
// tree.
func keyOf(b *Batch) int64 {
	h := fnv.New64a()
	_, _ = h.Write(fmt.Appendf(nil, "%s\x00%d", b.Shard, b.First))
	return int64(mixed(h.Sum64()) >> 1)
}

// mixed spreads what distinguishes two hashes over all bits (the finalizer of SplitMix64): of similar
// texts that FNV leaves in the upper ones, and a key is taken modulo small numbers.
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

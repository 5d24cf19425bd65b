package scaleout

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"blskernel/blsupdate"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, Batch, func(int64, *State), error](&statesFn{})
	register.Emitter2[int64, *State]()
}

// States learns batches, a PCollection<Batch>: it turns the samples of each bundle into one state, by
// the method Gram or QR with the feature maps of opt.Model. The result is a PCollection<KV<int64,
// *State>> for Merge. The key is a hash of the first batch of the bundle, so a repeated bundle has the
// same one.
//
//	memory: of a worker, for each running bundle, the state, 4k² bytes by Gram and 8k² by QR, and
//	the nodes of a batch, 8k bytes a row; the model once for all of them.
//	panics: if the pipeline cannot be built, as FitGram.
//	errors, of the pipeline: a batch that does not fit the model, more than 4096 classes, a NaN or
//	an infinity, a sample whose nodes overflow. They name the shard and the sample. A label that is
//	none of the model's is a new class, but for a model file of version 1.
func States(s beam.Scope, method blsupdate.Method, batches beam.PCollection, opt Options) beam.PCollection {
	if method != blsupdate.Gram && method != blsupdate.QR {
		panic("scaleout: the method is neither Gram nor QR")
	}
	opt = opt.resolve()
	checkWhole("batches", batches)
	fn := &statesFn{withModel: useModel(opt.Model), Method: int(method)}
	return beam.ParDo(s.Scope("scaleout.States"), fn, batches)
}

// A statesFn turns the samples of a bundle into one state. Its output is its only effect: StartBundle
// drops what is left of a bundle that failed.
type statesFn struct {
	withModel
	Method int

	state *State // of the bundle
	key   int64  // of its first batch
}

// StartBundle begins with nothing.
func (fn *statesFn) StartBundle(_ context.Context, _ func(int64, *State)) {
	fn.state, fn.key = &State{}, 0
}

// ProcessElement learns a batch.
func (fn *statesFn) ProcessElement(ctx context.Context, batch Batch, _ func(int64, *State)) error {
	begun := time.Now()
	a, y, others, err := fn.base.expand(ctx, &batch)
	if err != nil {
		return err
	}
	if fn.state.updater == nil {
		fn.key = keyOf(&batch)
	}
	if err := fn.state.learn(blsupdate.Method(fn.Method), a, y, others); err != nil {
		return fmt.Errorf("scaleout: %s: %w", fn.base.blamed(ctx, &batch, err), err)
	}
	countKernel(ctx, begun)
	rowsCounter.Inc(ctx, int64(batch.rows()))
	return nil
}

// FinishBundle emits the state if there were samples.
func (fn *statesFn) FinishBundle(_ context.Context, emit func(int64, *State)) {
	if fn.state.updater != nil {
		emit(fn.key, fn.state)
	}
	fn.state = nil
}

// keyOf returns a key of 63 bits, not negative, which spreads states over the lowest level of a tree.
func keyOf(b *Batch) int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", b.Shard, b.First))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 1)
}

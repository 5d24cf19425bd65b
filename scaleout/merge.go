package scaleout

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x3[context.Context, int64, *State, int64, *State, error](&levelFn{})
	beam.RegisterType(reflect.TypeFor[mergeFn]()) // register has no combiners with a context
}

// Merge adds states, the PCollection<KV<int64, *State>> of States, along a tree: on each level a
// CombineFn adds those whose keys are equal modulo a power of opt.FanIn, so that no worker receives all
// of them. The result is a PCollection<*State> of one element, or of none without states. The order of
// the sum, and so its last bits, may differ between two runs.
//
//	cost: for n states n-1 mergers, each of k²/2 additions by Gram and 2k³/3 flops by QR.
//	panics: if the pipeline cannot be built.
func Merge(s beam.Scope, states beam.PCollection, opt Options) beam.PCollection {
	opt = opt.resolve()
	checkWhole("states", states)
	s = s.Scope("scaleout.Merge")
	for _, keys := range levels(opt.FanIn, opt.States) {
		s := s.Scope(fmt.Sprintf("level of %d keys", keys))
		states = beam.CombinePerKey(s, &mergeFn{}, beam.ParDo(s, &levelFn{Keys: keys}, states))
	}
	return beam.DropKey(s, states)
}

// levels returns the numbers of keys on the levels of a tree, from the lowest, at least states/fanIn,
// to the root, 1. They are powers of fanIn.
func levels(fanIn, states int) []int64 {
	keys := []int64{1}
	for keys[0] < (int64(states)-1)/int64(fanIn)+1 {
		keys = append([]int64{keys[0] * int64(fanIn)}, keys...)
	}
	return keys
}

// A levelFn gives each state its key on a level. The number of keys of a level is a multiple of that of
// the next, so that merged states stay together.
type levelFn struct {
	Keys int64
}

// ProcessElement returns the key modulo Keys with the state.
func (fn *levelFn) ProcessElement(ctx context.Context, key int64, state *State) (int64, *State, error) {
	size, err := encodedSize(state)
	if err != nil {
		return 0, nil, fmt.Errorf("scaleout: encoding a state: %w", err)
	}
	stateBytesCounter.Inc(ctx, size)
	return key % fn.Keys, state, nil
}

// A mergeFn is the CombineFn that adds states. As Beam requires, AddInput and MergeAccumulators change
// only their first argument, an accumulator.
type mergeFn struct{}

// CreateAccumulator returns an empty state.
func (*mergeFn) CreateAccumulator() *State { return &State{} }

// AddInput adds a state to an accumulator.
func (fn *mergeFn) AddInput(ctx context.Context, sum, state *State) (*State, error) {
	return fn.MergeAccumulators(ctx, sum, state)
}

// MergeAccumulators adds the accumulator other to sum.
func (*mergeFn) MergeAccumulators(ctx context.Context, sum, other *State) (*State, error) {
	begun := time.Now()
	if err := sum.add(other); err != nil {
		return nil, fmt.Errorf("scaleout: merging two states: %w", err)
	}
	countKernel(ctx, begun)
	return sum, nil
}

package scaleout

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x2[int64, *State, int64, *State](&levelFn{})
	register.Combiner1[*State](&mergeFn{})
}

// fanIn is the mean number of states that merge adds into one on each level of its tree.
const fanIn = 8

// merge sums a PCollection<KV<int64, *State>> of about number states along a tree. On each level a
// CombineFn adds the states whose keys are equal modulo a power of fanIn, so that no worker receives
// all states. The result is a PCollection<*State> of one element, or an empty one if there are no
// states. The order of the sum, and so its last bits, may differ between two runs.
func merge(s beam.Scope, states beam.PCollection, number int) beam.PCollection {
	for _, keys := range levels(number) {
		s := s.Scope(fmt.Sprintf("level of %d keys", keys))
		states = beam.CombinePerKey(s, &mergeFn{}, beam.ParDo(s, &levelFn{Keys: keys}, states))
	}
	return beam.DropKey(s, states)
}

// levels returns the number of keys on each level of a tree for the given number of states: powers of
// fanIn, from at least states/fanIn on the lowest level to 1 at the root.
func levels(states int) []int64 {
	keys := []int64{1}
	for keys[0] < (int64(states)-1)/fanIn+1 {
		keys = append([]int64{keys[0] * fanIn}, keys...)
	}
	return keys
}

// A levelFn gives each state its key on a level. The number of keys of a level is a multiple of the
// number on the next level, so that merged states stay together.
type levelFn struct {
	Keys int64
}

// ProcessElement returns the key modulo Keys, and the state.
func (fn *levelFn) ProcessElement(key int64, state *State) (int64, *State) {
	return key % fn.Keys, state
}

// A mergeFn is the CombineFn that adds states. As Beam requires, AddInput and MergeAccumulators change
// only their first argument, an accumulator.
type mergeFn struct{}

// CreateAccumulator returns an empty state.
func (*mergeFn) CreateAccumulator() *State { return &State{} }

// AddInput adds a state to an accumulator.
func (fn *mergeFn) AddInput(sum, state *State) (*State, error) {
	return fn.MergeAccumulators(sum, state)
}

// MergeAccumulators adds the accumulator other to sum.
func (*mergeFn) MergeAccumulators(sum, other *State) (*State, error) {
	if err := sum.add(other); err != nil {
		return nil, fmt.Errorf("scaleout: merging two states: %w", err)
	}
	return sum, nil
}

package scaleout

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
)

// partState returns the state of one of count parts of the digits.
func partState(t testing.TB, method blsupdate.Method, part, count int) *State {
	t.Helper()
	all := digits()
	from, to := part*all.Len()/count, (part+1)*all.Len()/count
	a, y, err := sample().Expand(all.Dense(from, to), all.LabelsInt(from, to))
	testutil.NoError(t, err)
	s := &State{}
	testutil.NoError(t, s.learn(method, a, y, nil))
	return s
}

func init() { register.Function1x3(keyed) }

// keyed returns a state of two samples with its key.
func keyed(part int) (int64, *State, error) {
	s, a := &State{}, mat.NewDense(2, 2, []float64{1, float64(part), 0, 1})
	return keyOf(Shard{Path: fmt.Sprint(part)}), s, s.learn(blsupdate.Gram, a, a, nil)
}

// TestMerge merges 40 states along trees of several heights: one sum remains.
func TestMerge(t *testing.T) {
	var parts []int
	for i := range 40 {
		parts = append(parts, i)
	}
	for _, number := range []int{1, 40, 4096} {
		_, err := run(func(s beam.Scope) {
			states := beam.ParDo(s, keyed, beam.CreateList(s, parts))
			passert.Count(s, merge(s, states, number), "sums", 1)
		})
		testutil.NoError(t, err)
	}
	state := &State{}
	if key, s := (&levelFn{Keys: 8}).ProcessElement(13, state); key != 5 || s != state {
		t.Errorf("with 8 keys, key 13 becomes %d", key)
	}
}

func TestLevels(t *testing.T) {
	for states, want := range map[int][]int64{
		1: {1}, 8: {1}, 9: {8, 1}, 64: {8, 1}, 65: {64, 8, 1}, 6400: {4096, 512, 64, 8, 1},
	} {
		if got := levels(states); !slices.Equal(got, want) {
			t.Errorf("the levels for %d states are %v, want %v", states, got, want)
		}
	}
}

// TestKeys checks that the keys of bundles spread over a level's keys, and that a bundle keeps its key.
func TestKeys(t *testing.T) {
	seen := make([]int, 8)
	for i := range 800 {
		shard := Shard{Path: fmt.Sprintf("gs://bucket/x-%05d-of-00800.npy", i)}
		key := keyOf(shard)
		if key < 0 || key != keyOf(shard) {
			t.Fatalf("the key of %s is %d, and %d the next time", shard.Path, key, keyOf(shard))
		}
		seen[key%8]++
	}
	if slices.Min(seen) < 60 || slices.Max(seen) > 140 { // 100 on average, with a standard deviation of 9.4
		t.Errorf("the numbers of shards by key are %v", seen)
	}
}

// TestMergeFn checks that only the first argument changes, even when it changes later. The first
// argument does not change if the other state has another method.
func TestMergeFn(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		inputs := make([]*State, 4)
		before := make([][]byte, len(inputs))
		for i := range inputs {
			inputs[i] = partState(t, method, i, shardCount)
			before[i] = encoded(t, inputs[i])
		}
		fn := &mergeFn{}
		sum := fn.CreateAccumulator()
		add := func(sum, input *State) *State {
			sum, err := fn.AddInput(sum, input)
			testutil.NoError(t, err)
			return sum
		}
		second := add(fn.CreateAccumulator(), inputs[2])
		was := encoded(t, second)
		for _, other := range []*State{inputs[0], inputs[1], second, fn.CreateAccumulator()} {
			var err error
			sum, err = fn.MergeAccumulators(sum, other)
			testutil.NoError(t, err)
		}
		second = add(second, inputs[3]) // which borrowed inputs[2] until now
		if n, m := sum.updater.Samples(), second.updater.Samples(); n != 3*shardRows || m != 2*shardRows || bytes.Equal(was, encoded(t, second)) {
			t.Errorf("%v: the sum has %d samples, the other accumulator %d", method, n, m)
		}
		for i, s := range inputs {
			if !bytes.Equal(before[i], encoded(t, s)) {
				t.Errorf("%v: input %d has changed", method, i)
			}
		}
		other := partState(t, blsupdate.Gram+blsupdate.QR-method, 0, shardCount)
		if _, err := fn.AddInput(inputs[0], other); err == nil || !bytes.Equal(before[0], encoded(t, inputs[0])) {
			t.Errorf("%v: states of two methods merge, or the accumulator has changed (%v)", method, err)
		}
	}
}

func encoded(t testing.TB, s *State) []byte {
	t.Helper()
	b, err := encodeState(s)
	testutil.NoError(t, err)
	return bytes.Clone(b)
}

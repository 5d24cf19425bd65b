package scaleout

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
)

func init() {
	register.DoFn1x3[int, int64, *State, error](&partFn{})
	beam.RegisterType(reflect.TypeFor[partFn]())
}

// A partFn makes the state of one of Count parts of the digits.
type partFn struct {
	Method, Count int
}

func (fn *partFn) ProcessElement(part int) (int64, *State, error) {
	s, err := partState(blsupdate.Method(fn.Method), digits(), part, fn.Count)
	return keyOf(Shard{Path: fmt.Sprintf("part %d", part)}), s, err
}

// partState returns the state of one of count parts of images.
func partState(method blsupdate.Method, all *dataset.Images, part, count int) (*State, error) {
	from, to := part*all.Len()/count, (part+1)*all.Len()/count
	s := &State{}
	a, y, err := sample().Expand(all.Dense(from, to), all.LabelsInt(from, to))
	if err != nil {
		return nil, err
	}
	return s, s.learn(method, a, y, nil)
}

// parts returns the numbers from 0 to count-1 in an order that depends on a seed.
func parts(count, seed int) []int {
	list := make([]int, count)
	for i := range list {
		list[i] = (i*7 + seed) % count // 7 and the counts of the tests have no common factor
	}
	return list
}

// TestMerge merges 60 states and 1 along trees of several shapes. The ridge is so large that a second
// addition of it would show.
func TestMerge(t *testing.T) {
	const lambda = 20
	model := sampleFile(t, modelfile.Metadata{})
	a, _ := expanded(t, sample(), digits())
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		want := weights(t, single(t, method, sample(), digits(), lambda))
		twice := weights(t, single(t, method, sample(), digits(), 2*lambda))
		limit := bound(method, digits().Len(), condition(t, a, lambda))
		if d := difference(twice, want); !(d > 1e6*limit) {
			t.Fatalf("lambda twice makes a difference of %.3g only", d)
		}
		for _, tree := range []struct{ count, states int }{{60, 1}, {60, 60}, {60, 4096}, {1, 60}, {1, 1}} {
			t.Run(fmt.Sprintf("%v/%+v", method, tree), func(t *testing.T) {
				opt := Options{Out: t.TempDir() + "/merged.bls", Lambda: lambda, Created: created}
				mustRun(t, func(s beam.Scope) {
					states := beam.ParDo(s, &partFn{int(method), tree.count}, beam.CreateList(s, parts(tree.count, tree.states)))
					sum := merge(s, states, tree.states)
					passert.Count(s, sum, "sums", 1)
					bad := beam.CreateList(s, []string{})
					beam.ParDo0(s, &solveFn{useModel(model), opt}, beam.Impulse(s), beam.SideInput{Input: sum}, beam.SideInput{Input: bad})
				})
				f, err := modelfile.Load(opt.Out, nil)
				testutil.NoError(t, err)
				if d := difference(weights(t, f.Classifier), want); !(d <= limit) {
					t.Errorf("the weights differ by %.3g, and may by %.3g", d, limit)
				}
				if n := f.Classifier.Updater().Samples(); n != digits().Len() {
					t.Errorf("%d samples of %d", n, digits().Len())
				}
				if l := f.Classifier.Updater().Lambda(); l != lambda {
					t.Errorf("lambda is %v", l)
				}
			})
		}
	}
}

func TestLevels(t *testing.T) {
	for states, want := range map[int][]int64{
		1: {1}, 8: {1}, 9: {8, 1}, 64: {8, 1}, 65: {64, 8, 1}, 6400: {4096, 512, 64, 8, 1},
	} {
		if got := levels(states); !slices.Equal(got, want) {
			t.Errorf("the levels for %d states are %v, not %v", states, got, want)
		}
	}
}

// TestKeys checks that keys of bundles spread over those of a level, and that a bundle keeps its key.
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
		t.Errorf("800 shards have the keys %v", seen)
	}
}

// TestMergeFn checks that only the first argument changes, also when it changes later.
func TestMergeFn(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		inputs := make([]*State, 4)
		before := make([][]byte, len(inputs))
		for i := range inputs {
			var err error
			if inputs[i], err = partState(method, digits(), i, 60); err != nil {
				t.Fatal(err)
			}
			before[i] = encoded(t, inputs[i])
		}
		fn := &mergeFn{}
		add := func(add func(sum, other *State) (*State, error), sum, other *State) *State {
			sum, err := add(sum, other)
			testutil.NoError(t, err)
			return sum
		}
		input := func(sum, other *State) (*State, error) { return fn.AddInput(sum, other) }
		merge := func(sum, other *State) (*State, error) { return fn.MergeAccumulators(sum, other) }
		first := add(input, add(input, fn.CreateAccumulator(), inputs[0]), inputs[1])
		second := add(input, fn.CreateAccumulator(), inputs[2])
		was := encoded(t, second)
		sum := add(merge, add(merge, first, second), fn.CreateAccumulator())
		second = add(input, second, inputs[3]) // which borrowed inputs[2] until now
		if n := sum.updater.Samples(); n != 3*shardRows {
			t.Errorf("%v: the sum has %d samples", method, n)
		}
		if n := second.updater.Samples(); n != 2*shardRows {
			t.Errorf("%v: the other accumulator has %d samples", method, n)
		}
		if bytes.Equal(was, encoded(t, second)) {
			t.Errorf("%v: AddInput has added nothing", method)
		}
		for i, s := range inputs {
			if !bytes.Equal(before[i], encoded(t, s)) {
				t.Errorf("%v: input %d has changed", method, i)
			}
		}
	}
}

func TestMergeFnErrors(t *testing.T) {
	gram, err := partState(blsupdate.Gram, digits(), 0, 60)
	testutil.NoError(t, err)
	qr, err := partState(blsupdate.QR, digits(), 0, 60)
	testutil.NoError(t, err)
	before := encoded(t, gram)
	if _, err := (&mergeFn{}).AddInput(gram, qr); err == nil {
		t.Error("states of two methods merge")
	}
	if !bytes.Equal(before, encoded(t, gram)) {
		t.Error("the accumulator has changed")
	}
}

func encoded(t testing.TB, s *State) []byte {
	t.Helper()
	b, err := encodeState(s)
	testutil.NoError(t, err)
	return bytes.Clone(b)
}

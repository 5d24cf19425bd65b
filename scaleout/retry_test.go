package scaleout

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The tests of this file call the steps like a runner that repeats a bundle.

// batchesOf returns the digits of a part as batches of a shard.
func batchesOf(shard string, from, to, rows int) []Batch {
	var out []Batch
	for first := from; first < to; first += rows {
		end := min(first+rows, to)
		b := Batch{X: digits().Dense(first, end), Shard: shard, First: int64(first - from)}
		for _, label := range digits().Labels[first:end] {
			b.Labels = append(b.Labels, string('0'+rune(label)))
		}
		out = append(out, b)
	}
	return out
}

// A keyedState is an output of States.
type keyedState struct {
	key   int64
	state []byte
}

// newStatesFn returns a step that is set up.
func newStatesFn(t testing.TB, method blsupdate.Method) *statesFn {
	t.Helper()
	return &statesFn{withModel: useModel(sampleFile(t, modelfile.Metadata{})), Method: int(method)}
}

// bundle runs a bundle and returns its outputs.
func bundle(t testing.TB, fn *statesFn, batches []Batch) []keyedState {
	t.Helper()
	var out []keyedState
	emit := func(key int64, s *State) { out = append(out, keyedState{key, encoded(t, s)}) }
	fn.StartBundle(background, emit)
	for _, b := range batches {
		testutil.NoError(t, fn.ProcessElement(background, b, emit))
	}
	fn.FinishBundle(background, emit)
	return out
}

// TestStatesRetried repeats bundles that stopped, with an error and without one, on the same instance.
// Their outputs are those of a fresh instance to the bit.
func TestStatesRetried(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		batches := append(batchesOf("first", 0, 50, 20), batchesOf("second", 50, 90, 20)...)
		want := bundle(t, newStatesFn(t, method), batches)
		if len(want) != 1 || want[0].key != keyOf(&batches[0]) {
			t.Fatalf("%v: %d outputs of one bundle", method, len(want))
		}
		fn := newStatesFn(t, method)
		none := func(int64, *State) { t.Errorf("%v: an output of a bundle that is not finished", method) }
		for stop := range len(batches) {
			fn.StartBundle(background, none)
			for _, b := range batches[:stop] {
				testutil.NoError(t, fn.ProcessElement(background, b, none))
			}
			bad := batchesOf("bad", 0, 20, 20)[0]
			bad.Labels[3] = "\xff"
			if err := fn.ProcessElement(background, bad, none); err == nil {
				t.Fatal("a label that is none of the model's is learned")
			}
			got := bundle(t, fn, batches)
			if len(got) != 1 || got[0].key != want[0].key || !bytes.Equal(got[0].state, want[0].state) {
				t.Errorf("%v: a bundle that was stopped after %d batches and run again has another output", method, stop)
			}
		}
		if got := bundle(t, fn, nil); len(got) != 0 {
			t.Errorf("%v: a bundle without batches has %d outputs", method, len(got))
		}
		s, err := decodeState(want[0].state)
		testutil.NoError(t, err)
		if s.Samples() != 90 {
			t.Errorf("%v: %d samples of 90", method, s.Samples())
		}
	}
}

// TestStatesKeptFromBundles checks that a bundle does not change the output of the one before.
func TestStatesKeptFromBundles(t *testing.T) {
	fn := newStatesFn(t, blsupdate.Gram)
	var first *State
	emit := func(_ int64, s *State) {
		if first == nil {
			first = s
		}
	}
	var before []byte
	for range 2 {
		fn.StartBundle(background, emit)
		for _, b := range batchesOf("shard", 0, 40, 20) {
			testutil.NoError(t, fn.ProcessElement(background, b, emit))
		}
		fn.FinishBundle(background, emit)
		if before == nil {
			before = encoded(t, first)
		}
	}
	if !bytes.Equal(before, encoded(t, first)) {
		t.Error("the state of a bundle has changed after it was handed out")
	}
}

// outputs are those of Read for one shard.
type outputs struct {
	batches [][]byte
	bad     []string
}

// readShard runs Read for one shard.
func readShard(t testing.TB, fn *readFn, shard Shard) (outputs, error) {
	t.Helper()
	var out outputs
	err := fn.ProcessElement(background, shard, func(b Batch) {
		in, err := encodeBatch(b)
		if err != nil {
			t.Error(err)
		}
		out.batches = append(out.batches, in)
	}, func(line string) { out.bad = append(out.bad, line) })
	return out, err
}

// newReadFn returns a step that is set up.
func newReadFn(t testing.TB, model string, opt ReadOptions) *readFn {
	t.Helper()
	opt.Model = model
	fn := &readFn{withModel: useModel(model), Options: opt}
	fn.Options.Batch = opt.rows(fn.base.inputs())
	return fn
}

// TestReadRetried checks that the outputs of a shard do not depend on earlier shards, even failed ones.
func TestReadRetried(t *testing.T) {
	folder := t.TempDir()
	good := writeFile(t, folder, "good.csv", csvImages(digits(), 0, 20))
	text := strings.Replace(string(csvImages(digits(), 0, 20)), "\n", "\n3,oh\n", 1)
	bad := writeFile(t, folder, "bad.csv", []byte(text))
	model := sampleFile(t, modelfile.Metadata{})
	for _, skip := range []int64{0, 5} {
		fn := newReadFn(t, model, ReadOptions{Targets: []string{"1"}, Batch: 8, SkipBad: skip})
		want, err := readShard(t, fn, Shard{Path: good})
		if err != nil || len(want.batches) != 3 || want.bad != nil {
			t.Fatalf("skip %d: %d batches, %q, %v", skip, len(want.batches), want.bad, err)
		}
		if _, err := readShard(t, fn, Shard{Path: bad}); (err == nil) != (skip > 0) {
			t.Errorf("skip %d: the bad shard: %v", skip, err)
		}
		got, err := readShard(t, fn, Shard{Path: good})
		if err != nil || got.bad != nil || !slices.EqualFunc(got.batches, want.batches, bytes.Equal) {
			t.Errorf("skip %d: the same shard has other batches the next time (%v)", skip, err)
		}
	}
}

// newSolveFn returns a step that is set up.
func newSolveFn(t testing.TB) *solveFn {
	t.Helper()
	return &solveFn{
		withModel: useModel(sampleFile(t, modelfile.Metadata{})),
		Lambda:    0.25, SkipBad: 1, Created: created, Software: "a test",
	}
}

// over returns an iterator over values, in the form of Beam's side inputs.
func over[T any](values ...T) func(*T) bool {
	return func(v *T) bool {
		if len(values) == 0 {
			return false
		}
		*v, values = values[0], values[1:]
		return true
	}
}

// TestSolveRetried checks that the same states give the same bytes and do not change.
func TestSolveRetried(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		fn := newSolveFn(t)
		s, err := partState(method, digits(), 0, 1)
		testutil.NoError(t, err)
		before := encoded(t, s)
		var models [][]byte
		for range 2 {
			err := fn.ProcessElement(background, nil, over(s), over("one"), func(m Model) { models = append(models, m.file) })
			testutil.NoError(t, err)
		}
		if len(models) != 2 || !bytes.Equal(models[0], models[1]) {
			t.Errorf("%v: two runs have %d models, which are not the same bytes", method, len(models))
		}
		if !bytes.Equal(before, encoded(t, s)) {
			t.Errorf("%v: the state has changed", method)
		}
	}
}

// TestWriteRetried writes a file twice, over another one.
func TestWriteRetried(t *testing.T) {
	m := testModel(t)
	folder := filepath.Join(t.TempDir(), "not", "there")
	for _, path := range []string{filepath.Join(folder, "m.bls"), "memfs://retried/m.bls"} {
		fn := &writeFn{Path: path}
		for range 2 {
			testutil.NoError(t, fn.ProcessElement(background, m))
			if got := readAll(t, path); !bytes.Equal(got, m.file) {
				t.Errorf("%s has %d bytes, which are not those of the model", path, len(got))
			}
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Errorf("the folder has %v (%v)", files, err)
	}
	left, err := beamfile.List(background, "memfs://retried/*")
	if err != nil || len(left) != 1 {
		t.Errorf("the file system has %q (%v)", left, err)
	}
}

// TestSameBytes runs a pipeline of one shard, with one order of the states, twice. The model files have
// the same bytes.
func TestSameBytes(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	sh := shards(t, "npy", digits(), 1)
	sh.options.Batch = 100
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		var files [][]byte
		for range 2 {
			path := filepath.Join(t.TempDir(), "m.bls")
			mustRun(t, func(s beam.Scope) {
				sh.fitTo(s, method, path, Options{Model: model, Lambda: testLambda, Created: created})
			})
			files = append(files, readAll(t, path))
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%v: the model files of two runs are not the same bytes", method)
		}
	}
}

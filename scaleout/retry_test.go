package scaleout

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The tests of this file call the steps like a runner that repeats a bundle.

// outputs are those of a bundle, with the state encoded.
type outputs struct {
	key     int64
	state   []byte // empty without one
	samples int
	bad     []string
}

// newLearnFn returns a step that is set up.
func newLearnFn(t testing.TB, model string, opt Options) *learnFn {
	t.Helper()
	opt.Model, opt.Out = model, "not written"
	fn := &learnFn{withModel: useModel(model), Options: opt.resolve()}
	fn.Options.Batch = opt.rows(fn.base.inputs())
	return fn
}

// bundle runs a bundle and returns its outputs.
func bundle(fn *learnFn, shards ...Shard) (out outputs, err error) {
	emit := func(key int64, s *State) {
		out.key, out.samples = key, s.updater.Samples()
		out.state, err = encodeState(s)
	}
	bad := func(line string) { out.bad = append(out.bad, line) }
	fn.StartBundle(background, emit, bad)
	for _, shard := range shards {
		if err := fn.ProcessElement(background, shard, emit, bad); err != nil {
			return out, err
		}
	}
	fn.FinishBundle(background, emit, bad)
	return out, err
}

// TestBundleRetried repeats bundles that stopped, with an error and without one, on the same instance.
// Their outputs are those of a fresh instance to the bit.
func TestBundleRetried(t *testing.T) {
	folder := t.TempDir()
	var shards []Shard
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		shards = append(shards, Shard{Path: writeFile(t, folder, name, csvImages(digits(), 30*i, 30*i+30))})
	}
	wrong := strings.Replace(string(csvImages(digits(), 0, 20)), "\n", "\n3,oh\n", 1)
	bad := Shard{Path: writeFile(t, folder, "bad.csv", []byte(wrong))}
	model := sampleFile(t, modelfile.Metadata{})
	none := func(int64, *State) { t.Error("an output of a bundle that is not finished") }
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		opt := Options{Targets: []string{"1"}, Batch: 20, Method: method}
		want, err := bundle(newLearnFn(t, model, opt), shards...)
		testutil.NoError(t, err)
		if want.samples != 90 || want.key != keyOf(shards[0]) || want.bad != nil {
			t.Fatalf("%v: %d samples of 90, %q", method, want.samples, want.bad)
		}
		fn := newLearnFn(t, model, opt)
		for stop := range len(shards) {
			fn.StartBundle(background, none, nil)
			for _, shard := range shards[:stop] {
				testutil.NoError(t, fn.ProcessElement(background, shard, none, nil))
			}
			if err := fn.ProcessElement(background, bad, none, nil); err == nil {
				t.Fatal("a bad row is learned")
			}
			got, err := bundle(fn, shards...)
			if err != nil || got.key != want.key || !bytes.Equal(got.state, want.state) {
				t.Errorf("%v: a bundle that was stopped after %d shards and run again has another output (%v)", method, stop, err)
			}
		}
		if got, err := bundle(fn); err != nil || got.state != nil {
			t.Errorf("%v: a bundle without shards has a state (%v)", method, err)
		}
	}
}

// TestBundlesApart checks that a bundle does not change the output of the one before.
func TestBundlesApart(t *testing.T) {
	shard := Shard{Path: writeFile(t, t.TempDir(), "x.csv", csvImages(digits(), 0, 40))}
	fn := newLearnFn(t, sampleFile(t, modelfile.Metadata{}), Options{Targets: []string{"1"}, Batch: 20})
	var states []*State
	emit := func(_ int64, s *State) { states = append(states, s) }
	var before []byte
	for range 2 {
		fn.StartBundle(background, emit, nil)
		testutil.NoError(t, fn.ProcessElement(background, shard, emit, nil))
		fn.FinishBundle(background, emit, nil)
		if before == nil {
			before = encoded(t, states[0])
		}
	}
	if !bytes.Equal(before, encoded(t, states[0])) {
		t.Error("the state of a bundle has changed after it was handed out")
	}
}

// newSolveFn returns a step that is set up.
func newSolveFn(t testing.TB) *solveFn {
	t.Helper()
	return &solveFn{
		withModel: useModel(sampleFile(t, modelfile.Metadata{})),
		Options:   Options{Out: filepath.Join(t.TempDir(), "m.bls"), Lambda: 0.25, SkipBad: 1, Created: created, Software: "a test"},
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

// TestSolveRetried checks that the same states give the same bytes and do not change, in a folder that
// is missing and on another file system.
func TestSolveRetried(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		s, err := partState(method, digits(), 0, 1)
		testutil.NoError(t, err)
		before := encoded(t, s)
		var want []byte
		for _, folder := range []string{filepath.Join(t.TempDir(), "not", "there"), "memfs://retried"} {
			fn := newSolveFn(t)
			fn.Options.Out, fn.Options.BadOut = folder+"/m.bls", folder+"/bad.txt"
			for range 2 {
				testutil.NoError(t, fn.ProcessElement(background, nil, over(s), over("one")))
				got := readAll(t, fn.Options.Out)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%v: two runs write different bytes", method)
				}
			}
			if got := string(readAll(t, fn.Options.BadOut)); got != "one\n" {
				t.Errorf("the list of bad rows is %q", got)
			}
		}
		if !bytes.Equal(before, encoded(t, s)) {
			t.Errorf("%v: the state has changed", method)
		}
	}
}

// TestSameBytes runs a pipeline of one shard, with one order of the states, twice. The model files have
// the same bytes.
func TestSameBytes(t *testing.T) {
	sh := shards(t, "npy", digits(), 1)
	opt := sh.options
	opt.Model, opt.Lambda, opt.Created = sampleFile(t, modelfile.Metadata{}), testLambda, created
	for _, opt.Method = range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		var files [][]byte
		for range 2 {
			opt.Out = filepath.Join(t.TempDir(), "m.bls")
			mustRun(t, func(s beam.Scope) { Fit(s, sh.patterns, sh.targets, opt) })
			files = append(files, readAll(t, opt.Out))
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%v: the model files of two runs are not the same bytes", opt.Method)
		}
	}
}

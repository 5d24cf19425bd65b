package blsupdate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// encoded returns what Encode writes of a model.
func encoded(t testing.TB, u Updater) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Encode(&out, u); err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return out.Bytes()
}

// decoded returns the model that Decode makes of it.
func decoded(t testing.TB, data []byte, b blskernel.Backend) Updater {
	t.Helper()
	u, err := Decode(bytes.NewReader(data), b)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return u
}

// checkSame compares two models to the last bit: their encodings, all that can be reached from their
// states, what their methods return, and their interfaces.
func checkSame(t *testing.T, what string, got, want Updater) {
	t.Helper()
	if reflect.TypeOf(got) != reflect.TypeOf(want) {
		t.Fatalf("%s: a %T, want a %T", what, got, want)
	}
	if !bytes.Equal(encoded(t, got), encoded(t, want)) || digest(got) != digest(want) {
		t.Fatalf("%s: another state", what)
	}
	before := encoded(t, got)
	if g, w := got.Condition(), want.Condition(); g != w {
		t.Fatalf("%s: the condition is %+v, want %+v", what, g, w)
	}
	if lazy := got.Method() == Gram || got.Method() == QR; !lazy && !bytes.Equal(encoded(t, got), before) {
		t.Fatalf("%s: another state when its condition has been asked for", what)
	}
	g, gotErr := got.Weights()
	w, wantErr := want.Weights()
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		t.Fatalf("%s: weights: %v, want %v", what, gotErr, wantErr)
	}
	if wantErr == nil && !sameBits(g, w) {
		t.Fatalf("%s: other weights", what)
	}
	if p, ok := want.(Pseudoinverter); ok && !sameBits(got.(Pseudoinverter).Pseudoinverse(), p.Pseudoinverse()) {
		t.Fatalf("%s: another pseudoinverse", what)
	}
	if !bytes.Equal(encoded(t, got), encoded(t, want)) {
		t.Fatalf("%s: another state after questions", what)
	}
}

// sameBits tells whether matrices are the same to the last bit.
func sameBits(a, b *mat.Dense) bool {
	return slices.EqualFunc(dense.Compact(a), dense.Compact(b), func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestEncodingLayout has every word of a small encoding, which must stay what they are for as long as
// the version.
func TestEncodingLayout(t *testing.T) {
	u := started(t, Gram, mat.NewDense(2, 2, []float64{1, 0, 3, 4}), mat.NewDense(2, 1, []float64{2, 0}), Options{Lambda: 0.5, Workspace: -3})
	float := math.Float64bits
	want := []uint64{
		binary.LittleEndian.Uint64([]byte("blsstate")), 1, 4, // Gram
		float(0.5), uint64(Auto), 0, uint64(CAuto), 1<<64 - 3,
		2, 1, 2, // nodes, targets, samples
		2, uint64(Auto), uint64(StartCholesky), 0, float(0), // the report
		float(0), // losses
		float(0.5),
		float(10), float(12), float(16), // AᵀA
		float(2), float(0), // AᵀY
		float(math.Sqrt(10)), float(4), float(2), float(math.Hypot(math.Sqrt(10), 4)), // norms of columns and of A
		0, // no W
	}
	data := encoded(t, u)
	if len(data) != 8*len(want) {
		t.Fatalf("%d bytes, want %d", len(data), 8*len(want))
	}
	for i, w := range want {
		if got := binary.LittleEndian.Uint64(data[8*i:]); got != w {
			t.Errorf("word %d is %#x, want %#x", i, got, w)
		}
	}
}

// smallModels are models of all methods in states that are different to encode.
func smallModels(t testing.TB) []Updater {
	r := rand.New(rand.NewPCG(72, 0))
	a, y, ax, ya := testutil.Random(r, 4, 2), testutil.Random(r, 4, 1), testutil.Random(r, 1, 2), testutil.Random(r, 1, 1)
	var models []Updater
	add := func(m Method, rows int, opt Options, change func(u Updater) error) {
		u, err := New(m, rowsBetween(a, 0, rows), rowsBetween(y, 0, rows), opt)
		if err == nil {
			err = change(u)
		}
		must(t, err)
		models = append(models, u)
	}
	nothing := func(Updater) error { return nil }
	for _, m := range Methods() {
		add(m, 4, Options{}, nothing)
		add(m, 3, Options{Lambda: 0.5}, func(u Updater) error { return u.AddInputs(ax, ya) })
		add(m, 4, Options{}, func(u Updater) error {
			if _, err := u.Weights(); err != nil {
				return err
			}
			return u.Forget(0.5)
		})
	}
	add(Improved, 1, Options{}, nothing) // which keeps A
	add(Original, 4, Options{C: CCheck}, func(u Updater) error { return u.RemoveInputs(rowsBetween(a, 1, 2), rowsBetween(y, 1, 2)) })
	return models
}

// use asks a model for everything, and does not care for answers: it must not panic.
func use(t testing.TB, u Updater) {
	t.Helper()
	k, c := u.Nodes(), u.Targets()
	if k < 1 || k > 1000 || c < 1 || c > 1000 || u.Samples() < 0 || !(u.Lambda() >= 0) {
		t.Fatalf("%d nodes, %d targets, %d samples, lambda %g", k, c, u.Samples(), u.Lambda())
	}
	r := rand.New(rand.NewPCG(73, 0))
	ax, ya := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
	before, err := u.Weights()
	if rows, cols := 0, 0; err == nil {
		if rows, cols = before.Dims(); rows != k || cols != c {
			t.Fatalf("weights are %d×%d", rows, cols)
		}
	}
	for _, do := range []func() error{
		func() error { u.Condition(); return nil },
		func() error { return u.AddInputs(ax, ya) },
		func() error { return u.RemoveInputs(rowsBetween(ax, 0, 1), rowsBetween(ya, 0, 1)) },
		func() error { return u.SetLambda(2) },
		func() error { return u.Forget(0.5) },
		func() error { return u.AddInputs(testutil.Random(r, 3*k, k), testutil.Random(r, 3*k, c)) },
		func() error {
			l := u.Samples()
			if l > 100 || l == 0 {
				return nil
			}
			return u.AddNodes(testutil.Random(r, l, k), testutil.Random(r, l, 1), testutil.Random(r, l, c))
		},
		func() error {
			_, err := u.Weights()
			return err
		},
		func() error {
			l, ok := u.(Leverager)
			if !ok {
				return nil
			}
			_, err := l.Leverage(testutil.Random(r, 2, u.Nodes()))
			return err
		},
		func() error { return Encode(io.Discard, u) },
	} {
		_ = do() // a model of altered numbers may refuse anything
	}
}

// failsAt fails the test unless Decode returns a *FormatError that names the byte, and returns it.
func failsAt(t *testing.T, data []byte, offset int) error {
	t.Helper()
	_, err := Decode(bytes.NewReader(data), nil)
	var format *FormatError
	if !errors.As(err, &format) || format.Offset != int64(offset) {
		t.Errorf("byte %d of %d: %v", offset, len(data), err)
	}
	return err
}

// TestTruncation cuts encodings off at every byte.
func TestTruncation(t *testing.T) {
	for _, u := range smallModels(t) {
		data := encoded(t, u)
		use(t, decoded(t, data, nil))
		for n := range data {
			if err := failsAt(t, data[:n], n); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%v, %d of %d bytes: %v", u.Method(), n, len(data), err)
			}
		}
		failsAt(t, append(data, 0), len(data))
	}
}

// TestAlteration changes every byte of encodings: what comes of it is a *FormatError or a model that
// can be used.
func TestAlteration(t *testing.T) {
	step := 1
	if testing.Short() { // as under the race detector, which has nothing to find here
		step = 11
	}
	for _, u := range smallModels(t) {
		data := encoded(t, u)
		for i := 0; i < len(data); i += step {
			for _, mask := range []byte{0x01, 0xff} {
				altered := slices.Clone(data)
				altered[i] ^= mask
				v, err := Decode(bytes.NewReader(altered), nil)
				switch {
				case err == nil:
					use(t, v)
				case !is[*FormatError](err):
					t.Fatalf("%v, byte %d: %v", u.Method(), i, err)
				}
			}
		}
	}
}

// TestRefusedNumbers replaces every float64 of encodings by NaN, which none may be, and those of
// matrices by Inf.
func TestRefusedNumbers(t *testing.T) {
	for _, u := range smallModels(t) {
		for _, leaf := range leavesOf(u) {
			if leaf.v.Kind() != reflect.Float64 {
				continue
			}
			old := leaf.v.Float()
			if leaf.besideTriangle() {
				continue
			}
			leaf.v.SetFloat(math.NaN())
			if err := Encode(io.Discard, u); !errors.Is(err, ErrOverflow) {
				t.Errorf("%v: %s is NaN: %v", u.Method(), leaf.name, err)
			}
			leaf.v.SetFloat(old)
		}
		data := encoded(t, u)
		header := 3 * 8
		for i := header; i < len(data); i += 8 {
			altered := slices.Clone(data)
			binary.LittleEndian.PutUint64(altered[i:], math.Float64bits(math.NaN()))
			// The workspace and keys are any words.
			if i == 7*8 || slices.Contains(keysOf(u), binary.LittleEndian.Uint64(data[i:])) {
				decoded(t, altered, nil)
			} else {
				failsAt(t, altered, i)
			}
		}
	}
}

// keysOf returns the keys that a model knows its samples by.
func keysOf(u Updater) []uint64 {
	if !u.Method().hasInverse() {
		return nil
	}
	return fieldOf(u, "keys").Interface().([]uint64)
}

// TestHostileSizes claims models of any size in a few bytes: hardly anything is allocated.
func TestHostileSizes(t *testing.T) {
	const nodes, targets, samples = 8, 9, 10 // their words
	sizes := []uint64{1 << 20, math.MaxUint64, 0, 1000, 1 << 14, 1 << 28, 1 << 31, 1 << 32, 1 << 59, 1 << 63}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, u := range smallModels(t) {
		for _, size := range sizes {
			for _, words := range [][]int{{nodes}, {targets}, {samples}, {nodes, targets, samples}} {
				data := encoded(t, u)
				for _, word := range words {
					binary.LittleEndian.PutUint64(data[8*word:], size)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := Decode(bytes.NewReader(data), nil)
				runtime.ReadMemStats(&after)
				// Samples are no more than a number to a model that has none of them.
				if can := words[0] == samples && !u.Method().hasInverse(); !is[*FormatError](err) && !(can && err == nil) {
					t.Errorf("%v, words %v are %d: %v", u.Method(), words, size, err)
				}
				if got := after.TotalAlloc - before.TotalAlloc; got > 1<<17 {
					t.Errorf("%v, words %v are %d: %d bytes allocated for %d (%v)", u.Method(), words, size, got, len(data), err)
				}
			}
		}
	}
}

// TestForeign encodes what is none of these models and decodes what is none.
func TestForeign(t *testing.T) {
	if err := Encode(io.Discard, nil); !is[*OptionError](err) {
		t.Errorf("no model: %v", err)
	}
	failsAt(t, []byte("PK\x03\x04 is something else"), 0)
	data := encoded(t, smallModels(t)[0])
	data[8]++ // a newer version
	failsAt(t, data, 8)
	for _, u := range smallModels(t) {
		if err := Encode(&faults.Writer{}, u); !errors.Is(err, faults.ErrFull) {
			t.Errorf("%v: %v", u.Method(), err)
		}
	}
}

// TestOverflownEstimates: an estimate that has overflowed is no reason to refuse a model that works.
func TestOverflownEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(74, 0))
	u := started(t, RidgeInverse, testutil.Random(r, 9, 3), testutil.Random(r, 9, 1), Options{})
	driverOf(u).state.(*ridge.State).Noted = math.Inf(1)
	checkSame(t, "infinite trace", decoded(t, encoded(t, u), nil), u)
}

// TestOtherBackend encodes a model that one backend has computed and goes on with another one, as
// accurately.
func TestOtherBackend(t *testing.T) {
	const k, l = 5, 40
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		_, a, y := problem(77, 0, l, k, 2)
		data := encoded(t, v.start(t, b, rowsBetween(a, 0, 20), rowsBetween(y, 0, 20), 0))
		for _, name := range blskernel.Names() {
			other, err := blskernel.Lookup(name)
			must(t, err)
			u := decoded(t, data, other)
			do(t, u, u.AddInputs(rowsBetween(a, 20, l), rowsBetween(y, 20, l)))
			do(t, u, u.RemoveInputs(rowsBetween(a, 18, 22), rowsBetween(y, 18, 22)))
			do(t, u, u.AddInputs(rowsBetween(a, 18, 22), rowsBetween(y, 18, 22)))
			checkWeights(t, u, a, y, 0, v.accuracy(l, kappaOf(rowsBetween(a, 0, 18), 0))+1e3*dense.Eps)
		}
	})
}

// TestConcurrentEncode: to encode a model only reads it.
func TestConcurrentEncode(t *testing.T) {
	for _, u := range smallModels(t) {
		want := encoded(t, u)
		var all sync.WaitGroup
		for range 3 {
			all.Add(1)
			go func() {
				defer all.Done()
				var out bytes.Buffer
				if err := Encode(&out, u); err != nil || !bytes.Equal(out.Bytes(), want) {
					t.Errorf("%v: another encoding (%v)", u.Method(), err)
				}
			}()
		}
		all.Wait()
	}
}

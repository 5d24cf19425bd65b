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
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

func encoded(t testing.TB, u Updater) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Encode(&out, u); err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return out.Bytes()
}

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
	same := func(after string) {
		t.Helper()
		if !bytes.Equal(encoded(t, got), encoded(t, want)) || digest(got) != digest(want) {
			t.Fatalf("%s: another state%s", what, after)
		}
	}
	same("")
	before := encoded(t, got)
	if g, w := got.Condition(), want.Condition(); g != w || reflect.TypeOf(got) != reflect.TypeOf(want) {
		t.Fatalf("%s: the condition of a %T is %+v, want %+v of a %T", what, got, g, w, want)
	}
	if lazy := slices.Contains(withRidge, got.Method()); !lazy && !bytes.Equal(encoded(t, got), before) {
		t.Fatalf("%s: another state when its condition has been asked for", what)
	}
	g, gotErr := got.Weights()
	w, wantErr := want.Weights()
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || wantErr == nil && !sameBits(g, w) {
		t.Fatalf("%s: other weights: %v, want %v", what, gotErr, wantErr)
	}
	if p, ok := want.(Pseudoinverter); ok && !sameBits(got.(Pseudoinverter).Pseudoinverse(), p.Pseudoinverse()) {
		t.Fatalf("%s: another pseudoinverse", what)
	}
	same(" after questions")
}

func sameBits(a, b *mat.Dense) bool {
	return slices.EqualFunc(dense.Compact(a), dense.Compact(b), func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// smallModels returns models of all methods in states that are encoded differently.
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

// use calls every method of a model and ignores the results: none may panic.
func use(t testing.TB, u Updater) {
	t.Helper()
	k, c := u.Nodes(), u.Targets()
	if k < 1 || k > 1000 || c < 1 || c > 1000 || u.Samples() < 0 || !(u.Lambda() >= 0) {
		t.Fatalf("%d nodes, %d targets, %d samples, lambda %g", k, c, u.Samples(), u.Lambda())
	}
	if w, err := u.Weights(); err == nil && (dense.Rows(w) != k || dense.Cols(w) != c) {
		t.Fatalf("weights are %d×%d", dense.Rows(w), dense.Cols(w))
	}
	r := rand.New(rand.NewPCG(73, 0))
	ax, ya := testutil.Random(r, 3*k, k), testutil.Random(r, 3*k, c)
	u.Condition()
	_ = u.AddInputs(rowsBetween(ax, 0, 3), rowsBetween(ya, 0, 3)) // a model of altered numbers may refuse anything
	_ = u.RemoveInputs(rowsBetween(ax, 0, 1), rowsBetween(ya, 0, 1))
	_ = u.SetLambda(2)
	_ = u.Forget(0.5)
	_ = u.AddInputs(ax, ya)
	if l := u.Samples(); l > 0 && l <= 100 {
		_ = u.AddNodes(testutil.Random(r, l, k), testutil.Random(r, l, 1), testutil.Random(r, l, c))
	}
	_, _ = u.Weights()
	if l, ok := u.(Leverager); ok {
		_, _ = l.Leverage(testutil.Random(r, 2, u.Nodes()))
	}
	_ = Encode(io.Discard, u)
}

// failsAt fails the test unless Decode returns a *FormatError with the given offset, or any for -1.
func failsAt(t *testing.T, data []byte, offset int) {
	t.Helper()
	_, err := Decode(bytes.NewReader(data), nil)
	var format *FormatError
	if !errors.As(err, &format) || offset >= 0 && format.Offset != int64(offset) {
		t.Errorf("byte %d of %d: %v", offset, len(data), err)
	}
}

// TestAlteration changes every byte of an encoding of each method, or of all smallModels in the long
// form. The result is a *FormatError or a usable model. NaN in any word is refused at its offset.
func TestAlteration(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	for n, u := range smallModels(t) {
		var keys []uint64 // that a model knows its samples by
		if keepsInverse(u.Method()) {
			keys = fieldOf(u, "keys").Interface().([]uint64)
		}
		data := encoded(t, u)
		for i := range data {
			if n%3 != 0 && !testutil.Long() {
				break
			}
			altered := slices.Clone(data)
			altered[i] ^= []byte{0x01, 0xff}[i%2]
			v, err := Decode(bytes.NewReader(altered), nil)
			if err == nil {
				use(t, v)
			} else if !is[*FormatError](err) {
				t.Fatalf("%v, byte %d: %v", u.Method(), i, err)
			}
		}
		for i := 3 * 8; i < len(data); i += 8 { // after the heading
			altered := slices.Clone(data)
			binary.LittleEndian.PutUint64(altered[i:], math.Float64bits(math.NaN()))
			// The workspace and the keys may be any words.
			if i == 7*8 || slices.Contains(keys, binary.LittleEndian.Uint64(data[i:])) {
				decoded(t, altered, nil)
			} else {
				failsAt(t, altered, i)
			}
		}
	}
}

// TestForeign encodes what is not a model of this package, and decodes what is not an encoding. An
// overflowed estimate is no reason to refuse a model that works.
func TestForeign(t *testing.T) {
	if err := Encode(io.Discard, nil); !is[*OptionError](err) {
		t.Errorf("no model: %v", err)
	}
	failsAt(t, []byte("PK\x03\x04 is something else"), 0)
	data := encoded(t, smallModels(t)[0])
	data[8]++ // a newer version
	failsAt(t, data, 8)
	const kept = 51 // the word that says what is kept of the samples, 2, where W has 2 elements
	data = encoded(t, started(t, Improved, mat.NewDense(2, 2, []float64{1, 0, 3, 4}), mat.NewDense(2, 1, nil), Options{}))
	if data[8*kept] != 2 {
		t.Fatalf("word %d is %d, want 2", kept, data[8*kept])
	}
	data[8*kept] = 1
	failsAt(t, data, 8*kept)
	for _, u := range smallModels(t) {
		if err := Encode(&faults.Writer{}, u); !errors.Is(err, faults.ErrFull) {
			t.Errorf("%v: %v", u.Method(), err)
		}
	}
	u := started(t, RidgeInverse, mat.NewDense(2, 2, []float64{1, 0, 3, 4}), mat.NewDense(2, 1, nil), Options{})
	driverOf(u).state.(*ridge.State).BoundX = math.Inf(1)
	if err := Encode(io.Discard, u); err != nil {
		t.Errorf("an infinite bound: %v", err)
	}
}

// TestInvariants breaks what later updates rely on: such a model is neither read nor written.
func TestInvariants(t *testing.T) {
	for _, u := range smallModels(t) {
		data, first := encoded(t, u), 19+3*u.Targets() // the first word of the state
		words, k, d := len(data)/8, u.Nodes(), driverOf(u)
		check := func(name string, value *float64, to float64, word int) {
			t.Helper()
			old := *value
			if got := math.Float64frombits(binary.LittleEndian.Uint64(data[8*word:])); got != old {
				t.Fatalf("%v: word %d is not %s", u.Method(), word, name)
			}
			altered := bytes.Clone(data)
			binary.LittleEndian.PutUint64(altered[8*word:], math.Float64bits(to))
			failsAt(t, altered, -1)
			*value = to
			err := Encode(io.Discard, u)
			if !is[*StateError](err) {
				t.Errorf("%v, %s: written: %v", u.Method(), name, err)
			}
			*value = old
		}
		switch s := d.state.(type) {
		case *ridge.State:
			check("the bound on Q", &s.BoundX, dense.LargestOf(s.Q.RawSymPacked().Data)/3, words-2)
			check("the bound on W", &s.BoundW, dense.LargestOf(s.W.RawMatrix().Data)/3, words-1)
		case *cholesky.State:
			check("the bound on F", &s.BoundX, dense.LargestOf(s.L.RawMatrix().Data)/3, words-2)
			check("the bound on W", &s.BoundW, dense.LargestOf(s.W.RawMatrix().Data)/3, words-1)
		case *qr.State:
			check("R", &s.R.RawMatrix().Data[0], 4*qr.LargestColumn, first)
			check("z", &s.Z.RawMatrix().Data[0], 4*qr.LargestColumn, first+k*(k+1)/2)
		}
		d.state.Common().Samples = -1
		if err := Encode(io.Discard, u); !is[*StateError](err) {
			t.Errorf("%v: -1 samples: %v", u.Method(), err)
		}
	}
}

// FuzzDecode decodes arbitrary bytes. The result is a *FormatError with an offset, or a model that can
// be used and is encoded as it was. Memory is bounded by the number of bytes read.
func FuzzDecode(f *testing.F) {
	for _, u := range smallModels(f) {
		data := encoded(f, u)
		f.Add(data)
		f.Add(data[:len(data)/2])
		f.Add(data[:len(data)-1])
		f.Add(append(bytes.Clone(data), 0))
		for _, size := range []uint64{0, 1000, 1 << 20, math.MaxInt32, 1 << 59, math.MaxUint64} {
			for word := 8; word <= 10; word++ { // nodes, targets and samples
				claim := bytes.Clone(data)
				binary.LittleEndian.PutUint64(claim[8*word:], size)
				f.Add(claim)
			}
		}
	}
	for seed := range uint64(10) {
		wildLife(f, seed, func(u Updater) {
			var out bytes.Buffer
			if Encode(&out, u) == nil {
				f.Add(out.Bytes())
			}
		})
	}
	f.Add([]byte{})
	f.Add([]byte("blsstate"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var u Updater
		var err error
		// Slices that double take less than four times what they hold in the end, and a matrix
		// of which a triangle is read twice that again; beside them are the buffer of the
		// reader and what a model has whatever its size.
		faults.Bounded(t, len(data), 12, 1<<18, func() { u, err = Decode(bytes.NewReader(data), nil) })
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(len(data)) || len(err.Error()) > 500 ||
				errors.Is(err, io.ErrUnexpectedEOF) && format.Offset != int64(len(data)) {
				t.Fatalf("%.500v", err)
			}
			return
		}
		if again := encoded(t, u); !bytes.HasPrefix(data, again) {
			t.Errorf("%x becomes %x", data, again)
		}
		use(t, u)
	})
}

// FuzzScales does what TestScalesAreKept does for seeds that the fuzzer chooses.
func FuzzScales(f *testing.F) {
	f.Add(uint64(1)) // TestScalesAreKept has more
	f.Fuzz(func(t *testing.T, seed uint64) { wildLife(t, seed, func(u Updater) { checkReadable(t, u) }) })
}

// wildLife makes the changes of a seed, with rows of all scales, and calls check after each. A change
// that is refused leaves every bit of the model, and one that is not leaves finite weights.
func wildLife(t testing.TB, seed uint64, check func(u Updater)) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 92))
	h := newSequence(r, Methods()[r.IntN(len(Methods()))], "wild")
	if h == nil {
		return
	}
	check(h.u)
	for range 6 {
		// Some solve for W at the first query.
		if w, err := h.u.Weights(); err == nil && !dense.Finite(w) {
			t.Fatalf("seed %d: W is not finite: %q", seed, h.log)
		}
		before, kind := digest(h.u), operations[r.IntN(len(operations))]
		if do, then := h.next(kind); h.apply(do, then) {
			check(h.u)
		} else if digest(h.u) != before {
			t.Fatalf("seed %d: %s was refused, and has changed the model: %q", seed, kind, h.log)
		}
	}
}

// checkReadable fails the test if Encode accepts u and Decode does not return the same model. It
// reports whether Encode accepts u.
func checkReadable(t *testing.T, u Updater) bool {
	t.Helper()
	var out bytes.Buffer
	if Encode(&out, u) != nil {
		return false
	}
	v, err := Decode(bytes.NewReader(out.Bytes()), nil)
	if err != nil {
		t.Fatalf("%v: %v", u.Method(), err)
	}
	if !bytes.Equal(encoded(t, v), out.Bytes()) {
		t.Fatalf("%v: read as something else", u.Method())
	}
	return true
}

// TestScalesAreKept: whatever the scales of rows, columns and batches, what can be written can be
// read. The long form takes 50 times as many seeds.
func TestScalesAreKept(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	seeds := uint64(500)
	if testutil.Long() {
		seeds *= 50
	}
	kept, all := 0, 0
	for seed := range seeds {
		wildLife(t, seed, func(u Updater) {
			all++
			if checkReadable(t, u) {
				kept++
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if 10*kept < 9*all {
		t.Errorf("of %d states %d can be written", all, kept)
	}
}

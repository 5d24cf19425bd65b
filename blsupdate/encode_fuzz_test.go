package blsupdate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// TestInvariants breaks what later updates rely on: such a model is not read, and not written, where a
// trace below 0, of a Q that rounding has left indefinite, is a matter of the condition of the data.
func TestInvariants(t *testing.T) {
	const first = 18 // the first word after lambda in Gram and QR
	for _, u := range smallModels(t) {
		data := encoded(t, u)
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
			if indefinite := to == -1; !indefinite && !is[*StateError](err) || indefinite && (!is[*ConditionError](err) || errors.Is(err, ErrOverflow)) {
				t.Errorf("%v, %s: written: %v", u.Method(), name, err)
			}
			*value = old
		}
		switch s := d.state.(type) {
		case *ridge.State:
			check("the bound on Q", &s.Most, dense.LargestOf(s.Q.RawSymPacked().Data)/3, words-2)
			check("the bound on W", &s.MostW, dense.LargestOf(s.W.RawMatrix().Data)/3, words-1)
			check("the trace of Q", &s.Noted, -1, words-3)
		case *cholesky.State:
			check("the bound on F", &s.Most, dense.LargestOf(s.L.RawMatrix().Data)/3, words-2)
			check("the bound on W", &s.MostW, dense.LargestOf(s.W.RawMatrix().Data)/3, words-1)
		case *qr.State:
			check("R", &s.R.RawMatrix().Data[0], 4*qr.LargestColumn, first)
			check("z", &s.Z.RawMatrix().Data[0], 4*qr.LargestColumn, first+k*(k+1)/2)
		}
		d.samples = -1
		if err := Encode(io.Discard, u); !is[*StateError](err) {
			t.Errorf("%v: -1 samples: %v", u.Method(), err)
		}
	}
}

// FuzzDecode decodes anything. There is a *FormatError that names a byte, or a model that can be used,
// and is encoded as it was. No more is allocated than follows from what is read.
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
		wildLife(seed, func(u Updater) {
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
		if again := encoded(t, u); !bytes.Equal(again, data) {
			t.Errorf("%x becomes %x", data, again)
		}
		use(t, u)
	})
}

// FuzzScales does what TestScalesAreKept does for seeds that the fuzzer chooses.
func FuzzScales(f *testing.F) {
	f.Add(uint64(1)) // TestScalesAreKept has more
	f.Fuzz(func(t *testing.T, seed uint64) { wildLife(seed, func(u Updater) { checkReadable(t, u) }) })
}

// anyScale returns 1, or 10 to any power from -150 to 150.
func anyScale(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return 1
	}
	return math.Pow(10, 300*r.Float64()-150)
}

// wild returns random rows, each of them, each column and all together with a scale of its own.
func wild(r *rand.Rand, rows, cols int) *mat.Dense {
	m := testutil.Random(r, rows, cols)
	all, columns := anyScale(r), make([]float64, cols)
	for j := range columns {
		columns[j] = anyScale(r)
	}
	for i := range rows {
		row := anyScale(r)
		for j := range cols {
			// Beyond float64 it is no row, as AddInputs would say.
			m.Set(i, j, max(-math.MaxFloat64, min(math.MaxFloat64, m.At(i, j)*all*columns[j]*row)))
		}
	}
	return m
}

// wildLife does what a seed says with a model and wild rows, and calls check after each thing that was
// done.
func wildLife(seed uint64, check func(u Updater)) {
	r := rand.New(rand.NewPCG(seed, 92))
	k, c := 1+r.IntN(6), 1+r.IntN(2)
	method := Methods()[r.IntN(len(Methods()))]
	opt := Options{Lambda: []float64{0, 0x1p-30, 1, anyScale(r)}[r.IntN(4)], Form: Form(r.IntN(len(formNames))), Solve: r.IntN(2) == 0}
	rows := func(n int) (ax, ya *mat.Dense) {
		if r.IntN(3) == 0 {
			return testutil.Random(r, n, k), testutil.Random(r, n, c)
		}
		return wild(r, n, k), wild(r, n, c)
	}
	a, y := rows(k + r.IntN(10))
	u, err := New(method, a, y, opt)
	if err != nil {
		return
	}
	check(u)
	var ax, ya *mat.Dense
	for range 6 {
		switch r.IntN(6) {
		case 0:
			_ = u.Forget(0.5 + r.Float64()/2) // an error leaves the model as it is
		case 1:
			if ax != nil {
				_ = u.RemoveInputs(ax, ya)
				ax = nil
			}
		case 2:
			_, _ = u.Weights()
			u.Condition()
		default:
			ax, ya = rows(1 + r.IntN(2*k))
			if u.AddInputs(ax, ya) != nil {
				ax = nil
			}
		}
		check(u)
	}
}

// checkReadable fails the test if what Encode accepts Decode does not, as the same model. It tells
// whether Encode does.
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
// read. The long form takes 200 times as many seeds.
func TestScalesAreKept(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	seeds := uint64(500)
	if testutil.Long() {
		seeds *= 200
	}
	kept, all := 0, 0
	for seed := range seeds {
		wildLife(seed, func(u Updater) {
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

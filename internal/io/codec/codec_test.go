package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// floats are n numbers with those among them of which the bits are easily lost.
func floats(n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	special := []float64{math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.Float64frombits(0x7ff8000000000123), math.Float64frombits(0xfff0000000000001), math.SmallestNonzeroFloat64, math.MaxFloat64}
	copy(x, special)
	return x
}

// sizes are numbers of numbers around the ends of buffers.
var sizes = []int{0, 1, 7, chunk/size - 1, chunk / size, chunk/size + 1, 3*chunk/size + 5}

// TestRoundTrip writes and reads every type, from readers that return pieces of any size. The bytes of
// the encoding must not change.
func TestRoundTrip(t *testing.T) {
	for _, n := range sizes {
		var out bytes.Buffer
		w := NewWriter(&out)
		x := floats(n)
		w.Uint64(0x0102030405060708)
		w.Float64(1)
		w.Bool(true)
		w.Float64s(x)
		w.Float64s(x)
		w.Uint64(math.MaxUint64)
		w.Uint64(uint64(math.MaxInt))
		w.Uint64s([]uint64{1, 1 << 63})
		w.Float64(math.Copysign(0, -1))
		w.Bool(false)
		testutil.NoError(t, w.Flush())
		if first := "\x08\x07\x06\x05\x04\x03\x02\x01" + "\x00\x00\x00\x00\x00\x00\xf0\x3f"; !strings.HasPrefix(out.String(), first) {
			t.Errorf("%q, want %q", out.Bytes()[:16], first)
		}
		for name, source := range map[string]io.Reader{
			"all at once":  bytes.NewReader(out.Bytes()),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(out.Bytes())),
			"by halves":    iotest.HalfReader(bytes.NewReader(out.Bytes())),
			"end at once":  iotest.DataErrReader(bytes.NewReader(out.Bytes())),
		} {
			r := NewReader(source)
			if r.Uint64() != 0x0102030405060708 || r.Float64() != 1 || !r.Bool() {
				t.Errorf("%s, %d: the first are others", name, n)
			}
			got, again := r.Float64s(n), r.Float64s(n)
			if len(got) != n || cap(got) != n {
				t.Fatalf("%s: %d numbers with room for %d, want %d", name, len(got), cap(got), n)
			}
			for i, v := range got {
				if want := math.Float64bits(x[i]); math.Float64bits(v) != want || math.Float64bits(again[i]) != want {
					t.Fatalf("%s: number %d is %x and %x, want %x", name, i, math.Float64bits(v), math.Float64bits(again[i]), want)
				}
			}
			if v, count := r.Uint64(), r.Int("count", math.MaxInt); v != math.MaxUint64 || count != math.MaxInt {
				t.Errorf("%s, %d: %d, %d", name, n, v, count)
			}
			if v := r.Uint64s(2); len(v) != 2 || v[0] != 1 || v[1] != 1<<63 {
				t.Errorf("%s, %d: %v", name, n, v)
			}
			if v := r.Float64(); v != 0 || !math.Signbit(v) {
				t.Errorf("%s, %d: %g", name, n, v)
			}
			last := r.Bool()
			if r.End(); last || r.Err() != nil {
				t.Errorf("%s, %d: %v, %v", name, n, last, r.Err())
			}
		}
	}
}

// TestOffsets has errors at known places. An error of the source is wrapped, and is no FormatError.
// What only a mistake calls panics.
func TestOffsets(t *testing.T) {
	words := func(v ...uint64) *bytes.Reader {
		var out bytes.Buffer
		w := NewWriter(&out)
		w.Uint64s(v)
		_ = w.Flush() // of a buffer in memory
		return bytes.NewReader(out.Bytes())
	}
	for _, test := range []struct {
		name   string
		source io.Reader
		read   func(r *Reader)
		offset int64
		short  bool
	}{
		{"an int", words(1, 2, 9), func(r *Reader) { r.Uint64(); r.Uint64(); r.Int("n", 8) }, 16, false},
		{"a bool", words(1, 2), func(r *Reader) { r.Bool(); r.Bool() }, 8, false},
		{"what the caller says", words(1, 2, 3), func(r *Reader) { r.Uint64(); r.Float64(); r.Fail("no") }, 8, false},
		{"the first of some", words(1, 2, 3), func(r *Reader) { r.Uint64(); r.Float64s(2); r.Fail("no") }, 8, false},
		{"the third of some", words(1, 2, 3, 4), func(r *Reader) { r.Uint64(); r.Float64s(3); r.FailElement(2, "no") }, 24, false},
		{"more", words(1, 2), func(r *Reader) { r.Uint64(); r.End() }, 8, false},
		{"no number", words(), func(r *Reader) { r.Uint64() }, 0, true},
		{"half a number", strings.NewReader("12345678abc"), func(r *Reader) { r.Uint64(); r.Float64() }, 11, true},
		{"too few numbers", words(1, 2, 3), func(r *Reader) { r.Uint64(); r.Float64s(3) }, 24, true},
		{"a truncated archive", io.MultiReader(words(1), iotest.ErrReader(io.ErrUnexpectedEOF)), func(r *Reader) { r.Uint64(); r.Uint64() }, 8, true},
		{"the first error", words(2, 2), func(r *Reader) { r.Bool(); r.Uint64(); r.Bool(); r.End() }, 0, false},
	} {
		r := NewReader(test.source)
		test.read(r)
		var format *FormatError
		if !errors.As(r.Err(), &format) || format.Offset != test.offset || errors.Is(r.Err(), io.ErrUnexpectedEOF) != test.short {
			t.Errorf("%s: %v, want an error at byte %d", test.name, r.Err(), test.offset)
		}
		if want := fmt.Sprintf("byte %d: ", test.offset); format != nil && !strings.HasPrefix(format.Error(), want) {
			t.Errorf("%s: %v", test.name, format)
		}
		if r.Uint64() != 0 || r.Float64s(3) != nil || r.Int("n", 9) != 0 || r.Bool() {
			t.Errorf("%s: something is read after the error", test.name)
		}
	}
	cause := errors.New("unplugged")
	for name, read := range map[string]func(r *Reader){
		"a number": func(r *Reader) { r.Uint64() },
		"numbers":  func(r *Reader) { r.Float64s(100000) },
		"the end":  func(r *Reader) { r.End() },
	} {
		r := NewReader(iotest.ErrReader(cause))
		read(r)
		var format *FormatError
		if !errors.Is(r.Err(), cause) || errors.As(r.Err(), &format) {
			t.Errorf("%s: %v", name, r.Err())
		}
	}
	for name, f := range map[string]func(){
		"fewer than no numbers": func() { NewReader(words()).Float64s(-1) },
		"a negative bound":      func() { NewReader(words()).Int("n", -1) },
	} {
		if testutil.PanicValue(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// TestWriteErrors lets writing fail at every place, and everything that follows be in vain.
func TestWriteErrors(t *testing.T) {
	for _, left := range []int{0, 8, chunk - 1, chunk, 2*chunk + 3} {
		w := NewWriter(&faults.Writer{Left: left})
		w.Uint64(1)
		w.Float64s(floats(3 * chunk / size))
		w.Uint64s(make([]uint64, 3))
		w.Uint64(1)
		w.Float64s(floats(3 * chunk / size))
		for range 2 {
			if err := w.Flush(); !errors.Is(err, faults.ErrFull) {
				t.Errorf("after %d bytes: %v", left, err)
			}
		}
	}
}

// TestPartOfAFile has offsets of what begins further on.
func TestPartOfAFile(t *testing.T) {
	r := NewReaderAt(bytes.NewReader(make([]byte, 12)), 100)
	r.Uint64()
	r.Uint64()
	var e *FormatError
	if !errors.As(r.Err(), &e) || e.Offset != 112 {
		t.Fatalf("%v", r.Err())
	}
	if err := Moved(fmt.Errorf("a part: %w", r.Err()), 1000); !errors.As(err, &e) || e.Offset != 1112 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	if !errors.As(r.Err(), &e) || e.Offset != 112 {
		t.Errorf("the error itself was changed: %v", r.Err())
	}
	if other := errors.New("other"); Moved(other, 5) != other || Moved(nil, 5) != nil {
		t.Error("what is no FormatError was changed")
	}
	var size Size
	w := NewWriter(&size)
	w.Float64s(make([]float64, 20000))
	if err := w.Flush(); err != nil || size != 160000 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

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

	"gonum.org/v1/gonum/mat"
)

type state struct {
	word            uint64
	one, zero       float64
	yes, no         bool
	numbers, again  []float64
	most            int
	signed          int64
	words           []uint64
	dense, triangle *mat.Dense
}

func (s *state) code(x *Coder, n int) {
	x.Uint64(&s.word)
	x.Float("one", &s.one, IsPositive)
	x.Bool(&s.yes)
	x.Floats("numbers", &s.numbers, n)
	x.Lengths("lengths", &s.again, n)
	x.Int("most", &s.most, math.MaxInt)
	x.Signed(&s.signed)
	x.Words("words", &s.words, 2)
	x.Float("zero", &s.zero, NotNegative)
	x.Dense("dense", &s.dense, 2, 3)
	x.Triangle("triangle", &s.triangle, 2, true)
	x.Bool(&s.no)
}

// encoded returns the bytes of a state of n numbers.
func encoded(t *testing.T, s *state, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	x := NewEncoder(&out, nil)
	s.code(x, n)
	testutil.NoError(t, errors.Join(x.Err(), x.Flush()))
	return out.Bytes()
}

// TestRoundTrip writes and reads every type, in counts around the ends of buffers, from readers that
// return pieces of any size. The bytes of the encoding must not change.
func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 7, chunk/size - 1, chunk / size, chunk/size + 1, 3*chunk/size + 5} {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		s := state{word: 0x0102030405060708, one: 1, yes: true, most: math.MaxInt, signed: math.MinInt64, words: []uint64{1, 1 << 63},
			zero: math.Copysign(0, -1), dense: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), triangle: mat.NewDense(2, 2, []float64{7, 8, 0, 9})}
		for range n {
			s.numbers, s.again = append(s.numbers, rng.NormFloat64()), append(s.again, rng.Float64())
		}
		copy(s.numbers, []float64{s.zero, math.SmallestNonzeroFloat64, math.MaxFloat64})
		other := make(chan struct{}) // which the race detector sees
		go func() {
			s.code(NewEncoder(io.Discard, nil), n)
			close(other)
		}()
		out := encoded(t, &s, n)
		<-other
		if first := "\x08\x07\x06\x05\x04\x03\x02\x01" + "\x00\x00\x00\x00\x00\x00\xf0\x3f"; !bytes.HasPrefix(out, []byte(first)) {
			t.Errorf("%q, want %q", out[:16], first)
		}
		if want := 8 * (3 + 2*n + 5 + 6 + 3 + 1); len(out) != want {
			t.Errorf("%d numbers: %d bytes, want %d", n, len(out), want)
		}
		for name, source := range map[string]io.Reader{
			"all at once":  bytes.NewReader(out),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(out)),
			"by halves":    iotest.HalfReader(bytes.NewReader(out)),
			"end at once":  iotest.DataErrReader(bytes.NewReader(out)),
		} {
			x, got := NewDecoder(source, 0), state{}
			if got.code(x, n); x.Failed() {
				t.Fatalf("%s, %d: %v", name, n, x.Err())
			}
			if x.End(); x.Failed() {
				t.Errorf("%s, %d: at the end %v", name, n, x.Err())
			}
			if cap(got.numbers) != n || !got.yes || got.no || got.most != s.most || got.signed != s.signed || !mat.Equal(got.triangle, s.triangle) {
				t.Errorf("%s, %d: %+v with room for %d numbers", name, n, got, cap(got.numbers))
			}
			if !bytes.Equal(encoded(t, &got, n), out) {
				t.Errorf("%s, %d: what is read is written as other bytes", name, n)
			}
		}
	}
}

// TestOffsets checks errors at known places. An error of the source is wrapped, not a FormatError.
func TestOffsets(t *testing.T) {
	words := func(v ...uint64) *bytes.Reader {
		var out bytes.Buffer
		x := NewEncoder(&out, nil)
		x.Words("words", &v, len(v))
		_ = x.Flush() // of a buffer in memory
		return bytes.NewReader(out.Bytes())
	}
	word := func(x *Coder) { x.Uint64(new(uint64)) }
	yes := func(x *Coder) { x.Bool(new(bool)) }
	numbers := func(n int) func(x *Coder) { return func(x *Coder) { x.Floats("numbers", new([]float64), n) } }
	fails := func(i int) func(x *Coder) { return func(x *Coder) { x.FailElement(i, "no") } }
	for _, test := range []struct {
		name   string
		source io.Reader
		read   []func(x *Coder)
		offset int64 // beyond the 100 of the source
		short  bool
	}{
		{"an int", words(1, 2, 9), []func(x *Coder){word, word, func(x *Coder) { x.Int("n", new(int), 8) }}, 16, false},
		{"a bool", words(1, 2), []func(x *Coder){yes, yes}, 8, false},
		{"a length", words(1, 1<<63+1), []func(x *Coder){func(x *Coder) { x.Lengths("lengths", new([]float64), 2) }}, 8, false},
		{"no number", words(1, 2, math.Float64bits(math.NaN())), []func(x *Coder){numbers(3)}, 16, false},
		{"what the caller says", words(1, 2, 3), []func(x *Coder){word, word, fails(0)}, 8, false},
		{"the third of some", words(1, 2, 3, 4), []func(x *Coder){word, numbers(3), fails(2)}, 24, false},
		{"more", words(1, 2), []func(x *Coder){word, (*Coder).End}, 8, false},
		{"nothing", words(), []func(x *Coder){word}, 0, true},
		{"half a number", strings.NewReader("12345678abc"), []func(x *Coder){word, word}, 11, true},
		{"too few numbers", words(1, 2, 3), []func(x *Coder){word, numbers(3)}, 24, true},
		{"a truncated archive", io.MultiReader(words(1), iotest.ErrReader(io.ErrUnexpectedEOF)), []func(x *Coder){word, word}, 8, true},
		{"the first error", words(2, 2), []func(x *Coder){yes, word, yes, (*Coder).End}, 0, false},
	} {
		x := NewDecoder(test.source, 100)
		for _, read := range test.read {
			read(x)
		}
		var format *FormatError
		if !errors.As(x.Err(), &format) || format.Offset != 100+test.offset || errors.Is(x.Err(), io.ErrUnexpectedEOF) != test.short {
			t.Errorf("%s: %v, want an error at byte %d", test.name, x.Err(), 100+test.offset)
		}
		if want := fmt.Sprintf("byte %d: ", 100+test.offset); format != nil && !strings.HasPrefix(format.Error(), want) {
			t.Errorf("%s: %v", test.name, format)
		}
		after := state{word: 1, yes: true, one: 1, numbers: []float64{1}, words: []uint64{1}, most: 1}
		if after.code(x, 3); after.word != 0 || after.yes || after.one != 0 || after.numbers != nil || after.words != nil || after.most != 0 {
			t.Errorf("%s: %+v is read after the error", test.name, after)
		}
	}
	cause := errors.New("unplugged")
	for name, read := range map[string]func(x *Coder){"a number": word, "numbers": numbers(100000), "the end": (*Coder).End} {
		x := NewDecoder(iotest.ErrReader(cause), 0)
		if read(x); !errors.Is(x.Err(), cause) || errors.As(x.Err(), new(*FormatError)) {
			t.Errorf("%s: %v", name, x.Err())
		}
	}
	testutil.MustPanic(t, "codec: negative bound", func() { NewDecoder(words(), 0).Int("n", new(int), -1) })
}

// TestWriteErrors lets writing fail at every place, after which nothing more succeeds. A state that
// contradicts itself, or is not finite, gives an error of its own.
func TestWriteErrors(t *testing.T) {
	v := make([]float64, 3*chunk/size)
	for _, left := range []int{0, 8, chunk - 1, chunk, 2*chunk + 3} {
		x := NewEncoder(&faults.Writer{Left: left}, nil)
		for range 2 {
			x.Uint64(new(uint64))
			x.Floats("numbers", &v, len(v))
		}
		for range 2 {
			if err := x.Flush(); !errors.Is(err, faults.ErrFull) || x.Failed() {
				t.Errorf("after %d bytes: %v, %v", left, err, x.Err())
			}
		}
	}
	overflow := errors.New("too large")
	for what, s := range map[string]state{
		"the model is inconsistent: wrong number of values for numbers: 2, want 1": {numbers: v[:2]}, "one cannot be +Inf: too large": {one: math.Inf(1)},
	} {
		x := NewEncoder(io.Discard, overflow)
		x.Float("one", &s.one, NotNegative)
		x.Float("one", &s.one, IsLength)
		if x.Floats("numbers", &s.numbers, 1); x.Err() == nil || !strings.Contains(x.Err().Error(), what) || errors.Is(x.Err(), overflow) != (s.one != 0) {
			t.Errorf("%v; want %s", x.Err(), what)
		}
	}
}

// TestMoved moves the offset of an error, and nothing else.
func TestMoved(t *testing.T) {
	err := error(&FormatError{Offset: 12, What: "x", Err: io.ErrUnexpectedEOF})
	var e *FormatError
	if moved := Moved(fmt.Errorf("a part: %w", err), 1000); !errors.As(moved, &e) || e.Offset != 1012 || !errors.Is(moved, io.ErrUnexpectedEOF) {
		t.Errorf("%v", moved)
	}
	if !errors.As(err, &e) || e.Offset != 12 {
		t.Errorf("the error itself was changed: %v", err)
	}
	if other := errors.New("other"); Moved(other, 5) != other || Moved(nil, 5) != nil {
		t.Error("what is no FormatError was changed")
	}
	var size Size
	if _, err := size.Write(make([]byte, 20000)); err != nil || size != 20000 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

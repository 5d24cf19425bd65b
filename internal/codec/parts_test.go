package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"testing/iotest"
)

// TestFloat64sTo reads numbers into storage that is there, whole and cut off.
func TestFloat64sTo(t *testing.T) {
	for _, n := range sizes {
		x := floats(n)
		var out bytes.Buffer
		w := NewWriter(&out)
		w.Float64s(x)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got := make([]float64, n)
		r := NewReader(iotest.HalfReader(bytes.NewReader(out.Bytes())))
		r.Float64sTo(got)
		if r.End(); r.Err() != nil {
			t.Fatalf("%d: %v", n, r.Err())
		}
		for i, v := range got {
			if math.Float64bits(v) != math.Float64bits(x[i]) {
				t.Fatalf("%d: number %d is %x, want %x", n, i, math.Float64bits(v), math.Float64bits(x[i]))
			}
		}
		if n == 0 {
			continue
		}
		r = NewReader(bytes.NewReader(out.Bytes()[:out.Len()-1]))
		r.Float64sTo(got)
		var e *FormatError
		if !errors.As(r.Err(), &e) || e.Offset != int64(out.Len()-1) || !errors.Is(e, io.ErrUnexpectedEOF) {
			t.Errorf("%d, cut off: %v", n, r.Err())
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

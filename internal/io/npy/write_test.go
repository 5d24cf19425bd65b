package npy

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"

	"blskernel/internal/testutil"
)

// TestAppendHeader checks what NumPy is strict about: the alignment, the newline, and the comma in a
// tuple of one element. FuzzReadHeader reads what was written.
func TestAppendHeader(t *testing.T) {
	for _, test := range []struct {
		descr string
		shape []int
		dict  string
	}{
		{Float64, nil, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"},
		{Int64, []int{3}, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"},
		{Text(7), []int{0, 12}, "{'descr': '<U7', 'fortran_order': False, 'shape': (0, 12), }"},
		{Float64, []int{1, 2, 3}, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }"},
		{Float64, []int{1 << 30, 1 << 10, 1 << 10}, "{'descr': '<f8', 'fortran_order': False, 'shape': (1073741824, 1024, 1024), }"},
	} {
		whole := AppendHeader([]byte("before"), test.descr, test.shape...)
		data := bytes.TrimPrefix(whole, []byte("before"))
		if len(data) != len(whole)-len("before") || len(data)%64 != 0 || data[len(data)-1] != '\n' {
			t.Errorf("%v: %q", test.shape, whole)
		}
		if got := string(bytes.TrimRight(data[10:], " \n")); got != test.dict {
			t.Errorf("%v: %s, want %s", test.shape, got, test.dict)
		}
	}
}

func TestWriteFloats(t *testing.T) {
	for _, n := range []int{0, 1, 1<<13 - 1, 1 << 13, 1<<13 + 1} {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Ldexp(float64(2*i+1), i%2000-1000)
			if i%2 == 1 {
				values[i] = -values[i]
			}
		}
		var b bytes.Buffer
		testutil.NoError(t, WriteFloats(&b, values))
		if !bytes.Equal(b.Bytes(), AppendFloats(nil, values)) {
			t.Errorf("%d numbers: WriteFloats and AppendFloats differ", n)
		}
	}
	// NaN and infinities are written as they are, though they are not read as samples.
	want := []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xff}
	if got := AppendFloats(nil, []float64{math.Inf(-1)}); !bytes.Equal(got, want) {
		t.Errorf("% x", got)
	}
	r, w := io.Pipe()
	full := errors.New("disk full")
	r.CloseWithError(full)
	if err := WriteFloats(w, make([]float64, 3)); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

func TestLabels(t *testing.T) {
	for _, test := range []struct {
		labels []string
		descr  string
	}{
		{[]string{"3", "-12", "0", "9223372036854775807"}, Int64},
		{[]string{"3", "9223372036854775808"}, Text(19)},
		{[]string{"3", "03"}, Text(2)},
		{[]string{"+3"}, Text(2)},
		{[]string{"né☃", "a"}, Text(3)},
		{[]string{"1", "two"}, Text(3)},
		{nil, Int64},
	} {
		descr := LabelType(test.labels)
		if descr != test.descr {
			t.Errorf("%q: type %s, want %s", test.labels, descr, test.descr)
			continue
		}
		d, err := ParseDType(descr)
		testutil.NoError(t, err)
		data := []byte("x")
		for _, label := range test.labels {
			data = AppendLabel(data, descr, label)
		}
		if len(data) != 1+d.Size*len(test.labels) {
			t.Fatalf("%q: %d bytes", test.labels, len(data))
		}
		for i, want := range test.labels {
			if got, err := d.Label(data[1+i*d.Size : 1+(i+1)*d.Size]); got != want || err != nil {
				t.Errorf("%q is read as %q, %v", want, got, err)
			}
		}
	}
}

package npy

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/io/names"
	"blskernel/internal/testutil/faults"
)

// maxMessage bounds a message: some names of at most names.ShownText bytes, each of which may be quoted
// as four, and the sizes of maxDims dimensions.
const maxMessage = 2048

// FuzzReadHeader reads any bytes: the result is an Error, or a header whose sizes and bytes agree,
// which survives AppendHeader and ReadHeader.
func FuzzReadHeader(f *testing.F) {
	f.Add(file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n"))
	f.Add(file(2, "{'descr': '|O', 'fortran_order': True, 'shape': (), }\n"))
	f.Add(file(3, "{'descr': [('é', '<f8')], 'fortran_order': True, 'shape': (1L,), }\n"))
	f.Add(file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n"))
	f.Add(file(3, "{'descr': '<U9', 'fortran_order': False, 'shape': (0, 9223372036854775807), }\n"))
	f.Add(file(2, "{'"+strings.Repeat("x", 300)+"': 1}"))
	f.Add(append([]byte(Magic), 2, 0, 255, 255, 255, 255))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h Header
		var err error
		// Storage for the stated length; strings of the actual bytes; and sizes of 8 bytes,
		// each from at least two bytes.
		faults.Bounded(t, len(data), 16, MaxHeader+1<<13, func() { h, err = ReadHeader(bytes.NewReader(data)) })
		if err != nil {
			var known Error
			if !errors.As(err, &known) || len(err.Error()) > maxMessage {
				t.Errorf("error %.300v", err)
			}
			return
		}
		product := big.NewInt(int64(h.DType.Size))
		for _, n := range h.Shape {
			if n < 0 {
				t.Fatalf("shape %v", h.Shape)
			}
			product.Mul(product, big.NewInt(n))
		}
		if !product.IsInt64() || product.Int64() != h.Bytes || h.Length > int64(len(data)) {
			t.Errorf("%+v: %v bytes", h, product)
		}
		if h.Fortran || len(h.DType.Name) > 2*names.ShownText {
			return
		}
		var shape []int
		for _, n := range h.Shape {
			if n > math.MaxInt {
				return
			}
			shape = append(shape, int(n))
		}
		again, err := ReadHeader(bytes.NewReader(AppendHeader(nil, h.DType.Name, shape...)))
		if err != nil || again.DType != h.DType || !slices.Equal(again.Shape, h.Shape) || again.Bytes != h.Bytes {
			t.Errorf("%+v is read again as %+v, %v", h, again, err)
		}
	})
}

// FuzzElements decodes any bytes as elements of any type: numbers are finite or refused, labels are
// texts or refused, and both are the same when what was decoded is written and decoded again.
func FuzzElements(f *testing.F) {
	for _, kind := range []string{"f", "i", "u", "b", "U", "S"} {
		for _, size := range []string{"1", "2", "4", "8"} {
			for _, order := range []string{"<", ">", "|"} {
				f.Add(order+kind+size, []byte("\x00\x01\x02\x7f\xf0\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\xf8\x7f"))
			}
		}
	}
	f.Add("<f16", []byte("0123456789abcdef"))
	f.Add("|S"+strings.Repeat("0", 300)+"3", []byte("ab\xff"))
	f.Add("<U16385", []byte{})
	f.Fuzz(func(t *testing.T, descr string, data []byte) {
		d, err := ParseDType(descr)
		var known Error
		if err != nil {
			if !errors.As(err, &known) || len(err.Error()) > maxMessage {
				t.Errorf("error %.300v", err)
			}
			return
		}
		src := data[:len(data)/d.Size*d.Size]
		if !d.Text() {
			checkNumbers(t, d, src)
		}
		checkLabels(t, d, src)
	})
}

func checkNumbers(t *testing.T, d DType, src []byte) {
	var got []float64
	var err error
	// Eight bytes for an element of one byte, rounded up to a size class of the allocator.
	faults.Bounded(t, len(src), 10, 1<<12, func() { got, err = d.Decode(nil, src, false) })
	if err != nil && (!errors.As(err, new(Error)) || len(err.Error()) > maxMessage) || err == nil && len(got) != len(src)/d.Size {
		t.Fatalf("%d elements of %d, error %v", len(got), len(src)/d.Size, err)
	}
	again, err := DType{Kind: Float, Size: 8}.Decode(nil, AppendFloats(nil, got), false)
	same := slices.EqualFunc(got, again, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	if err != nil || !same {
		t.Errorf("%v are read again as %v, %v", got, again, err)
	}
}

func checkLabels(t *testing.T, d DType, src []byte) {
	var labels []string
	for ; len(src) > 0; src = src[d.Size:] {
		label, err := d.Label(src[:d.Size])
		var known Error
		if err != nil {
			if !errors.As(err, &known) || len(err.Error()) > maxMessage {
				t.Errorf("error %.300v", err)
			}
			continue
		}
		labels = append(labels, label)
	}
	descr := LabelType(labels)
	as, err := ParseDType(descr)
	if err != nil {
		if width, _ := strconv.Atoi(descr[2:]); as.Kind != Unicode || 4*width <= MaxText {
			t.Errorf("labels are written as %s: %v", descr, err)
		}
		return // longer than any text that is read
	}
	for _, label := range labels {
		if got, err := as.Label(AppendLabel(nil, descr, label)); err != nil || got != label {
			t.Errorf("the label %q is read again as %q, %v", label, got, err)
		}
	}
}

package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A ValueError says that an element is no finite float64.
type ValueError struct {
	Index int    // of the element among those given to Decode
	Value string // as text
	What  string // what is wrong with it, and what to do
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("npy: element %d is %s: %s", e.Index, e.Value, e.What)
}

// Decode appends the numbers of src to dst and returns it. bool is 0 or 1. Integers of 64 bits become
// float64 only where that is exact, which it is up to 2^53 and for some beyond.
//
//	panics: unless d is a number and len(src) a multiple of d.Size.
//	errors: *ValueError for the first NaN, infinity or integer that float64 cannot hold; dst then has
//	the numbers before it.
func (d DType) Decode(dst []float64, src []byte) ([]float64, error) {
	if d.Text() || len(src)%d.Size != 0 {
		panic("npy: Decode of text or of part of an element")
	}
	start := len(dst)
	n := len(src) / d.Size
	dst = slices.Grow(dst, n)[:start+n]
	out := dst[start:]
	bad := -1
	switch {
	case d.Kind == Float:
		bad = d.floats(out, src)
	case d.Size == 8:
		bad = d.longs(out, src)
	default:
		d.integers(out, src)
	}
	if bad < 0 {
		return dst, nil
	}
	return dst[:start+bad], d.valueError(bad, src[bad*d.Size:])
}

// floats decodes floating point numbers and returns the index of the first that is not finite, or -1.
func (d DType) floats(out []float64, src []byte) int {
	for i := range out {
		v := d.float(src[i*d.Size:])
		if v-v != 0 {
			return i
		}
		out[i] = v
	}
	return -1
}

func (d DType) float(b []byte) float64 {
	switch d.Size {
	case 8:
		return math.Float64frombits(d.bits(b))
	case 4:
		return float64(math.Float32frombits(uint32(d.bits(b))))
	}
	return half(uint16(d.bits(b)))
}

// longs decodes integers of 64 bits and returns the index of the first that float64 cannot hold, or -1.
func (d DType) longs(out []float64, src []byte) int {
	for i := range out {
		u := d.bits(src[8*i:])
		if d.Kind == Signed {
			v := int64(u)
			out[i] = float64(v)
			// MaxInt64 rounds to 2^63, which no int64 is: what converting it back gives depends on the processor.
			if out[i] == 1<<63 || int64(out[i]) != v {
				return i
			}
			continue
		}
		out[i] = float64(u)
		if out[i] == 1<<64 || uint64(out[i]) != u {
			return i
		}
	}
	return -1
}

// integers decodes integers of at most 32 bits and truth values.
func (d DType) integers(out []float64, src []byte) {
	for i := range out {
		u := d.bits(src[i*d.Size:])
		switch {
		case d.Kind == Signed:
			shift := 64 - 8*d.Size
			out[i] = float64(int64(u<<shift) >> shift)
		case d.Kind == Bool && u != 0:
			out[i] = 1
		default:
			out[i] = float64(u)
		}
	}
}

// bits returns the element at the front of b as an unsigned integer.
func (d DType) bits(b []byte) uint64 {
	switch d.Size {
	case 1:
		return uint64(b[0])
	case 2:
		if d.Big {
			return uint64(binary.BigEndian.Uint16(b))
		}
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		if d.Big {
			return uint64(binary.BigEndian.Uint32(b))
		}
		return uint64(binary.LittleEndian.Uint32(b))
	}
	if d.Big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// half is the number of IEEE 754's binary16: a sign, 5 bits of exponent with bias 15, 10 of fraction.
func half(h uint16) float64 {
	exponent := int(h>>10) & 0x1f
	fraction := float64(h & 0x3ff)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 0x1f:
		v = math.Inf(1)
		if fraction != 0 {
			return math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if h&0x8000 != 0 {
		return -v
	}
	return v
}

func (d DType) valueError(index int, b []byte) error {
	e := &ValueError{Index: index, What: "float64 cannot hold this integer exactly: divide or shift it before saving"}
	switch d.Kind {
	case Float:
		v := d.float(b)
		e.Value, e.What = fmt.Sprint(v), "infinite: remove the row or give it a finite value"
		if v != v {
			e.What = "a missing value: remove the row or fill it in before saving, for example with numpy.nan_to_num"
		}
	case Signed:
		e.Value = fmt.Sprint(int64(d.bits(b)))
	default:
		e.Value = fmt.Sprint(d.bits(b))
	}
	return e
}

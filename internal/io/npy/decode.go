package npy

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Decode appends the numbers of src to dst and returns the result. A bool becomes 0 or 1. An integer
// must be exact in float64, as all are up to 2^53. d must be a numeric type, and len(src) a multiple of
// d.Size. nan says whether NaN is accepted.
//
//	errors: an [Error] for the first NaN, infinity or inexact integer; the result then has the
//	numbers before it.
func (d DType) Decode(dst []float64, src []byte, nan bool) ([]float64, error) {
	start := len(dst)
	n := len(src) / d.Size
	dst = slices.Grow(dst, n)[:start+n]
	for i := range dst[start:] {
		u := d.bits(src[i*d.Size:])
		v, ok := d.number(u)
		if !ok && !(nan && v != v) {
			return dst[:start+i], d.valueError(u)
		}
		dst[start+i] = v
	}
	return dst, nil
}

// bits returns the element at the front of b as an unsigned integer.
func (d DType) bits(b []byte) uint64 {
	var u uint64
	switch d.Size {
	case 1:
		return uint64(b[0])
	case 2:
		u = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		u = uint64(binary.LittleEndian.Uint32(b))
	default:
		u = binary.LittleEndian.Uint64(b)
	}
	if d.Big {
		return bits.ReverseBytes64(u) >> (64 - 8*d.Size)
	}
	return u
}

// number returns the number with the bits u, and whether it is finite and exact.
func (d DType) number(u uint64) (v float64, ok bool) {
	switch {
	case d.Kind == Float:
		v = d.float(u)
		return v, v-v == 0
	case d.Kind == Signed:
		n := d.signed(u)
		v = float64(n)
		// MaxInt64 rounds to 2^63, whose conversion back depends on the processor.
		return v, v != 1<<63 && int64(v) == n
	case d.Kind == Bool && u != 0:
		return 1, true
	}
	v = float64(u)
	return v, v != 1<<64 && uint64(v) == u
}

// signed returns u as a signed integer of d.Size bytes.
func (d DType) signed(u uint64) int64 {
	shift := 64 - 8*d.Size
	return int64(u<<shift) >> shift
}

func (d DType) float(u uint64) float64 {
	switch d.Size {
	case 8:
		return math.Float64frombits(u)
	case 4:
		return float64(math.Float32frombits(uint32(u)))
	}
	return half(uint16(u))
}

// Round returns v rounded to the precision of d if d is Float. float32 can overflow, float16 does not.
func (d DType) Round(v float64) float64 {
	switch {
	case d.Kind != Float || d.Size == 8:
		return v
	case d.Size == 4:
		return float64(float32(v))
	}
	_, exponent := math.Frexp(v)
	last := max(exponent-11, -24) // exponent of the last bit, as in half
	const integers = 0x1.8p52     // near which float64s are the integers
	return math.Ldexp(float64(math.Ldexp(v, -last)+integers)-integers, last)
}

// half returns the value of an IEEE 754 binary16: sign, 5-bit exponent of bias 15, 10-bit fraction.
func half(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	fraction := float64(h & 0x3ff)
	switch exponent := int(h>>10) & 0x1f; {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		return sign * math.Inf(1)
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	default:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	}
}

func (d DType) valueError(u uint64) error {
	const inexact = "an integer that float64 cannot hold exactly; divide or shift it before saving"
	v := d.float(u)
	switch {
	case d.Kind == Signed:
		return errorf("%d, %s", d.signed(u), inexact)
	case d.Kind == Unsigned:
		return errorf("%d, %s", u, inexact)
	case v != v:
		return errorf("NaN, a missing value; fill it in before saving, for example with numpy.nan_to_num, or remove the row")
	}
	return errorf("%v, infinite; save a finite value, or remove the row", v)
}

package npy

import (
	"slices"
	"strconv"

	"blskernel/internal/io/names"
)

// Kinds of elements.
const (
	Bool     = 'b'
	Signed   = 'i'
	Unsigned = 'u'
	Float    = 'f'
	Unicode  = 'U' // UTF-32, padded with zeros
	Bytes    = 'S' // bytes, padded with zeros
)

// MaxText is the largest size in bytes of a text element.
const MaxText = 1 << 16

// A DType is the type of the elements of an array.
type DType struct {
	Kind byte
	Size int    // bytes of one element
	Big  bool   // most significant byte first
	Name string // as the header spells it
}

// Text reports whether the elements are text rather than numbers.
func (d DType) Text() bool { return d.Kind == Unicode || d.Kind == Bytes }

// sizes lists the sizes of the numbers that can be read.
var sizes = map[byte][]int{Bool: {1}, Signed: {1, 2, 4, 8}, Unsigned: {1, 2, 4, 8}, Float: {2, 4, 8}}

// refused describes the kinds of elements that are not read, and says what to do.
var refused = map[byte]string{
	'c': "complex numbers; save x.real, x.imag or abs(x)",
	'O': "Python objects, which are pickled and never read because unpickling can run any program; save x.astype('float64'), or x.astype('str') for labels",
	'M': "dates; save x.astype('int64'), or differences as numbers",
	'm': "time spans; save x.astype('int64')",
	'V': "raw records; save plain columns of numbers",
	'a': "zero-terminated bytes; save x.astype('S') or x.astype('U')",
	'T': "strings of varying length; save x.astype('U')",
}

// ParseDType reads a type as NumPy writes it: a byte order (< little-endian, > big-endian, | none), a
// kind and a size, as in <f8.
//
//	errors: an [Error] with the type, unless it is b1, i or u (1, 2, 4, 8), f (2, 4, 8), U or S.
func ParseDType(descr string) (DType, error) {
	d := DType{Name: descr}
	unknown := errorf("the elements have the unknown type %s; save x.astype('float64')", names.Shorten(descr))
	if len(descr) < 2 {
		return d, unknown
	}
	order, rest := descr[0], descr[1:]
	d.Kind = rest[0]
	if why, ok := refused[d.Kind]; ok {
		return d, errorf("elements of type %s are %s", names.Shorten(descr), why)
	}
	size, err := strconv.ParseUint(rest[1:], 10, 31)
	if err != nil {
		return d, unknown
	}
	d.Size = int(size)
	switch order {
	case '<', '|':
	case '>':
		d.Big = true
	default:
		return d, errorf("the element type %s has an unknown byte order; save x.astype('float64')", names.Shorten(descr))
	}
	if d.Text() {
		return d.checkText(size)
	}
	if d.Kind == Float && size > 8 {
		return d, errorf("elements of type %s are extended-precision numbers, whose format differs between machines; save x.astype('float64')", names.Shorten(descr))
	}
	if !slices.Contains(sizes[d.Kind], d.Size) || d.Size > 1 && order == '|' {
		return d, unknown
	}
	return d, nil
}

// checkText returns the text type d with its Size in bytes, or an error if Size is 0 or above MaxText.
// size is the number in the type's name; for the kind Unicode it counts characters of 4 bytes.
func (d DType) checkText(size uint64) (DType, error) {
	if d.Kind == Unicode {
		size *= 4
	}
	if size == 0 {
		return d, errorf("elements of type %s have length 0; save text that is not empty", names.Shorten(d.Name))
	}
	if size > MaxText {
		return d, errorf("elements of type %s have %d bytes each; at most %d can be read", names.Shorten(d.Name), size, MaxText)
	}
	d.Size = int(size)
	return d, nil
}

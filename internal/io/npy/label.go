package npy

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

// Label returns the element b as the name of a class: text without its padding, integers in decimal,
// bools as False and True, and whole floating-point numbers as integers. b has d.Size bytes.
//
//	errors: an [Error] for text that is empty or not Unicode, and for numbers that are not whole.
func (d DType) Label(b []byte) (string, error) {
	switch d.Kind {
	case Unicode:
		return d.utf32(b)
	case Bytes:
		text := string(bytes.TrimRight(b, "\x00"))
		if text == "" {
			return "", errEmptyLabel
		}
		if !utf8.ValidString(text) {
			return "", errorf("the label %s is not UTF-8; save the labels as x.astype('U')", names.Shorten(text))
		}
		return text, nil
	case Bool:
		if b[0] != 0 {
			return "True", nil
		}
		return "False", nil
	case Unsigned:
		return strconv.FormatUint(d.bits(b), 10), nil
	case Signed:
		return strconv.FormatInt(d.signed(d.bits(b)), 10), nil
	}
	return FloatLabel(d.float(d.bits(b)))
}

const errEmptyLabel = Error("the label is empty")

// FloatLabel returns the class name of the whole number v, in decimal.
//
//	errors: an [Error] if v is not whole, not finite or beyond ±2^53.
func FloatLabel(v float64) (string, error) {
	if v != math.Trunc(v) || !(math.Abs(v) <= 1<<53) {
		return "", errorf("the label %v is not a whole number from -2^53 to 2^53; save labels as integers or text, or use regression", v)
	}
	return strconv.FormatInt(int64(v), 10), nil
}

func (d DType) utf32(b []byte) (string, error) {
	one := DType{Size: 4, Big: d.Big}
	var text strings.Builder
	end := len(b)
	for end > 0 && one.bits(b[end-4:]) == 0 {
		end -= 4
	}
	if end == 0 {
		return "", errEmptyLabel
	}
	for i := 0; i < end; i += 4 {
		c := one.bits(b[i:])
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", errorf("the label has the code point %#x, which is not valid in Unicode; correct the labels and save them again", c)
		}
		text.WriteRune(rune(c))
	}
	return text.String(), nil
}

// Format returns b as text: a bool as 0 or 1, integers and (to 2^53) whole floats without an exponent.
func (d DType) Format(b []byte) string {
	switch d.Kind {
	case Bool:
		return strconv.Itoa(int(min(b[0], 1)))
	case Signed, Unsigned:
		text, _ := d.Label(b) // an integer has one
		return text
	}
	v, form := d.float(d.bits(b)), byte('g')
	if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
		form = 'f'
	}
	return strconv.FormatFloat(v, form, -1, 64)
}

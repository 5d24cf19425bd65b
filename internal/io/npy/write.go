package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Types of the elements that are written, as headers spell them. [Text] returns the type of strings.
const (
	Float64 = "<f8"
	Int64   = "<i8"
)

// Text returns the type of strings of up to width characters.
func Text(width int) string { return fmt.Sprintf("<U%d", width) }

// alignment is the alignment of the first element in bytes, as NumPy recommends for memory mapping.
const alignment = 64

// AppendHeader appends to dst the header, version 1.0, of an array with the given shape and the type
// descr, in C order. The header is padded with spaces to a multiple of 64 bytes.
func AppendHeader(dst []byte, descr string, shape ...int) []byte {
	sizes := make([]string, len(shape))
	for i, n := range shape {
		sizes[i] = strconv.Itoa(n)
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	const before = len(Magic) + 2 + 2 // the version and the length of the rest
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	padding := (alignment - (before+len(text)+1)%alignment) % alignment
	text += strings.Repeat(" ", padding) + "\n"
	dst = append(dst, Magic+"\x01\x00"...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(text)))
	return append(dst, text...)
}

// AppendFloats appends values to dst as elements of type [Float64].
func AppendFloats(dst []byte, values []float64) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

// WriteFloats writes values as elements of type [Float64], 64 KiB at a time.
//
//	errors: an error of w.
func WriteFloats(w io.Writer, values []float64) error {
	const chunk = 1 << 13
	buffer := make([]byte, 0, 8*min(len(values), chunk))
	for len(values) > 0 {
		n := min(len(values), chunk)
		if _, err := w.Write(AppendFloats(buffer[:0], values[:n])); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// LabelType returns the type for an array of labels. It is [Int64] if all are whole numbers as NumPy
// writes them, unlike 007 or +1. Otherwise it is [Text] as wide as the longest label, and at least one
// character.
func LabelType(labels []string) string {
	whole, width := true, 1
	for _, label := range labels {
		v, err := strconv.ParseInt(label, 10, 64)
		whole = whole && err == nil && strconv.FormatInt(v, 10) == label
		width = max(width, utf8.RuneCountInString(label))
	}
	if whole {
		return Int64
	}
	return Text(width)
}

// AppendLabel appends a label to dst as an element of type descr, which [LabelType] has returned for
// the labels. Bytes that are not UTF-8 become U+FFFD.
func AppendLabel(dst []byte, descr, label string) []byte {
	if descr == Int64 {
		v, _ := strconv.ParseInt(label, 10, 64) // LabelType has checked it
		return binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	width, _ := strconv.Atoi(strings.TrimPrefix(descr, "<U"))
	end := len(dst) + 4*width
	for _, r := range label {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(r))
	}
	return append(dst, make([]byte, end-len(dst))...)
}

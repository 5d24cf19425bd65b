package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The element types of the arrays that are written, as NumPy names them: float64, int64, and strings of
// so many characters, all little end first.
const (
	npyFloat64 = "<f8"
	npyInt64   = "<i8"
	npyString  = "<U%d"
)

// npyAlignment is that of the first element in the file, which NumPy recommends so that arrays can be
// mapped into memory.
const npyAlignment = 64

// npyHeader returns what precedes the elements of an array in C order in a file of version 1.0 of the
// format npy.
func npyHeader(descr string, shape ...int) []byte {
	var sizes []string
	for _, n := range shape {
		sizes = append(sizes, strconv.Itoa(n))
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	const before = len("\x93NUMPY\x01\x00") + 2 // the magic, the version, and the length of the rest
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	padding := (npyAlignment - (before+len(text)+1)%npyAlignment) % npyAlignment
	text += strings.Repeat(" ", padding) + "\n"
	header := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text)))
	return append(header, text...)
}

// writeFloats writes the elements of an array of type npyFloat64.
func writeFloats(w *bufio.Writer, values []float64) error {
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	return nil
}

// labelType returns the element type of an array of labels: npyInt64 where all are whole numbers as
// NumPy writes them, else npyString.
func labelType(labels []string) string {
	whole, width := true, 1
	for _, label := range labels {
		v, err := strconv.ParseInt(label, 10, 64)
		whole = whole && err == nil && strconv.FormatInt(v, 10) == label
		width = max(width, utf8.RuneCountInString(label))
	}
	if whole {
		return npyInt64
	}
	return fmt.Sprintf(npyString, width)
}

// labelBytes returns a label as an element of an array of the type that labelType returned.
func labelBytes(label, descr string) []byte {
	if descr == npyInt64 {
		v, err := strconv.ParseInt(label, 10, 64)
		if err != nil {
			panic("label is no number") // labelType looked at it
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(v))
	}
	var width int
	if _, err := fmt.Sscanf(descr, npyString, &width); err != nil {
		panic("not a type of labels")
	}
	b := make([]byte, 0, 4*width)
	for _, r := range label {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return append(b, make([]byte, 4*width-len(b))...)
}

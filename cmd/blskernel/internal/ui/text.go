package ui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

// Printable returns text as a table can show it: quoted unless it is printable UTF-8.
// It does not cut text, since long names may differ only at their ends.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// Escaped returns text in a form that is safe for a terminal. Characters other than line breaks that
// are not printable, and bytes that are not UTF-8, are escaped as in a Go string.
func Escaped(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r != '\n' && (!strconv.IsPrint(r) || r == utf8.RuneError && size == 1) {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Count formats n and the noun thing, as in "3 rows". The default plural is thing with an s.
func Count[N int | int64](n N, thing string, plural ...string) string {
	return names.Count(n, thing, plural...)
}

// Join returns the elements of list with commas between them, and word before the last: "a, b or c".
func Join(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + word + " " + list[last]
}

package ui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

// Printable returns text as a table can show it: quoted if it is not UTF-8 or has control characters.
// It does not cut text, since long names may differ only at their ends.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// Escaped returns lines of text in a form that is safe for a terminal. Characters that are not
// printable are escaped as in a Go string.
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

// Count formats n and a noun, as in "3 rows"; see names.Count.
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

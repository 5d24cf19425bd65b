package flagvalue

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ParseComma returns the separator that s names: a character, or tab; 0 for an empty s.
func ParseComma(s string) (rune, error) {
	switch strings.ToLower(s) {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) || r == utf8.RuneError || strings.ContainsRune("\"\r\n", r) {
		return 0, errors.New("want one character, or tab")
	}
	return r, nil
}

package flagvalue

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ParseSign returns the sign in numbers that s names: comma, point, space, or a character; 0 for an
// empty s.
func ParseSign(s string) (rune, error) {
	switch strings.ToLower(s) {
	case "":
		return 0, nil
	case "comma":
		return ',', nil
	case "point":
		return '.', nil
	case "space":
		return ' ', nil
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) || r == utf8.RuneError {
		return 0, errors.New("want comma, point, space or one character")
	}
	return r, nil
}

// Package flagvalue parses the flag values that several programs of this repository accept.
package flagvalue

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseComma returns the separator that s names: a tab for the word tab or \t, or s itself if it is one
// character. It returns 0 for "", and an error for other text, a quotation mark or a line break.
func ParseComma(s string) (rune, error) {
	r, ok := character(s, map[string]rune{"tab": '\t', `\t`: '\t'})
	if !ok || strings.ContainsRune("\"\r\n", r) {
		return 0, errors.New("want a comma, a semicolon, the word tab or another sign, but none of . + - _ and no quotation mark")
	}
	return r, nil
}

// ParseSign returns the decimal or thousands sign that s names: s itself if it is one character, or
// the sign for the word comma, point or space. It returns 0 for "", and an error for other text.
func ParseSign(s string) (rune, error) {
	r, ok := character(s, map[string]rune{"comma": ',', "point": '.', "space": ' '})
	if !ok {
		return 0, errors.New("want comma or point; as a thousands sign also space, ' or _")
	}
	return r, nil
}

// character returns named[s], ignoring case, or the only character of s. It returns 0, true for "".
func character(s string, named map[string]rune) (r rune, ok bool) {
	if r, ok = named[strings.ToLower(s)]; ok || s == "" {
		return r, true
	}
	r, n := utf8.DecodeRuneInString(s)
	return r, n == len(s) && r != utf8.RuneError
}

// ParseRidge parses a ridge: a decimal number, or a power of two such as the paper's 2^-30. It returns
// an error if the ridge is negative or not finite, or is positive but underflows to 0.
func ParseRidge(s string) (float64, error) {
	var v float64
	var err error
	if exponent, ok := strings.CutPrefix(s, "2^"); ok {
		var n int
		n, err = strconv.Atoi(exponent)
		v = math.Ldexp(1, n)
	} else {
		v, err = strconv.ParseFloat(s, 64)
	}
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, errors.New("want a finite number, 0 or more, such as 1e-6 or 2^-30")
	}
	if v == 0 && strings.ContainsAny(strings.SplitN(strings.ToLower(s), "e", 2)[0], "123456789") {
		return 0, errors.New("too small for a float64; want a larger ridge, or 0 for least squares")
	}
	return v, nil
}

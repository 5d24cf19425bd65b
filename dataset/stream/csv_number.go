package stream

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// powers are those of ten that float64 has exactly and that 19 digits can need.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// scanNumber reads the number in the cell of line that begins at byte at, and returns where the cell
// ends: at comma or at the end of line. ok is false if the cell has no finite number.
//
// The usual cell, digits with or without a point, is read in one pass: m/10^e, with m < 2^53 and e <=
// 19, is one division of two exact numbers and therefore rounded as strconv.ParseFloat rounds it.
// Everything else is left to ParseFloat.
func scanNumber(line []byte, at int, comma byte) (v float64, end int, ok bool) {
	i := at
	negative := i < len(line) && line[i] == '-'
	if negative {
		i++
	}
	m := uint64(0)
	from := i
	for i < len(line) && line[i]-'0' <= 9 {
		m = 10*m + uint64(line[i]-'0')
		i++
	}
	digits, decimals := i-from, 0
	if i < len(line) && line[i] == '.' {
		i++
		from = i
		for i < len(line) && line[i]-'0' <= 9 {
			m = 10*m + uint64(line[i]-'0')
			i++
		}
		decimals = i - from
		digits += decimals
	}
	// Up to 19 digits m has not overflowed.
	if (i == len(line) || line[i] == comma) && 0 < digits && digits < len(powers) && m <= 1<<53 {
		v = float64(m)
		if decimals > 0 {
			v /= powers[decimals]
		}
		if negative {
			v = -v
		}
		return v, i, true
	}
	end = len(line)
	if n := bytes.IndexByte(line[at:], comma); n >= 0 {
		end = at + n
	}
	// ParseFloat does not keep its argument, so that no string of a usual length is allocated.
	v, err := strconv.ParseFloat(string(bytes.Trim(line[at:end], " \t")), 64)
	return v, end, err == nil && v-v == 0
}

// number reads a trimmed cell. The error has only What.
func number(cell string) (float64, error) {
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case isMissing(cell):
		return 0, &Error{What: fmt.Sprintf("%s is a missing value: remove the line or fill in a number", shorten(cell))}
	case errors.Is(err, strconv.ErrRange):
		return 0, &Error{What: fmt.Sprintf("%s is too large for a float64: scale the column", shorten(cell))}
	case err != nil && isNumber(strings.Replace(cell, ",", ".", 1)):
		return 0, &Error{What: fmt.Sprintf("%s has a decimal comma: write a point", shorten(cell))}
	case err != nil:
		return 0, &Error{What: fmt.Sprintf("%s is no number: correct it, or leave the column out of those that are read", shorten(cell))}
	case v-v != 0:
		return 0, &Error{What: fmt.Sprintf("%s is infinite: remove the line or give a finite number", shorten(cell))}
	}
	return v, nil
}

// isNumber reports whether ParseFloat can read a trimmed cell, be it to infinity.
func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isMissing reports whether a trimmed cell stands for a value that is not there.
func isMissing(cell string) bool {
	switch strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(cell, "+"), "-")) {
	case "", "na", "n/a", "nan", "null", "none", "?":
		return true
	}
	return false
}

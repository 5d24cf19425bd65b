package stream

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// powers are the powers of ten up to 10^19, all exact in float64.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// scanNumber reads the cell of line that begins at byte at, and returns where it ends: at comma or at
// the end of line. ok is false unless the cell is a finite number.
//
// Digits with or without a point are read in one pass: m/10^e, with m <= 2^53 and e <= 19, divides two
// exact numbers and rounds as strconv.ParseFloat does, which reads everything else.
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

// number reads a trimmed cell. The fault has only What.
func number(cell string) (float64, *Error) {
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case cell == "":
		return 0, faultf("is empty; fill in a number or remove the row")
	case isMissing(cell):
		return 0, faultf("is %s, a missing value; fill in a number or remove the row", shorten(cell))
	case errors.Is(err, strconv.ErrRange):
		return 0, faultf("is %s, too large for a float64; scale the column", shorten(cell))
	case err != nil && isNumber(strings.Replace(cell, ",", ".", 1)):
		return 0, faultf("is %s, with a decimal comma; write a point", shorten(cell))
	case err != nil:
		return 0, faultf("is %s, not a number; correct it, or do not select the column", shorten(cell))
	case v-v != 0:
		return 0, faultf("is %s, infinite; give a finite number or remove the row", shorten(cell))
	}
	return v, nil
}

// isNumber reports whether ParseFloat can read a trimmed cell, even to infinity.
func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isMissing reports whether a trimmed cell stands for a missing value.
func isMissing(cell string) bool {
	switch strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(cell, "+"), "-")) {
	case "", "na", "n/a", "nan", "null", "none", "?":
		return true
	}
	return false
}

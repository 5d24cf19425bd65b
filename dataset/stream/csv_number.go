package stream

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A notation is how the numbers of a column are written, of its Notation and the Options.
type notation struct {
	decimal   rune     // '.' or ','; 0 for a point
	thousands rune     // between groups of three digits before decimals; 0 for none
	unit      rune     // of every number; 0 for none
	na        []string // more words for a missing value
	slow      bool     // strconv alone does not read it
}

// validThousands reports whether r can separate thousands.
func validThousands(r rune) bool {
	return strings.ContainsRune(" '.,_\u00a0\u202f\u2019", r)
}

// twins are characters that are read as another thousands separator.
var twins = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2019", "'")

// value returns the number of a trimmed cell, with the errors of strconv.ParseFloat.
func (n notation) value(cell string) (float64, error) {
	if !n.slow {
		return strconv.ParseFloat(cell, 64)
	}
	if n.unit != 0 {
		var unit rune
		if unit, cell = cutUnit(cell); unit != n.unit {
			cell = ""
		}
	}
	return strconv.ParseFloat(n.plain(cell), 64)
}

// plain returns a number in Go's notation, and an empty text if the cell is not a number in n.
func (n notation) plain(cell string) string {
	whole, fraction := cell, ""
	if n.decimal == ',' {
		if n.thousands != '.' && strings.Contains(cell, ".") {
			return ""
		}
		whole, fraction, _ = strings.Cut(cell, ",")
	} else if at := strings.IndexByte(cell, '.'); at >= 0 {
		whole, fraction = cell[:at], cell[at+1:]
	}
	if len(whole) < len(cell) {
		fraction = "." + fraction
	}
	if n.thousands == 0 {
		return whole + fraction
	}
	separator := twins.Replace(string(n.thousands))
	groups := strings.Split(twins.Replace(whole), separator)
	for i, group := range groups {
		digits := group
		if i == 0 {
			digits = strings.TrimLeft(group, "+-")
		}
		if len(groups) > 1 && (strings.Trim(digits, "0123456789") != "" || i > 0 && len(digits) != 3 ||
			i == 0 && strings.HasPrefix(digits, "0") || len(digits) == 0 || len(digits) > 3) {
			return ""
		}
	}
	return strings.Join(groups, "") + fraction
}

// isNumber reports whether a trimmed cell is a number, even an infinite one.
func (n notation) isNumber(cell string) bool {
	_, err := n.value(cell)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// number reads a trimmed cell, as NaN if it is missing and that is allowed. The fault has no place.
func (n notation) number(cell string, missing, optional bool) (float64, *Error) {
	absent := n.isMissing(cell)
	if missing && absent {
		return math.NaN(), nil
	}
	v, err := n.value(cell)
	switch {
	case cell == "":
		return 0, Errorf("is empty; fill in a number or remove the row")
	case absent:
		return 0, Errorf("is %s, a missing value; fill in a number or remove the row", shorten(cell))
	case errors.Is(err, strconv.ErrRange):
		return 0, Errorf("is %s, too large for a float64; scale the column", shorten(cell))
	case err == nil && v-v != 0:
		return 0, Errorf("is %s, infinite; give a finite number or remove the row", shorten(cell))
	case err == nil:
		return v, nil
	case isDate(cell):
		return 0, Errorf("is %s, a date; "+dateAdvice, shorten(cell), exclude)
	case n.unit != 0 && !n.hasUnit(cell):
		return 0, Errorf("is %s, without the %c that its column has; add it or remove the row", shorten(cell), n.unit)
	case n.decimal != ',' && notation{decimal: ',', slow: true}.isNumber(cell):
		return 0, Errorf("is %s, which has a comma: write a point, or say by %v or %v what the comma is", shorten(cell),
			Remedy{OptionDecimal, ","}, Remedy{OptionThousands, ","})
	case optional:
		return 0, Errorf("is %s, not a number; correct it, or use %v", shorten(cell), exclude)
	}
	return 0, Errorf("is %s, not a number; correct it or remove the row", shorten(cell))
}

const dateAdvice = "leave the column out by %v, or make numbers of its dates, such as days since a day"

// isMissing reports whether a trimmed cell stands for a missing value, by itself or by Options.NA.
func (n notation) isMissing(cell string) bool { return isMissing(cell) || slices.Contains(n.na, cell) }

// isMissing reports whether a trimmed cell stands for a missing value.
func isMissing(cell string) bool {
	if len(cell) > len("null") {
		return false
	}
	switch strings.ToLower(cell) {
	case "", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?":
		return true
	}
	return false
}

// dates are the forms of dates and times, by numbers or with the name of a month.
var dates = regexp.MustCompile(`^(?i:` +
	`\d{4}([-/.])(0?[1-9]|1[0-2])([-/.](0?[1-9]|[12]\d|3[01]))?([T ,].*)?|` +
	`(0?[1-9]|[12]\d|3[01])([-/.])(0?[1-9]|[12]\d|3[01])[-/.](\d{2}|\d{4})([T ,].*)?|` +
	`([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[ap]m)?|` +
	`([a-z]{3,9},? )?(\d{1,2}[-. ]+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-. ,]+(\d{1,2},? +)?\d{2,4}([T ,].*)?)$`)

// maxDate bounds the bytes of a date.
const maxDate = 64

// isDate reports whether a trimmed cell, which is no number, is a date or a time.
func isDate(cell string) bool {
	return len(cell) <= maxDate && strings.ContainsFunc(cell, unicode.IsDigit) && dates.MatchString(cell)
}

// powers are the powers of ten up to 10^19, all exact in float64.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// scanNumber reads the cell of line that begins at byte at, and returns where it ends: at comma or at
// the end of line. ok is false unless the cell is a finite number.
//
// Digits with or without a point are read in one pass: m/10^e, with m <= 2^53 and e <= 19, divides two
// exact numbers and rounds as strconv.ParseFloat does, which reads everything else.
func scanNumber(line string, at int, comma byte) (v float64, end int, ok bool) {
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
	end = cellEnd(line, at, comma)
	v, err := strconv.ParseFloat(trim(line[at:end]), 64)
	return v, end, err == nil && v-v == 0
}

// cellEnd returns where the cell of line that begins at byte at ends.
func cellEnd(line string, at int, comma byte) int {
	if n := strings.IndexByte(line[at:], comma); n >= 0 {
		return at + n
	}
	return len(line)
}

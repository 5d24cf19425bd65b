package stream

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"blskernel/internal/io/names"
)

// A notation describes how the numbers of a column are written. It merges a Notation and the Options.
type notation struct {
	decimal   rune     // '.' or ','; 0 for a point
	thousands rune     // between groups of three digits before the decimal sign; 0 for none
	unit      rune     // of every number; 0 for none
	na        []string // further words for a missing value
}

// separators are the characters that may separate thousands. Points and commas may be decimal signs.
const separators = " '.,_\u00a0\u202f\u2019"

func validThousands(r rune) bool { return strings.ContainsRune(separators, r) }

// twins maps variants of a thousands separator to the usual character.
var twins = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2019", "'")

// value returns the number that a trimmed cell holds, with the errors of parse.
func (n notation) value(cell string) (float64, error) {
	if n.decimal != ',' && n.thousands == 0 && n.unit == 0 {
		if v, ok := short(cell); ok {
			return v, nil
		}
		return parse(cell)
	}
	if n.unit != 0 {
		var unit rune
		if unit, cell = cutUnit(cell); unit != n.unit {
			cell = ""
		}
	}
	return parse(n.plain(cell))
}

// parse is strconv.ParseFloat for decimal numbers. It returns strconv.ErrSyntax for underscores, as in
// the range 18_24, and for hexadecimal numbers, which are codes in a table.
func parse(number string) (float64, error) {
	if !decimal(number) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(number, 64)
}

// decimal reports whether text may be a decimal number, NaN or an infinity. It allocates nothing. The
// errors of strconv for a line of short words would take a thousand times the memory of the line.
func decimal(text string) bool {
	rest := text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	if len(rest) > 2 && (rest[0]|0x20 == 'i' || rest[0]|0x20 == 'n') {
		return len(rest) == 3 || len(rest) == len("infinity")
	}
	i := 0
	for i < len(rest) && rest[i]-'0' <= 9 {
		i++
	}
	digits := i
	if i < len(rest) && rest[i] == '.' {
		for i++; i < len(rest) && rest[i]-'0' <= 9; i++ {
			digits++
		}
	}
	exponent := rest[i:]
	if len(exponent) > 1 && exponent[0]|0x20 == 'e' {
		if exponent = exponent[1:]; exponent[0] == '+' || exponent[0] == '-' {
			exponent = exponent[1:]
		}
		return digits > 0 && exponent != "" && strings.Trim(exponent, "0123456789") == ""
	}
	return digits > 0 && exponent == ""
}

// powers are powers of ten, exact in float64.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// short reads a number of at most 15 digits without an exponent; ok is false for any other text. The
// digits and the power of ten are below 2^53, so their quotient is the nearest float64. strconv gives
// the same result, but short cuts the time to read a file of such numbers by a third.
func short(cell string) (v float64, ok bool) {
	digits := strings.TrimPrefix(cell, "-")
	n, point := len(digits), -1
	if n > 16 {
		return 0, false
	}
	var m uint64
	for i := range n {
		switch c := digits[i]; {
		case c-'0' <= 9:
			m = 10*m + uint64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	decimals := 0
	if point >= 0 {
		n--
		decimals = n - point
	}
	if n == 0 || n > 15 {
		return 0, false
	}
	v = float64(m) / powers[decimals]
	if len(digits) < len(cell) {
		v = -v
	}
	return v, true
}

// plain rewrites a number without its unit, from n to Go's notation. It returns "" if cell is not in n.
func (n notation) plain(cell string) string {
	point := "."
	if n.decimal == ',' {
		if point = ","; n.thousands != '.' && strings.Contains(cell, ".") {
			return ""
		}
	}
	whole, fraction, found := strings.Cut(cell, point)
	if found {
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

// number returns the finite number in a trimmed cell, or a fault without a place. If missing is true, a
// missing cell is NaN. If optional is true, the fault may suggest leaving out the column.
func (n notation) number(cell string, missing, optional bool) (float64, *Error) {
	v, err := n.value(cell)
	absent := (err != nil || v != v || n.na != nil) && n.isMissing(cell)
	if err == nil && v-v == 0 && !absent {
		return v, nil
	}
	switch unit, _ := cutUnit(cell); {
	case missing && absent:
		return math.NaN(), nil
	case cell == "":
		return 0, Errorf("is empty; fill in a number or remove the row")
	case absent:
		return 0, Errorf("is %s, a missing value; fill in a number or remove the row", names.Shorten(cell))
	case errors.Is(err, strconv.ErrRange):
		return 0, Errorf("is %s, too large for a float64; scale the column", names.Shorten(cell))
	case err == nil:
		return 0, Errorf("is %s, infinite; give a finite number or remove the row", names.Shorten(cell))
	case optional && isDate(cell):
		return 0, Errorf("is %s, a date; "+dateAdvice, names.Shorten(cell), exclude)
	case isDate(cell):
		return 0, Errorf("is %s, a date; turn it into a number or remove the row", names.Shorten(cell))
	case n.unit != 0 && unit != n.unit:
		return 0, Errorf("is %s, without the unit %c of its column; add the unit or remove the row", names.Shorten(cell), n.unit)
	case n.decimal != ',' && notation{decimal: ','}.isNumber(cell):
		return 0, Errorf("is %s, which has a comma: use a decimal point, or declare the comma with %v or %v", names.Shorten(cell),
			Remedy{OptionDecimal, ","}, Remedy{OptionThousands, ","})
	case optional:
		return 0, Errorf("is %s, not a number; correct it, mark it as missing with %v, or leave the column out with %v", names.Shorten(cell), Remedy{Option: OptionNA}, exclude)
	}
	return 0, Errorf("is %s, not a number; correct it or remove the row", names.Shorten(cell))
}

const dateAdvice = "leave the column out with %v, or turn its dates into numbers, such as days since a given day"

// isMissing reports whether a trimmed cell is empty, one of the usual words, or a word of Options.NA.
func (n notation) isMissing(cell string) bool {
	if len(cell) <= len("null") {
		switch strings.ToLower(cell) {
		case "", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?":
			return true
		}
	}
	return slices.Contains(n.na, cell)
}

// dates matches dates and times, in numbers or with the name of a month.
var dates = regexp.MustCompile(`^(?i:` +
	`\d{4}([-/.])(0?[1-9]|1[0-2])([-/.](0?[1-9]|[12]\d|3[01]))?([T ,].*)?|` +
	`(0?[1-9]|[12]\d|3[01])([-/.])(0?[1-9]|[12]\d|3[01])[-/.](\d{2}|\d{4})([T ,].*)?|` +
	`([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[ap]m)?|` +
	`([a-z]{3,9},? )?(\d{1,2}[-. ]+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-. ,]+(\d{1,2},? +)?\d{2,4}([T ,].*)?)$`)

// maxDate is the largest number of bytes in a date.
const maxDate = 64

// isDate reports whether a trimmed cell, which is not a number, is a date or a time.
func isDate(cell string) bool {
	return len(cell) <= maxDate && strings.ContainsFunc(cell, unicode.IsDigit) && dates.MatchString(cell)
}

func negativeWeight(v float64) string {
	return fmt.Sprintf("is %v, a negative weight; give 0 or more, or remove the row", v)
}

// trim returns cell without the spaces and tabs around it.
func trim(cell string) string {
	if cell == "" || cell[0] > ' ' && cell[len(cell)-1] > ' ' { // strings.Trim is slow, and few cells need it
		return cell
	}
	return strings.Trim(cell, " \t")
}

package stream

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Notation describes how numbers in a column of text are written. The zero value has a decimal point,
// no thousands separator, and no unit. [Reader.Survey] detects the Notation in the data.
type Notation struct {
	Decimal   string `json:"decimal,omitempty"`   // a comma; empty for a point
	Thousands string `json:"thousands,omitempty"` // as Options.Thousands; empty for none
	// Unit is %, after each number, or a currency sign, before or after it; empty for none. 43.3%
	// is read as 43.3. A number without the unit is bad.
	Unit string `json:"unit,omitempty"`
}

// String returns n in words, as in "in $, with a comma between thousands", or "" for the zero value.
func (n Notation) String() string {
	var parts []string
	switch {
	case n.Unit == "%":
		parts = append(parts, "in percent")
	case n.Unit != "":
		parts = append(parts, "in "+n.Unit)
	}
	named := map[string]string{",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe"}
	if n.Decimal != "" {
		parts = append(parts, "with a decimal comma")
	}
	if n.Thousands != "" {
		parts = append(parts, "with "+cmp.Or(named[n.Thousands], n.Thousands)+" between thousands")
	}
	return strings.Join(parts, ", ")
}

func (n Notation) isSet() bool { return n != Notation{} }

// Check returns an error if n is invalid. Its text is a predicate, to follow the name of the column.
func (n Notation) Check() error {
	unit, thousands := firstRune(n.Unit), firstRune(n.Thousands)
	switch {
	case n.Decimal != "" && n.Decimal != ",":
		return fmt.Errorf("has the decimal sign %.10q; want a comma, or nothing for a point", n.Decimal)
	case n.Thousands != "" && (n.Thousands != string(thousands) || !validThousands(thousands) || n.Thousands == n.Decimal ||
		n.Thousands == "." && n.Decimal == ""):
		return fmt.Errorf("has the thousands separator %.10q; want a space, an apostrophe, an underscore, a point or a comma, but not the decimal sign", n.Thousands)
	case n.Unit != "" && (n.Unit != string(unit) || unit != '%' && !unicode.Is(unicode.Sc, unit)):
		return fmt.Errorf("has the unit %.10q; want %% or a currency sign", n.Unit)
	}
	return nil
}

func firstRune(text string) rune {
	if text == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// notation merges a column's Notation with o. If o has Decimal or Thousands, both come from o.
func (o *Options) notation(of Notation) notation {
	n := notation{decimal: o.decimal(), thousands: o.Thousands, unit: firstRune(of.Unit), na: o.NA}
	if !o.signs() {
		n.decimal, n.thousands = firstRune(of.Decimal), firstRune(of.Thousands)
	}
	return n
}

// decimal returns the decimal sign, or 0 for a point.
func (o *Options) decimal() rune {
	if o.Decimal == 0 && o.Thousands == '.' {
		return ','
	}
	return o.Decimal
}

// signs reports whether Decimal or Thousands is set, so that both apply to all columns.
func (o *Options) signs() bool { return o.Decimal != 0 || o.Thousands != 0 }

// spaces are the characters that may stand between a number and its unit.
const spaces = " \t\u00a0\u202f"

// cutUnit returns the unit of a trimmed cell, or 0 if it has none, and the number without the unit.
func cutUnit(cell string) (unit rune, number string) {
	sign, rest := "", cell
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		sign, rest = rest[:1], rest[1:]
	}
	digit := func(c byte) bool { return c-'0' <= 9 }
	if rest == "" || digit(rest[0]) && digit(rest[len(rest)-1]) {
		return 0, cell
	}
	if r, size := utf8.DecodeRuneInString(rest); unicode.Is(unicode.Sc, r) {
		return r, sign + strings.TrimLeft(rest[size:], spaces)
	}
	if r, size := utf8.DecodeLastRuneInString(rest); r == '%' || unicode.Is(unicode.Sc, r) {
		return r, sign + strings.TrimRight(rest[:len(rest)-size], spaces)
	}
	return 0, cell
}

// forms are the recognized notations, without units. If all cells of a column are numbers in several
// forms, the first of these forms applies, unless other columns decide.
var forms = []Notation{{}, {Thousands: ","}, {Thousands: " "}, {Thousands: "'"},
	{Decimal: ","}, {Decimal: ",", Thousands: "."}, {Decimal: ",", Thousands: " "}, {Decimal: ",", Thousands: "'"}}

// The first four are indices of forms; allForms has the bit of each form.
const (
	plainForm, commaThousands, commaDecimals, pointThousands = 0, 1, 4, 5
	allForms                                                 = 1<<8 - 1
)

var formNotations = func() []notation {
	var all []notation
	for _, f := range forms {
		all = append(all, new(Options).notation(f))
	}
	return all
}()

// A guess holds the forms in which all cells of a column so far are numbers, missing cells aside.
type guess struct {
	forms   []notation // without units; formNotations, or only the notation of the Options
	begun   bool
	unit    rune   // of all cells
	not     uint8  // bits of the forms in which some cell is not a number, and all bits from len(forms) on
	odd     string // the first cell that is not a number in the plain form
	pointed string // the first cell with a point
	comma   bool   // a cell has a comma
	both    bool   // a cell has a comma and a point, or one of them twice
	bare    bool   // a cell has no point
	large   bool   // a cell without a point is 1000 or more
}

func newGuess(forms []notation) guess { return guess{forms: forms, not: uint8(allForms << len(forms))} }

// add excludes the forms in which cell is not a number, or all forms if its unit differs from g.unit.
func (g *guess) add(cell string) {
	unit, number := cutUnit(cell)
	if !g.begun {
		g.begun, g.unit = true, unit
	}
	if unit != g.unit {
		g.not = allForms
	}
	if g.not == allForms {
		return
	}
	v, err := parse(number)
	plain := err == nil || errors.Is(err, strconv.ErrRange)
	if !plain && g.odd == "" {
		g.odd = strings.Clone(cell)
	}
	if !plain && !(strings.ContainsAny(number, "0123456789") && strings.ContainsAny(number, separators)) {
		g.not = allForms // a word, like most column names
		return
	}
	point, comma := strings.Contains(number, "."), strings.Contains(number, ",")
	g.comma = g.comma || comma
	g.both = g.both || strings.Count(number, ",")+strings.Count(number, ".") > 1
	switch {
	case !point:
		g.bare, g.large = true, g.large || math.Abs(v) >= 1000
	case g.pointed == "":
		g.pointed = strings.Clone(cell)
	}
	for i, form := range g.forms {
		// A plain number needs the slow check only for a point in a form with a decimal comma.
		if g.can(i) && !(plain && (form.decimal != ',' || !point)) && !form.isNumber(number) {
			g.not |= 1 << i
		}
	}
}

// can reports whether all cells are numbers in the form with the given index.
func (g *guess) can(form int) bool { return g.begun && g.not>>form&1 == 0 }

// number reports whether there is a form in which all cells are numbers.
func (g *guess) number() bool { return g.begun && g.not != allForms }

// ambiguous reports whether commas, or points, may be either decimal signs or thousands separators.
func (g *guess) ambiguous() bool { return g.commas() || g.points() || g.mixed() }

// mixed reports whether cells have a comma and others a point, but none has both, as in 2.5 and 1,234:
// either may be a mistake for the other, so other columns do not decide.
func (g *guess) mixed() bool {
	return g.number() && g.comma && g.pointed != "" && !g.both && !g.can(plainForm)
}

// commas reports whether commas may be either decimal signs or thousands separators.
func (g *guess) commas() bool {
	return g.can(commaThousands) && g.can(commaDecimals) && !g.can(plainForm)
}

// points reports whether points may be decimal signs or thousands separators, as in 872 and 1.471. Some
// cells must have no point, and all of these cells must be below 1000.
func (g *guess) points() bool {
	return g.can(plainForm) && g.can(pointThousands) && g.pointed != "" && g.bare && !g.large
}

// evidence reports how the unambiguous columns of numbers use commas and points. decimals is true if a
// column has decimal commas or points between thousands, and thousands if a column has commas between
// thousands or decimal points. Both may be true.
func (v *survey) evidence() (decimals, thousands bool) {
	for i := range v.columns {
		switch g := &v.columns[i].guess; {
		case !g.number() || g.ambiguous():
		case g.can(plainForm):
			thousands = thousands || !g.can(pointThousands) // a decimal point
		case g.can(commaThousands):
			thousands = true
		default:
			decimals = decimals || forms[g.first()].Decimal == ","
		}
	}
	return decimals, thousands
}

// first returns the index of the first form in which all cells are numbers. There must be one.
func (g *guess) first() int { return bits.TrailingZeros8(^g.not) }

// notation returns the Notation of a column: the zero value for plain numbers and for words. The first
// arguments come from evidence, and comma separates the cells. known is false if the column remains
// ambiguous.
func (g *guess) notation(decimals, thousands bool, comma rune) (n Notation, known bool) {
	if !g.number() {
		return Notation{}, true
	}
	form := g.first()
	switch {
	case g.mixed() || g.ambiguous() && decimals == thousands && (decimals || comma != ','):
		return Notation{}, false
	case g.commas():
		// If a comma separates cells, decimals have a point.
		if form = commaThousands; decimals {
			form = commaDecimals
		}
	case form == plainForm && decimals && !thousands && g.can(pointThousands) && !g.can(commaDecimals):
		form = pointThousands // 1.234 where other columns have decimal commas
	}
	n = forms[form]
	if g.unit != 0 {
		n.Unit = string(g.unit)
	}
	return n, true
}

package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// absent stands where there is no number.
const absent = "–"

// significant writes x with about three digits, and very large and small numbers with an exponent.
func significant(x float64) string {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return absent
	case a == 0:
		return "0"
	case a < 1e-4 || a >= 1e6:
		return strconv.FormatFloat(x, 'e', 2, 64)
	}
	return fixed(x, max(0, 2-int(math.Floor(math.Log10(a)))))
}

// short writes a setting with up to three significant digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// times writes a ratio.
func times(x float64) string {
	if x >= 0.095 && x < 9.995 {
		return fixed(x, 2)
	}
	return significant(x)
}

// fixed writes x with a number of decimals.
func fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return absent
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// whole writes x without decimals.
func whole(x float64) string { return fixed(x, 0) }

// between writes the range of values.
func between(values []float64, write func(float64) string) string {
	if len(values) == 0 {
		return absent
	}
	low, high := write(slices.Min(values)), write(slices.Max(values))
	if low == high {
		return low
	}
	return low + " to " + high
}

// count writes a number of things, of which the plural ends in s.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// list joins words as a sentence does.
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// unique returns the words without those that are there before.
func unique(words []string) (all []string) {
	for _, w := range words {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// slug makes a name of letters, digits and hyphens.
func slug(s string) string {
	separates := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), separates), "-")
}

// above counts the values above 1.
func above(values []float64) int {
	n := 0
	for _, v := range values {
		if v > 1 {
			n++
		}
	}
	return n
}

// An ordered map keeps its values in the order in which their keys came.
type ordered[K comparable, V any] struct {
	keys   []K
	values map[K]*V
}

// at returns the value of a key, a new one if there is none.
func (o *ordered[K, V]) at(key K) *V {
	v := o.values[key]
	if v == nil {
		if o.values == nil {
			o.values = map[K]*V{}
		}
		v = new(V)
		o.values[key] = v
		o.keys = append(o.keys, key)
	}
	return v
}

// all calls yield with each key and value.
func (o *ordered[K, V]) all(yield func(K, *V) bool) {
	for _, key := range o.keys {
		if !yield(key, o.values[key]) {
			return
		}
	}
}

// values returns a quantity for each step from 0 to last.
func values(last int, of func(n int) float64) (all []float64) {
	for n := range last + 1 {
		all = append(all, of(n))
	}
	return all
}

// stepName names a step.
func stepName(n int) string {
	if n == 0 {
		return "start"
	}
	return fmt.Sprintf("update %d", n)
}

// stepColumns returns the columns of a table: a head and the steps.
func stepColumns(head string, first, last int) []string {
	columns := []string{head}
	for n := first; n <= last; n++ {
		columns = append(columns, stepName(n))
	}
	return columns
}

// stepRow returns a row of a table: a name and numbers.
func stepRow(name string, write func(float64) string, numbers []float64) []string {
	row := []string{name}
	for _, v := range numbers {
		row = append(row, write(v))
	}
	return row
}

var nan = math.NaN()

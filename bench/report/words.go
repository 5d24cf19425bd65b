package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// absent stands where there is no number.
const absent = "–"

func orAbsent(s string) string { return cmp.Or(s, absent) }

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

// between writes the range of ratios.
func between(ratios []float64) string {
	low, high := times(slices.Min(ratios)), times(slices.Max(ratios))
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

// unique returns the words without those that are there before.
func unique(words []string) (all []string) {
	for _, w := range words {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// above counts the values above a bound.
func above(bound float64, values []float64) (n int) {
	for _, v := range values {
		if v > bound {
			n++
		}
	}
	return n
}

// where returns a backend, its kernel, the number of threads, other work, and the CPU.
func where(m *result.Machine, backend, threads string) string {
	name := cmp.Or(backend, "unknown backend")
	if m.Kernel != "" && strings.HasPrefix(backend, "pure") {
		name += " (" + m.Kernel + ")"
	}
	if threads == "1" {
		name += ", 1 thread"
	} else if threads != "" {
		name += ", " + threads + " threads"
	}
	name += beside(m)
	if m.CPU != "" {
		name += " on " + strings.NewReplacer("(R)", "", " Processor", "").Replace(m.CPU)
	}
	return name
}

// beside returns what kept CPUs busy meanwhile.
func beside(m *result.Machine) string {
	if m.Beside == 0 {
		return ""
	}
	return fmt.Sprintf(", beside busy processes: %d", m.Beside)
}

// threadsOf returns the numbers of threads.
func threadsOf(m *result.Machine) string {
	var all []string
	for _, n := range m.Threads {
		all = append(all, speed.ThreadsName(n))
	}
	return strings.Join(all, ", ")
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

// stepColumns returns the columns of a table: a head and the steps.
func stepColumns(head string, first, last int, more ...string) []string {
	columns := []string{head}
	for n := first; n <= last; n++ {
		if n == 0 {
			columns = append(columns, "start")
		} else {
			columns = append(columns, fmt.Sprintf("update %d", n))
		}
	}
	return append(columns, more...)
}

// stepRow returns a row of a table: a name and a number for each step, and more.
func stepRow(name string, write func(float64) string, first, last int, of func(n int) float64, more ...float64) []string {
	row := []string{name}
	for n := first; n <= last; n++ {
		row = append(row, write(of(n)))
	}
	for _, v := range more {
		row = append(row, write(v))
	}
	return row
}

var nan = math.NaN()

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/io/names"
)

const absent = "–"

var nan = math.NaN()

func orAbsent(s string) string {
	if s == "" || s == names.Unknown {
		return absent
	}
	return s
}

func significant(x float64) string { return orAbsent(names.Significant(x, 3)) }

func times(x float64) string {
	if x >= 0.095 && x < 9.995 {
		return names.Fixed(x, 2)
	}
	return significant(x)
}

func between(ratios []float64) string {
	low, high := times(slices.Min(ratios)), times(slices.Max(ratios))
	if low == high {
		return low
	}
	return low + " to " + high
}

func above(bound float64, values []float64) (n int) {
	for _, v := range values {
		if v > bound {
			n++
		}
	}
	return n
}

// where describes a measurement: the backend, its kernel, the threads, the busy processes and the CPU.
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

func beside(m *result.Machine) string {
	if m.Beside == 0 {
		return ""
	}
	return ", alongside " + names.Count(m.Beside, "busy process", "busy processes")
}

func threadsOf(m *result.Machine) string {
	var all []string
	for _, n := range m.Threads {
		all = append(all, speed.ThreadsName(n))
	}
	return strings.Join(all, ", ")
}

// An ordered list keeps values in the order of the first use of their keys.
type ordered[K comparable, V any] []struct {
	key   K
	value V
}

// at returns a pointer to the value of key. It adds a missing key with the zero value.
func (o *ordered[K, V]) at(key K) *V {
	for i := range *o {
		if e := &(*o)[i]; e.key == key {
			return &e.value
		}
	}
	*o = append(*o, struct {
		key   K
		value V
	}{key: key})
	return &(*o)[len(*o)-1].value
}

// A stepTable is a table with a column for each step of runs, from first to last.
type stepTable struct {
	Table
	first, last int
}

func newStepTable(head string, first, last int, more ...string) *stepTable {
	t := &stepTable{Table{Columns: []string{head}}, first, last}
	for n := first; n <= last; n++ {
		column := "start"
		if n > 0 {
			column = fmt.Sprintf("update %d", n)
		}
		t.Columns = append(t.Columns, column)
	}
	t.Columns = append(t.Columns, more...)
	return t
}

func (t *stepTable) add(name string, of func(n int) string, more ...string) {
	row := []string{name}
	for n := t.first; n <= t.last; n++ {
		row = append(row, of(n))
	}
	t.Rows = append(t.Rows, append(row, more...))
}

package openblas_test

import (
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/check"
	"blskernel/internal/testutil"
)

// signatures lists the routines with their parameters in order, each with a good value: a flag, a size
// or the least length of a slice.
var signatures = []string{
	"Dpotri ul=L n=3 a=9 lda=3",
	"Dgetrf m=4 n=3 a=12 lda=4 ipiv=3",
	"Dgetrf m=2 n=4 a=8 lda=2 ipiv=2",
	"Dgetri n=3 a=9 lda=3 ipiv=3 work=3",
}

var texts = map[string]string{
	"ul": check.BadUplo, "m": check.MLT0, "n": check.NLT0, "a": check.ShortA, "lda": check.BadLdA,
	"ipiv": "lapack: insufficient length of ipiv", "work": "lapack: insufficient length of work",
}

const over32 = "lapack: a size does not fit in 32 bits"

// call calls a routine with the arguments of the given names and returns what it panics with.
func call(l backend.ColumnMajorLAPACK, routine string, names []string, values map[string]int) any {
	method := reflect.ValueOf(l).MethodByName(routine)
	var in []reflect.Value
	for i, name := range names {
		switch of := method.Type().In(i); of.Kind() {
		case reflect.Slice:
			x := reflect.MakeSlice(of, values[name], values[name])
			if pivots, is := x.Interface().([]int32); is {
				for k := range pivots {
					pivots[k] = int32(k + 1)
				}
			}
			in = append(in, x)
		default:
			in = append(in, reflect.ValueOf(values[name]).Convert(of))
		}
	}
	return testutil.PanicValue(func() { method.Call(in) })
}

// TestLAPACKPanics gives each routine arguments: right, empty, bad in one place, and beyond 32 bits.
func TestLAPACKPanics(t *testing.T) {
	l := needLAPACK(t)
	huge := math.MaxInt32
	huge++ // and not a constant, which would not compile where int has 32 bits
	for _, signature := range signatures {
		good, fields := map[string]int{}, strings.Fields(signature)
		routine, names := fields[0], fields[1:]
		for i, field := range names {
			name, value, _ := strings.Cut(field, "=")
			v, err := strconv.Atoi(value)
			if err != nil {
				v = int(value[0]) // a flag
			}
			names[i], good[name] = name, v
		}
		try := func(want any, changes map[string]int) {
			t.Helper()
			values := maps.Clone(good)
			maps.Copy(values, changes)
			if got := call(l, routine, names, values); got != want {
				t.Errorf("%s with %v: panics with %v; want %v", signature, changes, got, want)
			}
		}
		try(nil, nil)
		for _, name := range names {
			text, v := texts[name], good[name]
			switch {
			case name == "ul":
				try(text, map[string]int{name: 'x'})
			case name == "m" || name == "n":
				try(text, map[string]int{name: -1})
				try(over32, map[string]int{name: huge, "lda": huge})
				try(nil, map[string]int{name: 0, "a": 0, "ipiv": 0, "work": 0})
			case name == "lda":
				try(text, map[string]int{name: v - 1})
				try(over32, map[string]int{name: huge})
			default:
				try(text, map[string]int{name: v - 1})
			}
		}
	}
}

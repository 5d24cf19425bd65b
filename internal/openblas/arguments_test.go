package openblas_test

import (
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/backend"
	"blskernel/internal/check"
	"blskernel/internal/testutil"
)

// signatures are the routines with their parameters in their order, each with a good value: a flag, a
// size or the least length of a slice.
var signatures = []string{
	"Dpotrf ul=U n=3 a=9 lda=3",
	"Dpotri ul=L n=3 a=9 lda=3",
	"Dgetrf m=4 n=3 a=12 lda=4 ipiv=3",
	"Dgetrf m=2 n=4 a=8 lda=2 ipiv=2",
	"Dgetri n=3 a=9 lda=3 ipiv=3 work=3",
	"Dgetrs t=N n=3 nrhs=2 a=9 lda=3 ipiv=3 b=6 ldb=3",
	"Dsptrf ul=U n=3 ap=6 ipiv=3",
	"Dsptri ul=U n=3 ap=6 ipiv=3 work=3",
	"Dsytrf ul=U n=3 a=9 lda=3 ipiv=3 work=1",
	"Dsytri2 ul=L n=3 a=9 lda=3 ipiv=3 work=4556", // the least one is the library's to say
	"Dgeqrf m=4 n=3 a=12 lda=4 tau=3 work=3",
	"Dgeqrf m=2 n=3 a=6 lda=2 tau=2 work=3",
	"Dsyevd job=V ul=U n=3 a=9 lda=3 values=3 work=37 iwork=18",
	"Dgesdd job=A m=2 n=3 a=6 lda=2 values=2 left=4 ldleft=2 right=9 ldright=3 work=33 iwork=16",
	"Dgesdd job=S m=3 n=2 a=6 lda=3 values=2 left=6 ldleft=3 right=4 ldright=2 work=33 iwork=16",
	"Dgesdd job=N m=3 n=3 a=9 lda=3 values=3 left=0 ldleft=1 right=0 ldright=1 work=60 iwork=24",
	"Dgeev jobL=V jobR=N n=3 a=9 lda=3 re=3 im=3 left=9 ldleft=3 right=0 ldright=1 work=12",
	"Dgeev jobL=N jobR=V n=3 a=9 lda=3 re=3 im=3 left=0 ldleft=1 right=9 ldright=3 work=12",
}

// texts are those of the panics where a parameter is bad.
var texts = map[string]string{
	"ul": check.BadUplo, "t": check.BadTranspose, "m": check.MLT0, "n": check.NLT0, "nrhs": "lapack: nrhs < 0",
	"job": "lapack: illegal job", "jobL": "lapack: illegal job", "jobR": "lapack: illegal job",
	"a": check.ShortA, "ap": check.ShortAP, "b": check.ShortB, "lda": check.BadLdA, "ldb": check.BadLdB,
	"ldleft": "lapack: bad leading dimension of left vectors", "ldright": "lapack: bad leading dimension of right vectors",
	"values": "lapack: insufficient length of values", "re": "lapack: insufficient length of values", "im": "lapack: insufficient length of values",
	"ipiv": "lapack: insufficient length of ipiv", "tau": "lapack: insufficient length of tau",
	"work": "lapack: insufficient length of work", "iwork": "lapack: insufficient length of iwork",
	"left": "lapack: insufficient length of left vectors", "right": "lapack: insufficient length of right vectors",
}

const over32 = "lapack: a size is beyond 32-bit integers"

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

// TestLAPACKPanics gives each routine arguments that are right, empty, bad in one place, and beyond 32
// bits.
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
			case strings.HasPrefix(name, "job") || name == "ul" || name == "t":
				try(text, map[string]int{name: 'x'})
			case name == "m" || name == "n" || name == "nrhs":
				try(text, map[string]int{name: -1})
				try(over32, map[string]int{name: huge, "lda": huge, "ldb": huge})
				empty := map[string]int{name: 0, "ap": 0, "b": 0, "ipiv": 0, "tau": 0, "work": 0, "left": 0, "right": 0}
				if name != "nrhs" {
					empty["a"] = 0
				}
				try(nil, empty)
			case strings.HasPrefix(name, "ld"):
				try(text, map[string]int{name: v - 1})
				try(over32, map[string]int{name: huge})
			case routine == "Dsytri2" && name == "work":
				try(text, map[string]int{name: 2})
			case v > 0:
				try(text, map[string]int{name: v - 1})
			}
		}
		if good["ap"] > 0 { // the routines compute n(n+1)
			try(over32, map[string]int{"n": 46341})
			try(check.ShortAP, map[string]int{"n": 46340})
		}
	}
}

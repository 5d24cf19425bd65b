package backend_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
)

var texts = map[string]string{
	"tA": check.BadTranspose, "tB": check.BadTranspose, "ul": check.BadUplo, "diag": check.BadDiag, "s": check.BadSide,
	"m": check.MLT0, "n": check.NLT0, "k": check.KLT0, "kL": "blas: kL < 0", "kU": "blas: kU < 0",
	"lda": check.BadLdA, "ldb": check.BadLdB, "ldc": check.BadLdC,
	"incX": check.ZeroIncX, "incY": check.ZeroIncY, "p": "blas: illegal rotm flag",
	"x": check.ShortX, "y": check.ShortY,
	"a": check.ShortA, "b": check.ShortB, "c": check.ShortC, "ap": check.ShortAP, "bias": check.ShortBias,
}

func (a arguments) with(changes ...change) arguments {
	b := maps.Clone(a)
	for _, c := range changes {
		b[c.name] = c.value
	}
	return b
}

type change struct {
	name  string
	value any
}

// call calls a routine. It returns the panic value, if any, and whether the routine wrote to a slice.
func (s signature) call(routine reflect.Value, a arguments) (panicked any, wrote bool) {
	var in []reflect.Value
	var slices [][]float64
	for k, name := range strings.Fields(s.params) {
		v := a[name]
		if routine.Type().In(k) == reflect.TypeFor[[]float64]() {
			x := make([]float64, v.(int))
			for i := range x {
				x[i] = float64(i + 1)
			}
			slices = append(slices, x)
			v = x
		}
		in = append(in, reflect.ValueOf(v))
	}
	panicked = testutil.PanicValue(func() { routine.Call(in) })
	for _, x := range slices {
		for i, v := range x {
			wrote = wrote || v != float64(i+1)
		}
	}
	return panicked, wrote
}

// A variant is a choice of flags and sizes.
type variant struct {
	flags      int
	m, n, k    int
	incX, incY int
}

var variants = []variant{
	{0, 3, 4, 2, 1, 1},
	{1, 4, 3, 2, 2, -2},
	{2, 2, 5, 3, -1, 3},
	{1, 33, 34, 2, 1, -1}, // orders above minBlocks of package blas12
}

// empty lists variants in which there is nothing to do, so that slices may have any length.
var empty = []variant{{0, 0, 4, 2, 1, 1}, {1, 3, 0, 2, 1, -1}, {2, 3, 4, 0, 1, 1}}

// arguments returns legal arguments, with the shortest slices and the smallest leading dimensions that
// routine accepts.
func (s signature) arguments(v variant, routine reflect.Value) arguments {
	const long = 1500
	a := arguments{}
	oneVector := s.oneVector()
	for k, name := range strings.Fields(s.params) {
		of := routine.Type().In(k)
		switch flags := flagsOf(of); {
		case flags != nil:
			a[name] = flags[v.flags%len(flags)]
		case of == reflect.TypeFor[blas.DrotmParams]():
			a[name] = blas.DrotmParams{Flag: blas.Rescaling}
		case of == reflect.TypeFor[float64]():
			a[name] = 0.5
		case of == reflect.TypeFor[[]float64]():
			a[name] = long
		case strings.HasPrefix(name, "ld"):
			a[name] = 36
		default:
			a[name] = map[string]int{"m": v.m, "n": v.n, "k": v.k, "kL": 1, "kU": 2, "incX": v.incX, "incY": v.incY}[name]
			if oneVector && name == "incX" {
				a[name] = max(v.incX, -v.incX)
			}
		}
	}
	// First the leading dimensions, on which the lengths of slices depend.
	for _, rows := range []bool{true, false} {
		for k, name := range strings.Fields(s.params) {
			if slice := routine.Type().In(k) == reflect.TypeFor[[]float64](); rows != strings.HasPrefix(name, "ld") || !rows && !slice {
				continue
			}
			for least := 0; ; least++ {
				if p, _ := s.call(routine, a.with(change{name, least})); p == nil {
					a[name] = least
					break
				}
			}
		}
	}
	return a
}

// bad returns changes that make the arguments bad, each in one place.
func (s signature) bad(a arguments) []change {
	var all []change
	for _, name := range strings.Fields(s.params) {
		switch v := a[name].(type) {
		case blas.Transpose:
			all = append(all, change{name, blas.Transpose('x')}, change{name, blas.Transpose(0)})
		case blas.Uplo:
			all = append(all, change{name, blas.Uplo('x')}, change{name, blas.All})
		case blas.Side:
			all = append(all, change{name, blas.Side('x')})
		case blas.Diag:
			all = append(all, change{name, blas.Diag('x')})
		case blas.DrotmParams:
			all = append(all, change{name, blas.DrotmParams{Flag: -3}}, change{name, blas.DrotmParams{Flag: 2}})
		case int:
			switch {
			case strings.HasPrefix(name, "inc"):
				all = append(all, change{name, 0})
			case strings.HasPrefix(name, "ld"):
				all = append(all, change{name, v - 1}, change{name, -1})
			case strings.Contains(" m n k kL kU ", " "+name+" "):
				all = append(all, change{name, -1}, change{name, -7})
			case v > 0:
				all = append(all, change{name, v - 1}, change{name, 0})
			}
		}
	}
	return all
}

// huge returns changes of a dimension, a leading dimension or an increment to a value too large for any
// slice: a multiple of it overflows, or a 32-bit integer cannot hold it.
func (s signature) huge() (all []change) {
	values := []int{math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt/2 + 1<<20, math.MaxInt - 2, math.MaxInt}
	if math.MaxInt > math.MaxInt32 {
		for _, over := range []float64{0x1p31, 0x1p32, 0x1p32 + 1, 0x1p33 + 12, 0x1p62 + 0x1p32} {
			values = append(values, int(over))
		}
	}
	for _, name := range strings.Fields(s.params) {
		increment := strings.HasPrefix(name, "inc")
		if !increment && !strings.HasPrefix(name, "ld") && !strings.Contains(" m n k kL kU ", " "+name+" ") {
			continue
		}
		for _, v := range values {
			if all = append(all, change{name, v}); increment && !s.oneVector() {
				all = append(all, change{name, -v})
			}
		}
	}
	return all
}

// TestArguments gives every routine every kind of bad argument: on every backend it panics with the
// text for that argument and writes nothing. With two bad arguments it panics with gonum's text for the
// first in gonum's order of checks. With a huge argument it panics with some text of the BLAS.
func TestArguments(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	all := candidates(t)
	for _, s := range signatures {
		t.Run(s.routine, func(t *testing.T) {
			want := s.on(reference())
			for _, v := range slices.Concat(variants, empty) {
				a := s.arguments(v, want)
				s.checkLengths(t, v, a)
				bad := s.bad(a)
				for _, b := range all {
					if _, made := b.Backend.(plain); made && !s.optional() {
						continue
					}
					routine := s.on(b.Backend)
					if p, _ := s.call(routine, a); p != nil {
						t.Fatalf("%s: good arguments %v: panics with %v", b.name, a, p)
					}
					for _, c := range s.huge() {
						if b.name == "gonum" || slices.Contains(empty, v) {
							break
						}
						p, wrote := s.call(routine, a.with(c))
						if text, is := p.(string); !is || !strings.HasPrefix(text, "blas: ") || wrote {
							t.Fatalf("%s: %v in %v: panics with %v; wrote: %v", b.name, c, a, p, wrote)
						}
					}
					for i, first := range bad {
						if slices.Contains(variants, v) && !(b.name == "gonum" && first.name == "p") {
							if p, wrote := s.call(routine, a.with(first)); p != texts[first.name] || wrote {
								t.Errorf("%s: %v in %v: panics with %v, want %q; wrote: %v", b.name, first, a, p, texts[first.name], wrote)
							}
						}
						if b.name == "gonum" || strings.HasPrefix(b.name, "pure/") && b.name != all[1].name {
							continue // the same code for every kernel
						}
						for _, second := range bad[i:] {
							if first.name == "p" || second.name == "p" {
								continue // gonum does not check the flag of Drotm
							}
							changed := a.with(first, second)
							p, wrote := s.call(routine, changed)
							if w, _ := s.call(want, changed); p != w || p != nil && wrote {
								t.Errorf("%s: %v: panics with %v, gonum with %v; wrote: %v", b.name, changed, p, w, wrote)
							}
						}
					}
				}
			}
		})
	}
}

// checkLengths compares the shortest lengths, which arguments found, with the shapes in the table, for
// the routines that gonum lacks.
func (s signature) checkLengths(t *testing.T, v variant, a arguments) {
	t.Helper()
	if !s.optional() || v.m == 0 || v.n == 0 {
		return
	}
	for _, description := range strings.Fields(s.operands) {
		name, _, _, size := s.described(a, description)
		want := size[0]
		if ld, is := a["ld"+name].(int); is {
			rows, cols := size[0], size[len(size)-1]
			if want = (rows-1)*ld + cols; rows == 0 {
				want = 0
			}
		} else if name == "ap" {
			want = block.PackedLen(size[0])
		}
		if a[name] != want {
			t.Errorf("%v: %s needs %v elements, want %v", a, name, a[name], want)
		}
	}
}

func (c change) String() string { return fmt.Sprintf("%s = %v", c.name, c.value) }

// A matrix of one row may have any leading dimension. A library with 32-bit integers is not given one
// that it cannot hold.
func TestArgumentsOneRow(t *testing.T) {
	distances := []int{1, 7, math.MaxInt32}
	if most := math.MaxInt32; math.MaxInt > math.MaxInt32 {
		distances = append(distances, most+1)
	}
	for _, b := range backends.All(t) {
		for _, ld := range distances {
			c, want, panics := []float64{math.NaN()}, 30.0, any(nil)
			if b.Name() == "openblas" && ld > math.MaxInt32 {
				c[0], want, panics = 7, 7, check.TooLarge
			}
			p := testutil.PanicValue(func() { b.Dgemm('N', 'N', 1, 1, 1, 2, []float64{3}, ld, []float64{5}, ld, 0, c, ld) })
			if p != panics || c[0] != want {
				t.Errorf("%s: with rows %d apart: %v, panics with %v; want %v and %v", b.Name(), ld, c, p, want, panics)
			}
		}
	}
}

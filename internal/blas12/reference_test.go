package blas12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// dd is an unevaluated sum of two float64, of about 106 bits.
type dd struct{ hi, lo float64 }

// plus adds x*y to s. The product is exact; the sum is rounded to twice the working precision.
func (s dd) plus(x, y float64) dd {
	p := float64(x * y) // rounded: without the conversion some processors would add the product as it is
	e := math.FMA(x, y, -p)
	hi := s.hi + p
	v := hi - s.hi
	lo := (s.hi - (hi - v)) + (p - v) + s.lo + e
	sum := hi + lo
	return dd{sum, lo - (sum - hi)}
}

// times multiplies s by a.
func (s dd) times(a float64) dd { return dd{}.plus(s.lo, a).plus(s.hi, a) }

// A sum is a reference value: sum of a*b*c in twice the working precision, and the same of absolute
// values.
type sum struct {
	value     dd
	magnitude float64
}

func (s *sum) add(a, b, c float64) {
	p := dd{}.plus(a, b).times(c)
	s.value = s.value.plus(p.hi, 1).plus(p.lo, 1)
	s.magnitude += math.Abs(a * b * c)
}

// gamma is γ_k = ku/(1-ku), the bound of k roundings.
func gamma(k int) float64 {
	u := float64(k) * 0x1p-53
	return u / (1 - u)
}

// within returns an error unless got is within γ_k of s, relative to the magnitudes. One per cent is
// for magnitude, which is computed in working precision, and for the reference's own roundings.
func (s sum) within(k int, got float64) error {
	e, bound := math.Abs((got-s.value.hi)-s.value.lo), 1.01*gamma(k)*s.magnitude
	if !(e <= bound) {
		return fmt.Errorf("%v, want %v: the error %v is above %v", got, s.value.hi, e, bound)
	}
	return nil
}

const guardLength = 16

// A memory is a vector or matrix in the middle of a longer slice, all of which but its own elements
// holds one number, the canary: NaN for what is read, so that reading beside the operand spoils the
// result, and a number for what is written.
type memory struct {
	all, before []float64
	s           []float64 // what is passed to a routine
	start       int
	own         []bool // the elements of all that are the operand's
}

func newMemory(rnd *rand.Rand, length int, canary float64) *memory {
	m := &memory{start: guardLength + rnd.IntN(8)}
	m.all = make([]float64, m.start+length+guardLength)
	m.own = make([]bool, len(m.all))
	for i := range m.all {
		m.all[i] = canary
	}
	m.s = m.all[m.start : m.start+length : m.start+length]
	return m
}

func (m *memory) set(i int, v float64) {
	m.s[i] = v
	m.own[m.start+i] = true
}

// save notes the contents, for comparison after a call.
func (m *memory) save() { m.before = append([]float64(nil), m.all...) }

// check fails if something has changed that was not to be written: all but the operand's own elements,
// and, if it was only to be read, these too.
func (m *memory) check(t *testing.T, written bool, what string) {
	t.Helper()
	for i, v := range m.all {
		if written && m.own[i] {
			continue
		}
		if math.Float64bits(v) != math.Float64bits(m.before[i]) {
			t.Fatalf("%s: element %d was changed from %v to %v", what, i-m.start, m.before[i], v)
		}
	}
}

// A strided is a vector with an increment.
type strided struct {
	*memory
	n, inc int
}

func newStrided(rnd *rand.Rand, n, inc int, canary float64) strided {
	length := 0
	if n > 0 {
		length = (n-1)*max(inc, -inc) + 1
	}
	v := strided{newMemory(rnd, length, canary), n, inc}
	for i := range n {
		v.set(v.index(i), rnd.NormFloat64())
	}
	v.save()
	return v
}

func (v strided) index(i int) int { return first(v.n, v.inc) + i*v.inc }

func (v strided) at(i int) float64 { return v.s[v.index(i)] }

// was is element i before the call.
func (v strided) was(i int) float64 { return v.before[v.start+v.index(i)] }

// A rectangle is an m×n matrix with leading dimension ld.
type rectangle struct {
	*memory
	m, n, ld int
}

func newRectangle(rnd *rand.Rand, m, n, ld int, canary float64) rectangle {
	length := 0
	if m > 0 && n > 0 {
		length = (m-1)*ld + n
	}
	a := rectangle{newMemory(rnd, length, canary), m, n, ld}
	if length > 0 {
		for i := range m {
			for j := range n {
				a.set(i*ld+j, rnd.NormFloat64())
			}
		}
	}
	a.save()
	return a
}

func (a rectangle) at(i, j int) float64 { return a.s[i*a.ld+j] }

func (a rectangle) was(i, j int) float64 { return a.before[a.start+i*a.ld+j] }

// The numbers from which the arguments of a call are drawn.
var (
	increments = []int{1, 2, -1, -3}
	factors    = []float64{0, 1, -1, 0.7}
)

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

const (
	maxLength = 70
	written   = 12345.678 // the canary of what is written
)

var nan = math.NaN()
